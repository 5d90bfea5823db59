"""``chati.dev/constitution.md``: articles, and the figures that other files repeat.

``## Article II: Quality Standards`` begins an article, ``**Enforcement: BLOCK**`` says how hard it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats import markdown
from synapse_ls.formats.chati.thresholds import Threshold, thresholds
from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.problem import Parsed, Text
from synapse_ls.text.span import Span

_ARTICLE = re.compile(
    r"Art(?:icle|\.)[ \t]+([IVXLCDM]+|\d{1,3})[ \t]*[:.—–-]+[ \t]*(\S.*)", re.IGNORECASE
)
_ENFORCEMENT = re.compile(r"\*\*Enforcement:\s*(\w+)\*\*")
_COUNT = re.compile(r"\b(\d{1,3}) Articles\b")
_NUMERALS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


@dataclass(frozen=True, slots=True)
class Article:
    """An article; ``numeral`` is its number as written, ``span`` the place of its heading's text."""

    number: int
    numeral: str
    title: str
    enforcement: str
    span: Span
    thresholds: tuple[Threshold, ...]


@dataclass(frozen=True, slots=True)
class ConstitutionFile:
    """``counts`` are the places that say how many articles there are."""

    articles: tuple[Article, ...]
    counts: tuple[Text, ...]

    def article(self, number: int) -> Article | None:
        """The article of that number."""
        return next((one for one in self.articles if one.number == number), None)


def parse(text: str) -> Parsed[ConstitutionFile]:
    """Read the constitution. It has no problems of its own: every text is one."""
    outline = markdown.outline(without(text, Comments.MARKUP))
    articles = []
    for section in outline.sections:
        found = _ARTICLE.fullmatch(section.title.value)
        if found is None or section.level == 0:
            continue
        number = number_of(found.group(1))
        if not number:
            continue
        lines = [line for part in outline.under(section) for line in part.lines]
        said = (_ENFORCEMENT.search(line.text) for line in lines)
        articles.append(
            Article(
                number,
                found.group(1).upper(),
                found.group(2).strip(),
                next((match.group(1).upper() for match in said if match), ""),
                section.title.span,
                tuple(t for line in lines for t in thresholds(line.text, line.span.start)),
            )
        )
    return Parsed(ConstitutionFile(tuple(articles), tuple(_counts(text))), ())


def _counts(text: str) -> Iterator[Text]:
    for found in _COUNT.finditer(text):
        yield Text(found.group(1), Span(*found.span(1)))


def number_of(numeral: str) -> int:
    """The value of a Roman or an Arabic number, 0 where it is neither.

    >>> number_of("XIV"), number_of("14"), number_of("IXX")
    (14, 14, 0)
    """
    if numeral.isdecimal():
        return int(numeral) if len(numeral) < 4 else 0
    letters = numeral.upper()
    if not letters or len(letters) > 15 or any(letter not in _NUMERALS for letter in letters):
        return 0
    values = [_NUMERALS[letter] for letter in letters]
    following = [*values[1:], 0]
    total = sum(-v if v < n else v for v, n in zip(values, following, strict=True))
    return total if roman(total) == letters else 0


def roman(number: int) -> str:
    """A number from 1 to 3999 in Roman numerals.

    >>> roman(17)
    'XVII'
    """
    parts = (
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    )
    written = ""
    for value, letters in parts:
        while number >= value:
            written += letters
            number -= value
    return written
