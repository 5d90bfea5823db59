"""What a reader of TOML would take very long for is refused before it is read, with its place."""

from __future__ import annotations

import pytest

from synapse_ls.formats.toml_document import load_toml
from synapse_ls.integrations.settings_syntax import load_settings


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{'a.' * 20_000}a = 1", "more than 16 parts"),
        (f"x = 1\n[{'a.' * 20_000}a]\n", "more than 16 parts"),
        (f"a = {'[' * 20_000}", "more than 50 levels"),
        (f"a = {'{b = ' * 20_000}", "more than 50 levels"),
        ("a = 1\n" * 100_000, "longer than"),
    ],
)
def test_a_bomb_is_refused_before_it_is_parsed(text: str, said: str) -> None:
    data, problem = load_toml(text, "config.toml", "nothing holds")
    assert data == {} and problem is not None and said in problem.message


@pytest.mark.parametrize(
    "text",
    [
        'a = "1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17.18"',
        "a = '''" + "." * 500 + "'''",
        "# " + "." * 500 + "\na.b.c = 1",
        "a = [" + "1.5, " * 100 + "]",
        "a = [" + "[1.5], " * 100 + "]",
    ],
)
def test_dots_and_brackets_elsewhere_are_no_excess(text: str) -> None:
    assert load_toml(text, "config.toml", "nothing holds")[1] is None


def test_settings_of_clients_have_the_same_limits() -> None:
    with pytest.raises(ValueError, match="more than 16 parts"):
        load_settings(f"{'a.' * 20_000}a = 1")
