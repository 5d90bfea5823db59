from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.markdown_outline import parse_field, parse_fields
from synapse_ls.text.span import Span
from tests.support import mark


def read(text: str) -> dict[str, str]:
    return {key: value.value for key, value in parse_fields(text, Span(0, len(text))).items()}


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("task: build()", "task", "build()"),
        ("responsável: Dex", "responsavel", "Dex"),
        ("**Entrada:**", "entrada", ""),
        ("**Task:** x", "task", "x"),
        ("pre-conditions:", "pre_conditions", ""),
        ("a: 'x # y' # note", "a", "x # y"),
        ("a: x # note", "a", "x"),
        ("a: # note", "a", ""),
        ("url: http://x", "url", "http://x"),
    ],
)
def test_a_line_is_a_key_and_a_value(line: str, key: str, value: str) -> None:
    found = parse_field(line)
    assert found is not None
    assert (found[0], found[1].value) == (key, value)


@pytest.mark.parametrize("line", ["", "- a: b", "# a: b", "just words", "http://x", "a:b"])
def test_another_line_is_no_field(line: str) -> None:
    assert parse_field(line) is None


def test_a_value_has_the_place_of_its_text() -> None:
    text, (plain, quoted) = mark('a:  «x y»  # note\nb: "«z»"\n')
    found = parse_fields(text, Span(0, len(text)))
    assert (found["a"].span, found["b"].span) == (plain, quoted)


def test_nested_lines_belong_to_no_field() -> None:
    assert read("a: 1\n  b: 2\nc: 3\n") == {"a": "1", "c": "3"}


def test_the_first_of_repeated_keys_counts() -> None:
    assert read("a: 1\na: 2\n") == {"a": "1"}


def test_a_block_scalar_is_joined() -> None:
    assert read("a: |\n  one\n\n  two\nb: >-\n  three\n") == {"a": "one two", "b": "three"}


@given(st.text(), st.integers(0, 20))
def test_any_region_gives_places_inside_it(text: str, start: int) -> None:
    region = Span(min(start, len(text)), len(text))
    for value in parse_fields(text, region).values():
        assert region.start <= value.span.start <= value.span.end <= region.end
