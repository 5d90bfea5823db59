from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.text.line_index import LineIndex, iter_lines
from synapse_ls.text.span import Span

TEXTS = st.text(st.sampled_from("ab\n\r\u2028\x85\v\f😀"))


def lines(text: str) -> list[str]:
    return [text[start:end] for start, end in iter_lines(text)]


@given(TEXTS)
def test_lines_break_at_lf_crlf_and_cr_only(text: str) -> None:
    assert lines(text) == re.split(r"\r\n|\r|\n", text)


def test_an_empty_text_has_one_empty_line() -> None:
    assert lines("") == [""]
    assert LineIndex("").line_count == 1


def test_a_final_break_opens_one_more_line() -> None:
    assert lines("a\r\n") == ["a", ""]


@given(TEXTS)
def test_every_offset_has_a_position_that_leads_back(text: str) -> None:
    index = LineIndex(text)
    for offset in range(len(text) + 1):
        line, column = index.position(offset)
        inside = column <= index.line_span(line).length
        assert index.offset(line, column) == (offset if inside else index.line_span(line).end)


@given(TEXTS)
def test_line_spans_are_the_lines(text: str) -> None:
    index = LineIndex(text)
    spans = [index.line_span(line) for line in range(index.line_count)]
    assert spans == [Span(*line) for line in iter_lines(text)]


def test_columns_count_code_points() -> None:
    assert LineIndex("a\n😀é=x").position(5) == (1, 3)


def test_a_column_beyond_the_line_means_the_place_before_its_break() -> None:
    assert LineIndex("ab\r\ncd").offset(0, 99) == 2


@pytest.mark.parametrize(("line", "column", "offset"), [(-1, 5, 0), (0, -3, 0), (9, 0, 5)])
def test_a_position_outside_the_text_goes_to_the_nearest_place(
    line: int, column: int, offset: int
) -> None:
    assert LineIndex("ab\ncd").offset(line, column) == offset


def test_offsets_outside_the_text_belong_to_the_first_and_last_line() -> None:
    index = LineIndex("ab\ncd")
    assert index.position(-4) == (0, 0)
    assert index.line_of(99) == 1


def test_there_is_no_span_of_a_missing_line() -> None:
    for line in (-1, 2):
        with pytest.raises(IndexError):
            LineIndex("ab\ncd").line_span(line)
