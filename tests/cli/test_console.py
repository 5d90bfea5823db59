from __future__ import annotations

import io
import json

import pytest

from synapse_ls.cli.console import (
    Console,
    Part,
    Styled,
    align_columns,
    cell_width,
    escape_controls,
    part_text,
)


def written(color: str = "auto", **more: bool) -> tuple[Console, io.TextIOWrapper]:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    return Console(out, out, color=color, **more), out


def text(out: io.TextIOWrapper) -> str:
    out.flush()
    out.seek(0)
    return out.read()


def test_nothing_is_painted_where_nobody_looks() -> None:
    console, out = written()
    console.line(Styled("red", "bad"), " and plain")
    assert text(out) == "red and plain\n"


def test_a_block_ends_with_a_line_break_on_a_terminal_alone() -> None:
    console, out = written()
    console.write("block")
    assert text(out) == "block"
    looked_at = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    looked_at.isatty = lambda: True  # type: ignore[method-assign]
    Console(looked_at, looked_at, color="never").write("block")
    assert text(looked_at) == "block\n"


def test_a_note_begins_a_line_where_it_follows_a_block_without_an_end() -> None:
    console, out = written()
    console.write("block")
    console.note("late")
    assert text(out) == "block\nnote: late\n"


def test_a_note_that_goes_elsewhere_leaves_the_block_as_it_is() -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    console = Console(out, io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    console.write("block")
    console.note("late")
    assert text(out) == "block"


def test_paint_can_be_demanded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    console, out = written("always")
    console.line(Styled("red", "bad"), " and plain")
    assert text(out) == "\x1b[1;31mred\x1b[0m and plain\n"


@pytest.mark.parametrize(
    ("variables", "is_painted"),
    [
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_the_environment_may_ask_for_paint_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], is_painted: bool
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    console, out = written()
    console.line(Styled("red", "bad"))
    assert ("\x1b[" in text(out)) is is_painted


def test_markup_of_rich_is_plain_text() -> None:
    console, out = written("always")
    console.line("[bold]x[/bold] :smile: 42")
    assert text(out) == "[bold]x[/bold] :smile: 42\n"


def test_what_could_steer_a_terminal_is_made_visible() -> None:
    assert escape_controls("a\x1b[2Jb\u202ec\r\nd\x85") == "a\\x1b[2Jb\\u202ec\\r\\nd\\x85"


def test_nor_does_a_page_that_is_written_as_it_is_steer_one() -> None:
    page = "a\tb\n\x1b[2Jc \u202ed\x07\n"
    console, out = written()
    console.write(page)
    assert text(out) == page  # a program reads it
    console, out = written("always")
    console.write(page)
    assert text(out) == "a\tb\n\\x1b[2Jc \\u202ed\\x07\n"


@pytest.mark.parametrize(
    "value", ["\x7f", "\x9b31m", "\u202e\u2066", "\u2028", "\U000e0041", "\ufeff"]
)
def test_json_means_the_same_and_holds_nothing_that_steers_a_terminal(value: str) -> None:
    console, out = written()
    console.json({value: [f"a{value}b\x1b"]})
    assert escape_controls(text(out).replace("\n", "")) == text(out).replace("\n", "")
    assert json.loads(text(out)) == {value: [f"a{value}b\x1b"]}


def test_scripts_and_emoji_are_left_alone_in_json() -> None:
    console, out = written()
    console.json("naïve 日本語 👩\u200d💻", indent=None)
    assert text(out) == '"naïve 日本語 👩\u200d💻"\n'


def test_scripts_and_emoji_are_left_alone() -> None:
    kept = "naïve 日本語 👩\u200d💻\xa0ü"
    assert escape_controls(kept) == kept


def test_an_unpaired_surrogate_can_be_written() -> None:
    console, out = written()
    console.write("x\udcffy")
    assert text(out) == "x\\udcffy"


def test_notes_are_silent_on_demand_and_errors_are_not() -> None:
    console, out = written(quiet=True)
    console.note("odd")
    console.error("Wrong.", "Do it right.")
    assert text(out) == "error: Wrong.\n  remedy: Do it right.\n"


def test_json_has_what_could_steer_a_terminal_as_its_own_escapes() -> None:
    console, out = written()
    value = {"a": "b\x9b31m \N{RIGHT-TO-LEFT OVERRIDE}c \x7f é 日 \N{ZERO WIDTH JOINER}\u2028"}
    console.json(value)
    assert json.loads(text(out)) == value
    shown = text(out).replace("\n", "").replace("\N{ZERO WIDTH JOINER}", "")
    assert shown.isprintable() and "é 日" in shown


def test_a_closed_stream_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", None)
    console = Console()
    console.line("x")
    console.json({})
    console.error("y")
    console.flush()


def test_columns_align_by_what_a_terminal_shows() -> None:
    rows: list[list[Part]] = [["日本", "1"], ["e\u0301té", "22"], ["abcdef", Styled("333", "dim")]]
    lines = ["".join(map(part_text, line)) for line in align_columns(rows, right_aligned={1})]
    assert lines == ["日本      1", "e\u0301té      22", "abcdef  333"]


@pytest.mark.parametrize(("shown", "cells"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("", 0)])
def test_the_width_of_a_text(shown: str, cells: int) -> None:
    assert cell_width(shown) == cells
