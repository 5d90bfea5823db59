"""The bracket table in ``chati.dev/intelligence/context-engine.md`` (Chati Context Engine), row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats import markdown
from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.problem import Parsed, Text
from synapse_ls.text.span import Span

_ROW = re.compile(r"\|\s*\*{0,2}([A-Z]{3,20})\*{0,2}\s*\|\s*([^|\n]{1,40}?)\s*\|")
_RANGE = re.compile(r"(\d{1,3})\s*[-–—]\s*(\d{1,3})\s*%?")
_BELOW = re.compile(r"(?:<|less than|below)\s*(\d{1,3})\s*%?", re.IGNORECASE)
_ABOVE = re.compile(r"(?:>=?|≥|more than|above)\s*(\d{1,3})\s*%?", re.IGNORECASE)
_ARTICLES = re.compile(r"\bArticles\s+I\s*[-–—]\s*([IVXLCDM]+)\b")


@dataclass(frozen=True, slots=True)
class Range:
    """A bracket and the percentages it holds for; ``span`` is the place of the percentages."""

    name: str
    low: int
    high: int
    span: Span


@dataclass(frozen=True, slots=True)
class BracketTable:
    """``ranges`` in the order of the file; ``articles`` are the numerals of "Articles I-XVI"."""

    ranges: tuple[Range, ...]
    articles: tuple[Text, ...]


def parse(text: str) -> Parsed[BracketTable]:
    """Read the table. It has no problems of its own: see the rule about its gaps."""
    text = without(text, Comments.MARKUP)
    ranges: dict[str, Range] = {}
    for section in markdown.outline(text).sections:
        for line in section.lines:
            if line.fence is None:
                for found in _ranges(line):
                    ranges.setdefault(found.name, found)
    return Parsed(BracketTable(tuple(ranges.values()), article_ranges(text)), ())


def article_ranges(text: str) -> tuple[Text, ...]:
    """The last numeral of each "Articles I-XVI" in a text."""
    return tuple(Text(found.group(1), Span(*found.span(1))) for found in _ARTICLES.finditer(text))


def _ranges(line: markdown.Line) -> Iterator[Range]:
    row = _ROW.match(line.text.strip())
    if row is None:
        return
    written = row.group(2)
    start = line.span.start + line.text.index(row.group(0)) + row.start(2)
    span = Span(start, start + len(written))
    if found := _RANGE.fullmatch(written):
        low, high = sorted(map(int, found.groups()))
        yield Range(row.group(1), low, high, span)
    elif found := _BELOW.fullmatch(written):
        yield Range(row.group(1), 0, int(found.group(1)), span)
    elif found := _ABOVE.fullmatch(written):
        yield Range(row.group(1), int(found.group(1)), 100, span)
