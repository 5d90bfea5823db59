"""The Markdown that a ``constitution`` file is made from, ``.aiox-core/constitution.md``.

Articles are headings ``### IV. No Invention (MUST)``; their rules are list items that begin with a
level, ``- MUST NOT: …``. Where no item of an article has a level, every item of it is a rule. Items
nested below a rule are its points: the reference's generator loses both these and rules without a
level.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from synapse_ls.formats import markdown
from synapse_ls.formats.constitution import from_roman, split_severity
from synapse_ls.formats.lists import Item, blocks
from synapse_ls.formats.problem import Parsed
from synapse_ls.text.span import Span

LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "EXCEPTION")

_HEADING = re.compile(
    r"(?:Art(?:\.|icle|igo)?\s*)?(?P<number>[IVXLC]{1,8}|[0-9]{1,4})\s*[.:—–-]\s*(?P<title>\S.*)$"
)
_LEVEL = re.compile(rf"(?:{'|'.join(sorted(LEVELS, key=len, reverse=True))})\s*:\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class SourceRule:
    """One rule: its own words with the level, without emphasis, and the points nested below it."""

    text: str
    points: tuple[str, ...]
    span: Span

    @property
    def line(self) -> str:
        """The rule on one line, its points after it: ``"MUST: Trace to: a need; a limit"``."""
        return f"{self.text} {'; '.join(self.points)}".rstrip()


@dataclass(frozen=True, slots=True)
class SourceArticle:
    """An article as the source has it; ``title`` is without the severity, ``span`` is the heading."""

    number: int
    title: str
    severity: str
    rules: tuple[SourceRule, ...]
    span: Span

    @property
    def heading(self) -> str:
        """Title and severity: ``"No Invention (MUST)"``."""
        return f"{self.title} ({self.severity})"


@dataclass(frozen=True, slots=True)
class ConstitutionSource:
    """The articles of a source, in its order."""

    articles: tuple[SourceArticle, ...]


def parse(text: str) -> Parsed[ConstitutionSource]:
    """Read a source. It has no problems of its own: what is no article is prose."""
    outline = markdown.outline(text)
    found: list[SourceArticle] = []
    for section in outline.sections:
        heading = _HEADING.match(section.title.value)
        title, severity = split_severity(heading["title"].strip()) if heading else ("", "")
        if heading and severity:
            number = from_roman(heading["number"])
            rules = tuple(_rules(_items(outline.under(section))))
            found.append(SourceArticle(number, title, severity, rules, section.title.span))
    return Parsed(ConstitutionSource(tuple(found)), ())


def _items(sections: Iterable[markdown.Section]) -> list[Item]:
    """The list items of an article, with those below its sub-headings."""
    lines = (line for section in sections for line in section.lines)
    return [block for block in blocks(lines) if isinstance(block, Item) and block.text]


def _rules(items: list[Item]) -> Iterator[SourceRule]:
    labelled = any(_LEVEL.match(_plain(item.text)) for item in items)
    rule: Item | None = None
    points: list[Item] = []
    for item in items:
        if rule and item.indent > rule.indent:
            points.append(item)
            continue
        if rule:
            yield _rule(rule, points)
        is_rule = not labelled or _LEVEL.match(_plain(item.text))
        rule, points = item if is_rule else None, []
    if rule:
        yield _rule(rule, points)


def _rule(rule: Item, points: list[Item]) -> SourceRule:
    end = points[-1].span.end if points else rule.span.end
    told = tuple(_plain(point.text) for point in points)
    return SourceRule(_plain(rule.text), told, Span(rule.span.start, end))


def _plain(text: str) -> str:
    """Without back-ticks and bold marks, on one line."""
    return " ".join(text.replace("`", "").replace("**", "").split())
