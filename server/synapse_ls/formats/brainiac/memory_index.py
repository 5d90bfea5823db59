"""This module parses ``_index.md``, which says what a folder of the long-term memory is about
(Brainiac Context Ordering).

A summary, a list of the folder's files with a word on each, and memories elsewhere that have to do
with it, by their ids. Summaries are what a memory is found by without being read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats.brainiac.markdown_links import find_links
from synapse_ls.formats.brainiac.reserved_headings import (
    MarkdownLine,
    find_forgeries,
    forged_heading_problems,
    normalize_title,
    parse_lines,
)
from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives
from synapse_ls.text import front_matter
from synapse_ls.text.parse_result import ParseResult, Problem, Text
from synapse_ls.text.span import Span

_ITEM = re.compile(r"[ \t]*[-*+][ \t]+")
_ENTRY_NAME = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*|([^\s:*`\[\]()|]+(?:/|\.md))(?=[\s:,)]|$)")
_ABOUT_SEPARATOR = re.compile(r"[ \t]*(?:[-–—:|]|→)[ \t]*|[ \t]+")
_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_RELATED = ("related memories", "related", "memorias relacionadas")
_SUFFIX = ".md"


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """An IndexEntry is a file or a folder that an ``_index.md`` lists, as it is written, and what
    is said about it.
    """

    path: Text
    about: str
    line: int


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """A MemoryIndex is a parsed ``_index.md``: ``summary`` is its prose before the first list,
    ``related`` are ids of memories.
    """

    text: str
    title: str
    summary: str
    entries: tuple[IndexEntry, ...]
    related: tuple[Text, ...]
    links: tuple[Text, ...]


def parse(text: str) -> ParseResult[MemoryIndex]:
    """Parses an ``_index.md``; anything else that stands in it is ignored. Never raises.

    Problem kinds: ``forged-heading``.
    """
    source, text = text, blank_directives(text, CommentStyle.MARKUP)
    front = front_matter.parse_front_matter(text)
    found = [line for line in parse_lines(text) if front is None or line.span.start >= front.body]
    title = ""
    summary: list[str] = []
    entries: list[IndexEntry] = []
    related: list[Text] = []
    heading = ""
    for line in found:
        if line.fenced or line.underline:
            continue
        if line.level:
            heading = normalize_title(line.title)
            title = title or line.title
            continue
        item = _ITEM.match(line.text)
        if heading in _RELATED:
            related += (
                Text(id.group(), Span(*id.span()).shift(line.span.start))
                for id in _UUID.finditer(line.text)
            )
        elif item:
            entries += _parse_entry(line, item.end())
        elif not entries and line.text.strip() and line.text.strip("-* \t"):
            summary.append(line.text.strip())
    problems: tuple[Problem, ...] = tuple(
        forged_heading_problems(find_forgeries(text, memories=True), text)
    )
    document = MemoryIndex(
        source,
        title,
        " ".join(summary),
        tuple(entries),
        tuple(related),
        tuple(find_links(found)),
    )
    return ParseResult(document, problems)


def _parse_entry(line: MarkdownLine, at: int) -> Iterator[IndexEntry]:
    """Yields the file that an item of a list begins with, or nothing."""
    linked = next(iter(find_links((line,))), None)
    if linked is not None:
        close = line.text.find(")", linked.span.end - line.span.start)
        yield IndexEntry(linked, _text_after_entry(line.text, close + 1), line.number)
        return
    named = _ENTRY_NAME.match(line.text, at)
    if named is None:
        return
    which = next(group for group in (1, 2, 3) if named[group] is not None)
    name = named[which].strip()
    if not name.endswith((_SUFFIX, "/")):
        return
    start = line.span.start + named.start(which)
    yield IndexEntry(
        Text(name, Span(start, start + len(named[which]))),
        _text_after_entry(line.text, named.end()),
        line.number,
    )


def _text_after_entry(line: str, at: int) -> str:
    gap = _ABOUT_SEPARATOR.match(line, at)
    return line[gap.end() if gap else at :].strip()
