"""This module reads plain text as rules: each line is one, and headings group them.

A line goes on with the one above it only where it is visibly wrapped: it is indented below a list
item or a label, or the one above is nearly as wide as the text gets, ends no sentence, and none
begins after it. The Markdown is that of people who write rules, not CommonMark: ``=== TITLE ===``
and ``GUARDRAILS_RULES:`` are headings too, and a line that opens with a label (``AUTH:``,
``Phase qa_review:``, ``Art. IV``, ``When context is FRESH``) begins a new rule.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from synapse_ls.formats.content_lines import DECORATION, ContentLine
from synapse_ls.formats.rule_syntax import BRACKETS
from synapse_ls.formats.wrapped_lines import (
    LIST_MARK,
    WRAP_COLUMNS,
    begins_sentence,
    column_count,
    ends_sentence,
)
from synapse_ls.text.span import Span

_WRAP_SLACK = 15
"""Columns that a wrapped line may be narrower than the widest: the word that did not fit."""

_GROUP = re.compile(r"[A-Z][A-Z0-9_]*(?: [A-Z0-9_]+)*")
_MAX_HEADING = 300
_UNDERLINE = re.compile(r"={3,}")
_ITEM = re.compile(
    r"(?:(?:[-*+]|[0-9]{1,9}[.)]|[a-z][.)])[ \t]+"
    rf"|{LIST_MARK.pattern})(?:\[[ xX]\][ \t]+)?(?=\S)"
)
"""What opens a list item, with the check box behind it."""
_QUOTE = re.compile(r"(?:>[ \t]+)+(?=[^\s\d>])")
"""What opens a quoted line; not ``> 90 % coverage``."""
_LABEL = re.compile(
    r"[A-Z][A-Z0-9_]+(?: [A-Z0-9_]+)*:\s"
    r"|[Pp]hase\s+[\w-]+\s*:"
    r"|A(?i:rt(?:\.|icle|igo)?)\s*(?:[IVXLC]+|[0-9]+)\b"
    r"|[Ww]hen\s+(?:the\s+)?context\s+is\b"
    rf"|[^:]{{0,60}}\b(?:{'|'.join(BRACKETS)})\b[^:]{{0,40}}:"
    r"|\|"
)


class Passage(NamedTuple):
    """A Passage is one rule of plain text: its lines joined by a space, its place, the heading
    above it.
    """

    text: str
    group: str
    line: int
    span: Span
    text_span: Span


class _OpenPassage(NamedTuple):
    """An _OpenPassage is the passage that is being read: the text of its lines so far, and
    whether it is a list item.
    """

    pieces: list[str]
    first: ContentLine
    start: int
    is_item: bool


def find_passages(
    text: str,
    lines: Iterable[ContentLine],
    *,
    join_lines: bool = True,
    comment_lines: Collection[int] = (),
) -> list[Passage]:
    """Returns the rules in ``lines`` of ``text``.

    join_lines: without it every line is a rule of its own. comment_lines: the numbers of lines
    that were blanked and separate nothing.
    """
    found: list[Passage] = []
    group = ""
    current: _OpenPassage | None = None
    previous: ContentLine | None = None

    def close() -> None:
        nonlocal current
        if current is not None and previous is not None:
            found.append(
                Passage(
                    " ".join(current.pieces),
                    group,
                    current.first.number,
                    Span(current.first.start, previous.end),
                    Span(current.start, previous.body.end),
                )
            )
        current = None

    unfenced = [line for line in lines if not line.fenced]
    comments = _comment_block_lines(text, unfenced)
    wrapped = _wrapped_lines(text, unfenced) if join_lines else frozenset()
    for line in unfenced:
        body = line.body.cut(text)
        heading = _heading_title(body)
        if line.number in comments:
            close()
        elif heading:
            close()
            group = heading
        elif body[0] == "#" or DECORATION.fullmatch(body):
            if current and previous and join_lines and _is_underline(line, body, current, previous):
                group, current = current.pieces[0], None
            close()
        elif (
            current
            and previous
            and join_lines
            and _is_next(line, previous, comment_lines)
            and _is_continuation(line, body, current, previous, wrapped)
        ):
            current.pieces.append(body[_quote_length(body) :])
        else:
            close()
            skip = _quote_length(body)
            item = _ITEM.match(body, skip)
            skip = item.end() if item else skip
            current = _OpenPassage([body[skip:]], line, line.body.start + skip, item is not None)
        previous = line
    close()
    return found


def _quote_length(body: str) -> int:
    """Returns the length of the mark that opens a quoted line, 0 for any other line."""
    quote = _QUOTE.match(body)
    return quote.end() if quote else 0


def _heading_title(body: str) -> str:
    """Returns the title, if the line is a heading, else ""."""
    title = ""
    if len(body) > _MAX_HEADING:
        return title
    if body[0] == "#":
        title = body.strip("# \t") if _heading_level(body) else ""
    elif body.startswith("==") and body.endswith("=="):
        title = body.strip("= \t")
    elif body[-1] == ":" and _GROUP.fullmatch(body, 0, len(body) - 1):
        title = body[:-1].removesuffix("_RULES")
    return title if any(map(str.isalnum, title)) else ""


def _heading_level(body: str) -> int:
    """Returns how many ``#`` open a Markdown heading; 0 for ``#comment`` and all else."""
    signs = len(body) - len(body.lstrip("#"))
    return signs if signs <= 6 and body[signs : signs + 1].isspace() else 0


def _comment_block_lines(text: str, lines: Iterable[ContentLine]) -> set[int]:
    """Returns the lines of blocks of two or more ``# …`` lines: a file's header, not headings.

    A ``## …`` below one of them is a heading all the same.
    """
    found: set[int] = set()
    before = -2
    for line in lines:
        if text[line.body.start] != "#" or _heading_level(line.body.cut(text)) > 1:
            continue
        if before == line.number - 1:
            found |= {before, line.number}
        before = line.number
    return found


def _is_underline(
    line: ContentLine, body: str, current: _OpenPassage, previous: ContentLine
) -> bool:
    """Returns whether the line makes a heading of the one above it (CommonMark 4.3, with ``=``
    only).
    """
    return (
        _UNDERLINE.fullmatch(body) is not None
        and line.number == previous.number + 1
        and len(current.pieces) == 1
        and not current.is_item
    )


def _is_continuation(
    line: ContentLine,
    body: str,
    current: _OpenPassage,
    previous: ContentLine,
    wrapped: frozenset[int],
) -> bool:
    """Returns whether the line carries on the passage above it: indented under an item or a label, or
    what a wrapped line left over.
    """
    if _ITEM.match(body):
        return False
    hangs = current.is_item or _is_labelled(current.pieces[0])
    if hangs and line.body.start > line.start:
        return True
    return previous.number in wrapped and not _is_labelled(body) and not begins_sentence(body)


def _is_next(line: ContentLine, previous: ContentLine, comment_lines: Collection[int]) -> bool:
    between = range(previous.number + 1, line.number)
    return all(number in comment_lines for number in between)


def _is_labelled(body: str) -> bool:
    return _LABEL.match(body, 0, _MAX_HEADING) is not None


def _wrapped_lines(text: str, lines: Sequence[ContentLine]) -> frozenset[int]:
    """Returns the numbers of the lines that look as if an editor broke them at its margin."""
    widths = {
        line.number: width
        for line in lines
        if (width := column_count(text[line.start : line.body.end])) >= WRAP_COLUMNS
        and not ends_sentence(line.body.cut(text))
    }
    least = max(widths.values(), default=0) - _WRAP_SLACK
    return frozenset(number for number, width in widths.items() if width >= least)
