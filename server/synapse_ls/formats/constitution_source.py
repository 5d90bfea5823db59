"""The Markdown that a ``constitution`` file is made from, ``.aiox-core/constitution.md``.

Articles are headings ``### IV. No Invention (MUST)``; their rules are list items that begin with a
level, ``- MUST NOT: …``. Where no item of an article has a level, every item of it is a rule. Items
nested below a rule are its points: the reference's generator loses both these and rules without a
level. It has no place for what else an article says in a form that can be told, either: its tables, and
its gate, ``**Gate:** `pre-push.md` - BLOCK …``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from synapse_ls.formats import markdown
from synapse_ls.formats.constitution import from_roman, split_severity
from synapse_ls.formats.lists import Item, blocks, cells
from synapse_ls.formats.problem import Parsed, Text
from synapse_ls.text.span import Span

LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "EXCEPTION")

_HEADING = re.compile(
    r"(?:Art(?:\.|icle|igo)?\s*)?(?P<number>[IVXLC]{1,8}|[0-9]{1,4})\s*[.:—–-]\s*(?P<title>\S.*)$"
)
_UNRATED = re.compile(r"(?:[IVXLC]{1,8}|Art(?:\.|icle|igo)?\s*[0-9IVXLC]{1,8})\s*[.:—–-]\s*(?=\S)")
_GATE = re.compile(r"\*\*Gate:?\*\*:?\s*(?=\S)", re.IGNORECASE)
_LEVEL = re.compile(rf"(?:{'|'.join(sorted(LEVELS, key=len, reverse=True))})\s*:\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class SourceRule:
    """One rule: its own words with the level, and the points nested below it.

    ``text`` and ``points`` are without back-ticks and emphasis; ``written`` is all of it on one line,
    with back-ticks.
    """

    text: str
    points: tuple[str, ...]
    written: str
    span: Span

    @property
    def line(self) -> str:
        """The rule on one line, its points after it: ``"MUST: Trace to: a need; a limit"``."""
        return f"{self.text} {'; '.join(self.points)}".rstrip()


@dataclass(frozen=True, slots=True)
class SourceArticle:
    """An article as the source has it; ``title`` is without the severity, ``span`` is the heading.

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
        """Title and severity: ``"No Invention (MUST)"``."""
        return f"{self.title} ({self.severity})"


@dataclass(frozen=True, slots=True)
class ConstitutionSource:
    """The articles of a source, in its order.

    ``unrated`` are headings with a numeral and no severity: no articles, so nobody is told them.
    """

    articles: tuple[SourceArticle, ...]
    unrated: tuple[Text, ...] = ()


def parse(text: str) -> Parsed[ConstitutionSource]:
    """Read a source. It has no problems of its own: what is no article is prose."""
    outline = markdown.outline(text)
    found: list[SourceArticle] = []
    unrated: list[Text] = []
    for section in outline.sections:
        heading = _HEADING.match(section.title.value)
        title, severity = split_severity(heading["title"].strip()) if heading else ("", "")
        if heading and severity:
            number = from_roman(heading["number"])
            under = tuple(outline.under(section))
            rules, extras = tuple(_rules(_items(under))), tuple(_extras(under))
            found.append(SourceArticle(number, title, severity, rules, extras, section.title.span))
        elif section.level < markdown.LABEL_LEVEL and _UNRATED.match(section.title.value):
            unrated.append(section.title)
    return Parsed(ConstitutionSource(tuple(found), tuple(unrated)), ())


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
    written = f"{_one_line(rule.text)} {'; '.join(_one_line(point.text) for point in points)}"
    return SourceRule(_plain(rule.text), told, written.rstrip(), Span(rule.span.start, end))


def _extras(sections: Iterable[markdown.Section]) -> Iterator[SourceRule]:
    """The tables of an article, each on one line under its heading, and its gates, in order."""
    for section in sections:
        rows: list[tuple[markdown.Line, str]] = []
        heading = section.title.value.strip(" :*") if section.level == markdown.LABEL_LEVEL else ""
        lines = [line for line in section.lines if line.fence is None]
        for line in (*lines, None):
            said = line.text.strip() if line is not None else ""
            row = cells(line) if line is not None else ()
            if line is not None and row:
                rows.append((line, " — ".join(_one_line(cell.value) for cell in row)))
            if said.startswith("|"):
                continue
            if len(rows) > 1:  # the first one names the columns
                text = f"{heading or rows[0][1]}: {'; '.join(told for _, told in rows[1:])}"
                span = Span(rows[0][0].span.start, rows[-1][0].span.end)
                yield SourceRule(_plain(text), (), text, span)
            rows = []
            gate = _GATE.match(said)
            if line is not None and gate:
                text = f"GATE: {_one_line(said[gate.end() :])}"
                yield SourceRule(_plain(text), (), text, line.span)


def _plain(text: str) -> str:
    """Without back-ticks and bold marks, on one line."""
    return " ".join(text.replace("`", "").replace("**", "").split())


def _one_line(text: str) -> str:
    """Without bold marks, on one line."""
    return " ".join(text.replace("**", "").split())
