"""The lines of a file that a finding is about, with a mark below."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.cli.console import visible
from synapse_ls.cli.table import width

if TYPE_CHECKING:
    from synapse_ls.text.lines import LineIndex
    from synapse_ls.text.span import Span

WIDTH = 96
"""Columns of source that are shown of a line."""

_AROUND = 24  # characters of a long line that stay before the mark
_LINES = 3  # of a mark that is longer, the first and the last line are shown
_TAB = 4
_GAP = "…"


class Row(NamedTuple):
    """A line. ``margin``: its number, or a gap. ``carets``: what stands below it, "" for nothing."""

    margin: str
    source: str
    carets: str = ""


def frame(lines: LineIndex, text: str, span: Span) -> Iterator[Row]:
    """The lines of ``span`` in a text; none where there is nothing to be seen of it."""
    first, last = lines.line_of(span.start), lines.line_of(max(span.start, span.end - 1))
    if not text or not (lines.line_span(last).end > lines.line_span(first).start):
        return
    margin = len(str(last + 1))
    numbers = range(first, last + 1)
    for number in numbers if len(numbers) <= _LINES else (first, last):
        line = lines.line_span(number)
        start = max(span.start, line.start) - line.start
        end = max(start, min(span.end, line.end) - line.start)
        yield Row(f"{number + 1:>{margin}}", *_marked(line.cut(text), start, end))
        if number == first and len(numbers) > _LINES:
            yield Row(f"{_GAP:>{margin}}", "")


def _marked(line: str, start: int, end: int) -> tuple[str, str]:
    """A line as a terminal shows it, and the carets below the characters from start to end."""
    cut = 0
    if len(line) > WIDTH:
        cut = max(0, min(start - _AROUND, len(line) - WIDTH))
    window = line[cut : cut + WIDTH]
    before, marked = window[: start - cut], window[start - cut : end - cut]
    behind = window[len(before) + len(marked) :]
    lead = _GAP if cut else ""
    tail = _GAP if cut + WIDTH < len(line) else ""
    shown = [_plain(part) for part in (before, marked, behind)]
    source = f"{lead}{''.join(shown)}{tail}"
    carets = " " * (len(lead) + width(shown[0])) + "^" * max(1, width(shown[1]))
    return source, carets


def _plain(text: str) -> str:
    """A text in which every character has the width that is counted with."""
    return visible(text.replace("\t", " " * _TAB))
