"""This module parses the Markdown that a ``constitution`` file is generated from,
``.aiox-core/constitution.md``.

Articles are headings ``### IV. No Invention (MUST)``; their rules are list items that begin with a
level, ``- MUST NOT: …``. Where no item of an article has a level, every item of it is a rule. Items
nested below a rule are its points: the reference's generator loses both these and rules without a
level. It also has no place for an article's tables and its gate, ``**Gate:** `pre-push.md` - BLOCK
…``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from synapse_ls.formats import markdown_outline
from synapse_ls.formats.constitution_file import from_roman, split_severity
from synapse_ls.formats.markdown_lists import ListItem, parse_blocks, table_cells
from synapse_ls.text.parse_result import ParseResult, Text
from synapse_ls.text.span import Span

LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "EXCEPTION")

_HEADING = re.compile(
    r"(?:Art(?:\.|icle|igo)?\s*)?(?P<number>[IVXLC]{1,8}|[0-9]{1,4})\s*[.:—–-]\s*(?P<title>\S.*)$"
)
_LETTER = re.compile(r"[A-Z]\s*[.:—–]\s*\S")
_UNRATED = re.compile(r"(?:[IVXLC]{1,8}|Art(?:\.|icle|igo)?\s*[0-9IVXLC]{1,8})\s*[.:—–-]\s*(?=\S)")
_GATE = re.compile(r"\*\*Gate:?\*\*:?\s*(?=\S)", re.IGNORECASE)
_LEVEL = re.compile(rf"(?:{'|'.join(sorted(LEVELS, key=len, reverse=True))})\s*:\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class SourceRule:
    """A SourceRule is one rule of the constitution's Markdown source: its own words with the level,
    and the points nested below it.

    ``text`` and ``points`` are without back-ticks and emphasis; ``written`` is all of it on one
    line, with back-ticks. ``is_part`` is set for the title of a part of the article, such as
    ``IV-A. …``.
    """

    text: str
    points: tuple[str, ...]
    markdown_line: str
    span: Span
    is_part: bool = False

    @property
    def plain_line(self) -> str:
        """Returns the rule on one line, its points after it: ``"MUST: Trace to: a need; a limit"``."""
        return f"{self.text} {'; '.join(self.points)}".rstrip()


@dataclass(frozen=True, slots=True)
class SourceArticle:
    """An article of the constitution's Markdown source is a SourceArticle; ``title`` is without the
    severity, ``span`` is the heading.

    ``extras`` are its tables and its gate.
    """

    number: int
    title: str
    severity: str
    rules: tuple[SourceRule, ...]
    extras: tuple[SourceRule, ...]
    span: Span

    @property
    def heading(self) -> str:
        """Returns title and severity: ``"No Invention (MUST)"``."""
        return f"{self.title} ({self.severity})"


@dataclass(frozen=True, slots=True)
class ConstitutionSource:
    """A ConstitutionSource has the articles of a constitution's Markdown source, in its order.

    ``unrated`` are headings with a numeral and no severity: no articles, so nobody is told them.
    """

    articles: tuple[SourceArticle, ...]
    unrated: tuple[Text, ...] = ()


def parse(text: str) -> ParseResult[ConstitutionSource]:
    """Parses the Markdown source of a constitution. It has no problems of its own: what is no
    article is prose.

    An article with a letter, such as ``IV-A``, is a part of the one before it: keys have no letters.
    """
    outline = markdown_outline.parse_outline(text)
    found: list[SourceArticle] = []
    unrated: list[Text] = []
    for section in outline.sections:
        heading = _HEADING.match(section.title.value)
        title, severity = split_severity(heading["title"].strip()) if heading else ("", "")
        if heading and severity:
            letter = _LETTER.match(heading["title"])
            number = from_roman(heading["number"])
            under = tuple(outline.with_subsections(section))
            rules, extras = (
                tuple(_article_rules(_article_items(under))),
                tuple(_article_extras(under)),
            )
            if letter and found and found[-1].number == number:
                heading_rule = SourceRule(
                    _strip_markdown(section.title.value),
                    (),
                    _strip_bold(section.title.value),
                    section.title.span,
                    is_part=True,
                )
                found[-1] = replace(
                    found[-1],
                    rules=(*found[-1].rules, heading_rule, *rules),
                    extras=(*found[-1].extras, *extras),
                )
                continue
            found.append(SourceArticle(number, title, severity, rules, extras, section.title.span))
        elif section.level < markdown_outline.LABEL_LEVEL and _UNRATED.match(section.title.value):
            unrated.append(section.title)
    return ParseResult(ConstitutionSource(tuple(found), tuple(unrated)), ())


def _article_items(sections: Iterable[markdown_outline.Section]) -> list[ListItem]:
    """Returns the list items of an article, with those below its sub-headings."""
    lines = (line for section in sections for line in section.lines)
    return [block for block in parse_blocks(lines) if isinstance(block, ListItem) and block.text]


def _article_rules(items: list[ListItem]) -> Iterator[SourceRule]:
    labelled = any(_LEVEL.match(_strip_markdown(item.text)) for item in items)
    rule: ListItem | None = None
    points: list[ListItem] = []
    for item in items:
        if rule and item.indent > rule.indent:
            points.append(item)
            continue
        if rule:
            yield _build_rule(rule, points)
        is_rule = not labelled or _LEVEL.match(_strip_markdown(item.text))
        rule, points = item if is_rule else None, []
    if rule:
        yield _build_rule(rule, points)


def _build_rule(rule: ListItem, points: list[ListItem]) -> SourceRule:
    end = points[-1].span.end if points else rule.span.end
    told = tuple(_strip_markdown(point.text) for point in points)
    written = f"{_strip_bold(rule.text)} {'; '.join(_strip_bold(point.text) for point in points)}"
    return SourceRule(
        _strip_markdown(rule.text), told, written.rstrip(), Span(rule.span.start, end)
    )


def _article_extras(sections: Iterable[markdown_outline.Section]) -> Iterator[SourceRule]:
    """Yields the tables of an article, each on one line under its heading, and its gates, in order."""
    for section in sections:
        rows: list[tuple[markdown_outline.Line, str]] = []
        heading = (
            section.title.value.strip(" :*")
            if section.level == markdown_outline.LABEL_LEVEL
            else ""
        )
        lines = [line for line in section.lines if line.fence is None]
        for line in (*lines, None):
            said = line.text.strip() if line is not None else ""
            row = table_cells(line) if line is not None else ()
            if line is not None and row:
                rows.append((line, " — ".join(_strip_bold(cell.value) for cell in row)))
            if said.startswith("|"):
                continue
            if len(rows) > 1:  # the first one names the columns
                text = f"{heading or rows[0][1]}: {'; '.join(told for _, told in rows[1:])}"
                span = Span(rows[0][0].span.start, rows[-1][0].span.end)
                yield SourceRule(_strip_markdown(text), (), text, span)
            rows = []
            gate = _GATE.match(said)
            if line is not None and gate:
                text = f"GATE: {_strip_bold(said[gate.end() :])}"
                yield SourceRule(_strip_markdown(text), (), text, line.span)


def _strip_markdown(text: str) -> str:
    """Returns a text without back-ticks and bold marks, on one line."""
    return " ".join(text.replace("`", "").replace("**", "").split())


def _strip_bold(text: str) -> str:
    """Returns a text without bold marks, on one line."""
    return " ".join(text.replace("**", "").split())
