"""This module parses Markdown lists, check boxes and tables as task and story files use them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from synapse_ls.formats.colon_fields import parse_field
from synapse_ls.formats.markdown_outline import Line
from synapse_ls.text.parse_result import Text
from synapse_ls.text.span import Span

_ITEM = re.compile(
    r"([ \t]*)([-*+]|[0-9]{1,9}[.)])(?=[ \t]|$)"
    r"[ \t]*(?:\\?\[([ xX~✓✔✅☑-]?)\\?\](?=[ \t]|$))?"
)
_PLACEHOLDER = re.compile(
    r"(?:\{+[^{}]*\}+|<[^<>]*>|\[[^\[\]]*\]|[\s.…_-])*|tbd|todo|n/a|none|nenhum", re.IGNORECASE
)
_LABEL = re.compile(r"(?:AC|Criterion|Criteria)?[ -]?[0-9.]*\**[:.)]?\**[ \t]*", re.IGNORECASE)
_CHECKED = frozenset("xX✓✔✅☑")
_TABLE_OR_QUOTE = ("|", ">")
TAGS = re.compile(r"(?:</?[A-Za-z][\w-]*>\s*)+")
"""A line of tags alone, as they enclose parts of a prompt."""


@dataclass(frozen=True, slots=True)
class CheckItem:
    """A CheckItem is one condition or criterion in a Markdown list; ``blocker`` is ``None`` where
    the file does not say.
    """

    text: str
    checked: bool
    blocker: bool | None
    span: Span


@dataclass(frozen=True, slots=True)
class ListItem:
    """A ListItem is an item of a Markdown list with the lines that continue it; ``checked`` is
    ``None`` without a check box.

    ``indent`` counts columns (a tab goes to the next multiple of four); ``body`` is the place of
    ``text``, without marker and check box.
    """

    indent: int
    numbered: bool
    checked: bool | None
    text: str
    span: Span
    body: Span

    def to_check_item(self, text: str = "", blocker: bool | None = None) -> CheckItem:
        """Returns the item as a condition, in other words if ``text`` is given."""
        return CheckItem(text or self.text, bool(self.checked), blocker, self.span)


def parse_list_item(line: Line) -> ListItem | None:
    """Returns the item of a Markdown list that begins on a line, without the lines that may
    continue it; None for any other line.
    """
    found = _ITEM.match(line.text)
    if not found:
        return None
    indent, marker, box = found.groups()
    rest = line.text[found.end() :]
    start = line.span.start + found.end() + len(rest) - len(rest.lstrip())
    text = rest.strip()
    body = Span(start, start + len(text)) if text else Span(line.span.end, line.span.end)
    return ListItem(
        len(indent.expandtabs(4)),
        marker[0].isdigit(),
        None if box is None else box in _CHECKED,
        text,
        Span(line.span.start + len(indent), body.end),
        body,
    )


def parse_blocks(lines: Iterable[Line]) -> Iterator[ListItem | Line]:
    """Yields the items of Markdown lists with the lines that continue them; any other line that is
    not blank as it is.

    Fenced lines belong to no item.
    """
    item: ListItem | None = None
    more: list[Line] = []
    for line in lines:
        text = line.text.strip()
        begun = parse_list_item(line) if line.fence is None else None
        plain = bool(text) and line.fence is None and not begun
        if item and plain and not _ends_item(text):
            more.append(line)
            continue
        if item:
            yield _join_lines(item, more)
        item, more = begun, []
        if text and not begun:
            yield line
    if item:
        yield _join_lines(item, more)


def _ends_item(text: str) -> bool:
    """Tells whether a line below an item of a list is surely no part of it."""
    return bool(text.startswith(_TABLE_OR_QUOTE) or parse_field(text) or TAGS.fullmatch(text))


def _join_lines(item: ListItem, more: list[Line]) -> ListItem:
    if not more:
        return item
    text = " ".join([item.text, *(line.text.strip() for line in more)]).strip()
    end = more[-1].span.start + len(more[-1].text.rstrip())
    span, body = Span(item.span.start, end), Span(item.body.start, end)
    return ListItem(item.indent, item.numbered, item.checked, text, span, body)


def table_cells(line: Line) -> tuple[Text, ...]:
    """Returns the cells of a row of a Markdown table; empty for any other line and for the row of
    dashes.
    """
    text = line.text.strip()
    if line.fence is not None or len(text) < 2 or text[0] != "|" or not text.strip("|-: \t"):
        return ()
    found: list[Text] = []
    start = line.span.start + line.text.index("|") + 1
    for cell in text[1:].removesuffix("|").split("|"):
        begin = start + len(cell) - len(cell.lstrip())
        value = cell.strip()
        found.append(Text(value, Span(begin, begin + len(value))))
        start += len(cell) + 1
    return tuple(found)


def is_placeholder(text: str) -> bool:
    """Returns whether a list item of a task or story is an unfilled gap of its template:
    ``{criterion}``, ``[Criterion 1]``, ``TBD`` …
    """
    bare = text.strip().strip("*`").strip()
    label = _LABEL.match(bare)
    return bool(_PLACEHOLDER.fullmatch(bare, label.end() if label else 0))
