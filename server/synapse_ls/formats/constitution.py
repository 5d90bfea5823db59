"""The ``constitution`` file: articles, each with a title, a severity and rules (ADR-001 R4).

Keys are ``CONSTITUTION_RULE_ART{article}_{n}``, number 0 being ``Title (SEVERITY)``. In plain text
an article is a heading (``### IV. No Invention (MUST)``) with its rules below it, or one line
(``Art. I — CLI First (NON-NEGOTIABLE): …``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from synapse_ls.formats import rules
from synapse_ls.formats.problem import Parsed, Problem
from synapse_ls.formats.rules import Rule, RulesDocument
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span

SEVERITIES = ("NON-NEGOTIABLE", "MUST", "SHOULD")

_NUMERALS = {
    "M": 1000,
    "CM": 900,
    "D": 500,
    "CD": 400,
    "C": 100,
    "XC": 90,
    "L": 50,
    "XL": 40,
    "X": 10,
    "IX": 9,
    "V": 5,
    "IV": 4,
    "I": 1,
}
_SEVERITY = re.compile(r"\(([^()]{1,40})\)$")
_ARTICLE = r"Art(?:\.|icle|igo)?\s*(?P<number>[IVXLC]{1,8}|[0-9]{1,4})\b"
# In a sentence ("Article 5 applies to all") no dash follows, and no severity.
_BREAK = rf"(?:\s*[.:—–-]\s*|\s+(?=[^:]*\((?:{'|'.join(SEVERITIES)})\)))"
_LINE = re.compile(rf"{_ARTICLE}{_BREAK}(?P<title>[^\s:][^:]{{0,199}}):\s*(?=\S)")
_TITLE = re.compile(rf"{_ARTICLE}{_BREAK}(?P<title>[^\s:][^:]*)$")
_HEADING = re.compile(
    r"(?:Art(?:\.|icle|igo)?\s*(?P<number>[IVXLC]{1,8}|[0-9]{1,4})\b\s*[.:—–-]?"
    r"|(?P<bare>[IVXLC]{1,8}|[0-9]{1,4})\s*[.:—–-](?=\s))"
    r"\s*(?P<title>.*)$"
)


@dataclass(frozen=True, slots=True)
class Article:
    """One article; ``severity`` is one of ``SEVERITIES`` or "". ``title`` is without it.

    ``title_rule`` is the rule that gives the title; a heading of plain text is not a rule.
    """

    number: int
    roman: str
    title: str
    severity: str
    title_rule: Rule | None
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class ConstitutionDocument:
    """A constitution; ``articles`` by number, ``loose`` the rules that belong to none."""

    rules: RulesDocument
    articles: tuple[Article, ...]
    loose: tuple[Rule, ...]


class _Draft:
    """An article while the file is read."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.title = ""
        self.title_rule: Rule | None = None
        self.rules: list[Rule] = []

    def entitle(self, rule: Rule) -> None:
        """Take the title from a rule; the first one counts."""
        if self.title_rule is None:
            self.title, self.title_rule = rule.text, rule
        else:
            self.rules.append(rule)

    def add(self, rule: Rule, text: str, span: Span) -> None:
        """Take in a plain rule, or a part of one, under the next number."""
        self.rules.append(self.part(rule, len(self.rules) + 1, text, span))

    def part(self, rule: Rule, index: int, text: str, span: Span) -> Rule:
        """A plain rule as one of this article."""
        return replace(
            rule,
            kind="article",
            qualifier=str(self.number),
            index=index,
            text=text,
            text_span=span,
        )

    def finish(self) -> Article:
        title, severity = split_severity(self.title)
        roman = to_roman(self.number)
        return Article(self.number, roman, title, severity, self.title_rule, tuple(self.rules))


class _Drafts(dict[int, _Draft]):
    def __missing__(self, number: int) -> _Draft:
        self[number] = draft = _Draft(number)
        return draft


