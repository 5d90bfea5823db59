"""``_index.md``: what a folder of the long-term memory is about (Brainiac Context Ordering).

A summary, a list of the folder's files with a word on each, and memories elsewhere that have to do
with it, by their ids. Summaries are what a memory is found by without being read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats.brainiac.headings import Line, forgeries, lines, plain
from synapse_ls.formats.brainiac.links import forged, links
from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.text import front_matter
from synapse_ls.text.span import Span

_ITEM = re.compile(r"[ \t]*[-*+][ \t]+")
_NAMED = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*|([^\s:*`\[\]()|]+(?:/|\.md))(?=[\s:,)]|$)")
_ABOUT = re.compile(r"[ \t]*(?:[-–—:|]|→)[ \t]*|[ \t]+")
_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_RELATED = ("related memories", "related", "memorias relacionadas")
_SUFFIX = ".md"


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A file or a folder of the folder, as it is written, and what is said about it."""

    path: Text
    about: str
    line: int


@dataclass(frozen=True, slots=True)
class MemoryIndex:
    """An index: ``summary`` is its prose before the first list, ``related`` are ids of memories."""

    text: str
    title: str
    summary: str
    entries: tuple[IndexEntry, ...]
    related: tuple[Text, ...]
    links: tuple[Text, ...]


def parse(text: str) -> Parsed[MemoryIndex]:
    """Read an index; anything else that stands in it is nobody's business. Never raises.

    Problem kinds: ``forged-heading``.
    """
    source, text = text, without(text, Comments.MARKUP)
    front = front_matter.split(text)
    found = [line for line in lines(text) if front is None or line.span.start >= front.body]
    title = ""
    summary: list[str] = []
    entries: list[IndexEntry] = []
    related: list[Text] = []
    heading = ""
    for line in found:
        if line.fenced or line.underline:
            continue
        if line.level:
            heading = plain(line.title)
            title = title or line.title
            continue
        item = _ITEM.match(line.text)
        if heading in _RELATED:
            related += (
                Text(id.group(), Span(*id.span()).shift(line.span.start))
                for id in _UUID.finditer(line.text)
            )
        elif item:
            entries += _entry(line, item.end())
        elif not entries and line.text.strip() and line.text.strip("-* \t"):
            summary.append(line.text.strip())
    problems: tuple[Problem, ...] = tuple(forged(forgeries(text, memories=True), text))
    document = MemoryIndex(
        source,
        title,
        " ".join(summary),
        tuple(entries),
        tuple(related),
        tuple(links(found)),
    )
    return Parsed(document, problems)


def _entry(line: Line, at: int) -> Iterator[IndexEntry]:
    """The file that an item of a list begins with."""
    linked = next(iter(links((line,))), None)
    if linked is not None:
        close = line.text.find(")", linked.span.end - line.span.start)
        yield IndexEntry(linked, _about(line.text, close + 1), line.number)
        return
    named = _NAMED.match(line.text, at)
    if named is None:
        return
    which = next(group for group in (1, 2, 3) if named[group] is not None)
    name = named[which].strip()
    if not name.endswith((_SUFFIX, "/")):
        return
    start = line.span.start + named.start(which)
    yield IndexEntry(
        Text(name, Span(start, start + len(named[which]))),
        _about(line.text, named.end()),
        line.number,
    )


def _about(line: str, at: int) -> str:
    gap = _ABOUT.match(line, at)
    return line[gap.end() if gap else at :].strip()
