"""Parse ``chati.dev/constitution.md``: articles, and quality thresholds.

``## Article II: Quality Standards`` begins an article.
Other files repeat the thresholds, percentages in prose, so these can be compared.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.formats import constitution_file, markdown_outline
from synapse_ls.text.finding import ParseResult, Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

_PERCENT = lazy_pattern(r"(?<![\d.])(\d{1,3})(?:\.0+)?\s?%")
_REQUIREMENT = lazy_pattern(r">=|≥|\bat least\b|\bminimum\b|\bthreshold", re.IGNORECASE)
_OTHER_MEASURE = lazy_pattern(
    r"\b(?:coverage|confidence|similarity|degradation|progress)\b", re.IGNORECASE
)
_EVERYBODY = lazy_pattern(
    r"\b(?:every agent|each agent|all agents|all other agents)\b", re.IGNORECASE
)
_SUBJECT = lazy_pattern(
    r"(?<![\w-])(?:qa-planning|qa-implementation|autonomous|guided|explore|human-in-the-loop)"
    r"(?![\w-])",
    re.IGNORECASE,
)
_CLAUSE = lazy_pattern(r"[,;()]")

EVERYBODY = "every agent"


class Threshold(NamedTuple):
    """What is required: ``percent`` of ``subject``: an agent, a profile,
    `EVERYBODY`, or "" for nobody named.
    """

    subject: str
    percent: int
    span: Span


def find_thresholds(line: str, start: int = 0) -> Iterator[Threshold]:
    """Yield the thresholds of quality in one line; ``start`` is its offset.

    A percentage counts where its clause, or what comes before it in the line, requires it: ``>=
    95%``, ``90% minimum``. Coverage and the like are measures of something else.
    """
    for match in _PERCENT.finditer(line):
        before = list(_CLAUSE.finditer(line, 0, match.start()))
        after = _CLAUSE.search(line, match.end())
        begin = before[-1].end() if before else 0
        clause = line[begin : after.start() if after else len(line)]
        if not _REQUIREMENT.search(clause) or _OTHER_MEASURE.search(line[: match.end()]):
            continue
        span = Span(match.start(), match.end()).shift(start)
        # Who is named last before the percentage, else the only one that is named.
        before_it = _SUBJECT.findall(line[: match.start()])
        names = {name.lower() for name in _SUBJECT.findall(line)}
        subject = before_it[-1].lower() if before_it else ""
        if _EVERYBODY.search(line):
            subject = EVERYBODY
        elif not before_it and len(names) == 1:
            subject = names.pop()
        yield Threshold(subject, int(match.group(1)), span)


def everybody_words(text: str, threshold: Threshold) -> str:
    """Return the words in which a threshold names all agents, in lower case."""
    start = text.rfind("\n", 0, threshold.span.start) + 1
    match = _EVERYBODY.search(text[start:].partition("\n")[0])
    return match[0].lower() if match else threshold.subject


_ARTICLE = lazy_pattern(
    r"Art(?:icle|\.)[ \t]+([IVXLCDM]+|\d{1,3})[ \t]*[:.—–-]+[ \t]*(\S.*)", re.IGNORECASE
)
_COUNT = lazy_pattern(r"\b(\d{1,3}) Articles\b")


class Article(NamedTuple):
    """One article of Chati.dev's constitution; ``numeral`` is its number as written, ``span`` the
    place of its heading's text.
    """

    number: int
    numeral: str
    title: str
    span: Span
    thresholds: tuple[Threshold, ...]


class ConstitutionDocument(NamedTuple):
    """The articles; ``counts`` are the places that say how many articles there are."""

    articles: tuple[Article, ...]
    counts: tuple[Text, ...]

    def article(self, number: int) -> Article | None:
        """Return the article of that number, or None."""
        return next((article for article in self.articles if article.number == number), None)


def parse(text: str) -> ParseResult[ConstitutionDocument]:
    """Parse Chati.dev's constitution. It has no problems of its own: every text is one."""
    outline = markdown_outline.parse_clean_outline(text)
    articles = []
    for section in outline.sections:
        match = _ARTICLE.fullmatch(section.title.value)
        if match is None or section.level == 0 or not (number := parse_numeral(match.group(1))):
            continue
        lines = [line for part in outline.with_subsections(section) for line in part.lines]
        articles.append(
            Article(
                number,
                match.group(1).upper(),
                match.group(2).strip(),
                section.title.span,
                tuple(t for line in lines for t in find_thresholds(line.text, line.span.start)),
            )
        )
    return ParseResult(
        ConstitutionDocument(
            tuple(articles),
            tuple(Text(match.group(1), Span(*match.span(1))) for match in _COUNT.finditer(text)),
        ),
        (),
    )


def parse_numeral(numeral: str) -> int:
    """Return the value of a Roman or an Arabic number in a constitution, 0 where it is neither.

    Thus "XIV" and "14" give 14, and "IXX" gives 0.
    """
    if numeral.isdecimal():
        return int(numeral) if len(numeral) < 4 else 0
    letters = numeral.upper()
    if not letters or len(letters) > 15 or not set(letters) <= set("IVXLCDM"):
        return 0
    number = constitution_file.from_roman(letters)
    return number if constitution_file.to_roman(number) == letters else 0