def parse(text: str) -> Parsed[ConstitutionDocument]:
    """Read a constitution file. Never raises; takes time linear in the text."""
    document, problems = rules.parse(text)
    drafts = _Drafts()
    loose: list[Rule] = []
    current: tuple[str, _Draft] | None = None
    for rule in document.rules:
        if rule.kind == "article":
            draft = drafts[int(rule.qualifier)]
            if rule.index == 0:
                draft.entitle(rule)
            else:
                draft.rules.append(rule)
            continue
        heading = None if rule.key else _TITLE.match(rule.text)
        if heading:
            draft = drafts[from_roman(heading["number"])]
            draft.entitle(draft.part(rule, 0, heading["title"], rule.text_span))
            current = rule.group, draft
        elif not rule.key and _take_line(text, rule, drafts):
            current = None
        elif current and rule.group == current[0]:
            current[1].add(rule, rule.text, rule.text_span)
        elif not _take_grouped(rule, drafts):
            loose.append(rule)
    articles = tuple(drafts[number].finish() for number in sorted(drafts))
    own = (problem for article in articles for problem in _check(article))
    parsed = ConstitutionDocument(document, articles, tuple(loose))
    return Parsed(parsed, rules.in_order([*problems, *own]))


def to_roman(number: int) -> str:
    """``4`` -> ``"IV"``; decimal digits outside 1–3999, which have no such numeral."""
    if not 0 < number < 4000:
        return str(number)
    numeral = ""
    for letters, value in _NUMERALS.items():
        count, number = divmod(number, value)
        numeral += letters * count
    return numeral


def from_roman(numeral: str) -> int:
    """``"IV"`` -> ``4``; also reads decimal digits, and numerals written out like ``IIII``."""
    if numeral.isdigit():
        return int(numeral)
    values = [_NUMERALS[letter] for letter in numeral]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))


def split_severity(title: str) -> tuple[str, str]:
    """``"CLI First (NON-NEGOTIABLE)"`` -> ``("CLI First", "NON-NEGOTIABLE")``."""
    match = _SEVERITY.search(title)
    if match and match[1].upper() in SEVERITIES:
        return title[: match.start()].rstrip(), match[1].upper()
    return title, ""


def _take_line(text: str, rule: Rule, drafts: _Drafts) -> bool:
    """``Art. I — Title (SEVERITY): text`` is an article with one rule."""
    # The rule's text has its lines joined, so it is matched for words and the source for places.
    words = _LINE.match(rule.text)
    place = _LINE.match(text, *rule.text_span)
    if not words or not place:
        return False
    draft = drafts[from_roman(words["number"])]
    if draft.title_rule is None:
        title = words["title"].strip()
        draft.entitle(draft.part(rule, 0, title, Span(*place.span("title"))))
    draft.add(rule, rule.text[words.end() :], Span(place.end(), rule.text_span.end))
    return True


def _take_grouped(rule: Rule, drafts: _Drafts) -> bool:
    """A rule below ``### IV. Title (SEVERITY)`` belongs to that article."""
    heading = _HEADING.match(rule.group)
    if not heading:
        return False
    draft = drafts[from_roman(heading["number"] or heading["bare"])]
    draft.title = draft.title or heading["title"]
    draft.add(rule, rule.text, rule.text_span)
    return True


def _check(article: Article) -> Iterator[Problem]:
    if not article.title and article.rules:
        first = article.rules[0]
        yield Problem(
            "article-without-title",
            first.key_span,
            f"Article {article.roman} has rules but no title, so it is shown by its number only.",
            f"Write CONSTITUTION_RULE_ART{article.number}_0=Title (SEVERITY).",
        )
    match = _SEVERITY.search(article.title)
    if match and article.title_rule and (match[1].isupper() or nearest(match[1], SEVERITIES)):
        meant = nearest(match[1], SEVERITIES)
        end = article.title_rule.text_span.end
        yield Problem(
            "unknown-severity",
            Span(end - len(match[1]) - 1, end - 1),
            f"`{match[1]}` is not a severity, so the article counts as neither blocking nor advisory.",
            f"Write `{meant}`." if meant else "Write NON-NEGOTIABLE, MUST or SHOULD.",
            (("suggestion", meant),) if meant else (),
        )
