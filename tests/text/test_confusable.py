"""A letter that passes for one of another script is found; two honest scripts are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.text.hidden_characters import find_mixed_words


@pytest.mark.parametrize(
    ("text", "meant", "script"),
    [
        ("unit t\u0435st", "test", "Cyrillic"),
        ("AGENT_D\u0415V", "DEV", "Cyrillic"),
        ("c\u03bfde", "code", "Greek"),
        ("\u0391PI", "API", "Greek"),
        ("Tест", "Тест", "Latin"),
        ("мaма", "мама", "Latin"),
        ("c\u043eódigo", "coódigo", "Cyrillic"),
    ],
)
def test_a_word_with_a_foreign_letter_is_found(text: str, meant: str, script: str) -> None:
    (found,) = find_mixed_words(text)
    assert (found.lookalike, found.script) == (meant, script)


@pytest.mark.parametrize(
    "text",
    [
        "test",
        "тест",
        "SQL-запрос",
        "SQLзапрос",
        "xpath и y",
        "αβ-test",
        "5 µm",
        "Straße",
        "テストtest",
    ],
)
def test_words_that_are_what_they_seem_are_left_alone(text: str) -> None:
    assert list(find_mixed_words(text)) == []


@given(st.text(alphabet=st.sampled_from("abcoеоѕζαοéшTТ_ -")))
def test_what_is_meant_is_not_mixed(text: str) -> None:
    for found in find_mixed_words(text):
        assert len(found.lookalike) == found.span.length
        assert list(find_mixed_words(found.lookalike)) == []
