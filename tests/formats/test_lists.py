from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.markdown_outline import (
    Line,
    ListItem,
    is_placeholder,
    parse_blocks,
    parse_list_item,
    parse_outline,
    table_cells,
)
from synapse_ls.text.span import Span
from tests.support import mark


def lines(text: str) -> tuple[Line, ...]:
    return parse_outline(text).sections[0].lines


def items(text: str) -> list[ListItem]:
    return [block for block in parse_blocks(lines(text)) if isinstance(block, ListItem)]


@pytest.mark.parametrize(
    ("text", "checked", "words"),
    [
        ("- plain", None, "plain"),
        ("* [ ] open", False, "open"),
        ("- [x] done", True, "done"),
        ("+ [X] done", True, "done"),
        ("1. [✓] done", True, "done"),
        ("- \\[ \\] escaped", False, "escaped"),
        ("- [] tight", False, "tight"),
        ("- [link](x)", None, "[link](x)"),
        ("12) number", None, "number"),
    ],
)
def test_an_item_has_a_check_box_or_none(text: str, checked: bool | None, words: str) -> None:
    item = parse_list_item(Line(Span(0, len(text)), text))
    assert item is not None
    assert (item.checked, item.text) == (checked, words)


@pytest.mark.parametrize("text", ["", "text", "-dash", "**bold**", "---", "1.5 apples"])
def test_other_lines_are_no_items(text: str) -> None:
    assert parse_list_item(Line(Span(0, len(text)), text)) is None


def test_an_item_and_its_words_have_places() -> None:
    text, (whole, words) = mark("- a\n  «- [x] «one two»»  \n")
    _, item = items(text)
    assert (item.indent, item.span, item.body) == (2, whole, words)


def test_lines_that_continue_an_item_are_joined_to_it() -> None:
    text, (whole,) = mark("«- one\n  two\nthree»\n\nfour\n")
    (item,) = items(text)
    assert (item.text, item.span) == ("one two three", whole)


@pytest.mark.parametrize("line", ["| a | b |", "> quote", "**Note:** x", "", "- two"])
def test_what_continues_no_item(line: str) -> None:
    assert items(f"- one\n{line}\n")[0].text == "one"


def test_a_table_row_has_cells_with_places() -> None:
    text, (first, second) = mark("| «a b» | «`c`» |\n")
    row = table_cells(lines(text)[0])
    assert [cell.span for cell in row] == [first, second]


@pytest.mark.parametrize("text", ["|---|:-:|", "text", "|", ""])
def test_other_lines_have_no_cells(text: str) -> None:
    assert table_cells(Line(Span(0, len(text)), text)) == ()


@pytest.mark.parametrize(
    "text",
    ["{criterion}", "{{x}} - {{y}}", "[Criterion 1]", "AC1: [text]", "TBD", "...", "", "**N/A**"],
)
def test_an_unfilled_gap_is_a_placeholder(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize("text", ["{role} can log in", "[a](b)", "AC1: works", "todo list works"])
def test_a_sentence_is_no_placeholder(text: str) -> None:
    assert not is_placeholder(text)


@given(st.text())
def test_any_line_gives_places_inside_it(text: str) -> None:
    line = Line(Span(5, 5 + len(text)), text)
    item = parse_list_item(line)
    if item:
        assert line.span.start <= item.span.start <= item.span.end <= line.span.end
        assert item.span.start <= item.body.start <= item.body.end <= item.span.end
    for cell in table_cells(line):
        assert text[cell.span.start - 5 : cell.span.end - 5] == cell.value
