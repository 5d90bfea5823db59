"""Parse the ``constitution`` file: articles with a title, a severity and rules (ADR-001 R4).

Keys are ``CONSTITUTION_RULE_ART{article}_{n}``, number 0 being ``Title (SEVERITY)``. In plain text
an article is a heading (``### IV. No Invention (MUST)``) with rules below, or one line (``Art. I —
CLI First (NON-NEGOTIABLE): …``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from synapse_ls.formats import domain_file
from synapse_ls.formats.rule import Rule
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.finding import Finding, ParseResult, problem_data, sort_problems
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

SEVERITIES = ("NON-NEGOTIABLE", "MUST", "SHOULD")

_NUMERALS = {
    "M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90,
    "L": 50, "XL": 40, "X": 10, "IX": 9, "V": 5, "IV": 4, "I": 1,
}  # fmt: skip
_SEVERITY = lazy_pattern(r"\(([^()]{1,40})\)$")
_ARTICLE = r"A(?i:rt(?:\.|icle|igo)?)\s*(?P<number>[IVXLC]{1,8}|[0-9]{1,4})\b"
# In a sentence ("Article 5 applies to all") no dash follows, and no severity.
_BREAK = rf"(?:\s*[.:—–-]\s*|\s+(?=[^:]*\((?:{'|'.join(SEVERITIES)})\)))"
_LINE = lazy_pattern(rf"{_ARTICLE}{_BREAK}(?P<title>[^\s:][^:]{{0,199}}):\s*(?=\S)")
_TITLE = lazy_pattern(rf"{_ARTICLE}{_BREAK}(?P<title>[^\s:][^:]*)$")
_HEADING = lazy_pattern(
    r"(?:A(?i:rt(?:\.|icle|igo)?)\s*(?P<number>[IVXLC]{1,8}|[0-9]{1,4})\b\s*[.:—–-]?"
    r"|(?P<bare>[IVXLC]{1,8}|[0-9]{1,4})\s*[.:—–-](?=\s))\s*(?P<title>.*)$"
)


class Article(NamedTuple):
    """One article of a constitution; ``severity`` is one of ``SEVERITIES`` or "". ``title`` is
    without it.

    ``title_rule`` is the rule that gives the title; a heading of plain text is not a rule.
    """

    number: int
    roman: str
    title: str
    severity: str
    title_rule: Rule | None
    rules: tuple[Rule, ...]


class ConstitutionDocument(NamedTuple):
    """A parsed constitution; ``articles`` are by number, ``loose`` are the rules that belong to
    none.
    """

    rules: domain_file.RulesDocument
    articles: tuple[Article, ...]
    loose: tuple[Rule, ...]


@dataclass(slots=True)
class _ArticleDraft:
    """An article while the file is read."""

    number: int
    title: str = ""
    title_rule: Rule | None = None
    rules: list[Rule] = field(default_factory=list)

    def set_title(self, rule: Rule) -> None:
        """Take the title from a rule; the first one counts."""
        if self.title_rule is None:
            self.title, self.title_rule = rule.text, rule
        else:
            self.rules.append(rule)

    def add_rule(self, rule: Rule, text: str, span: Span) -> None:
        """Add a plain rule, or a part of one, under the next number."""
        self.rules.append(self.to_article_rule(rule, len(self.rules) + 1, text, span))

    def to_article_rule(self, rule: Rule, index: int, text: str, span: Span) -> Rule:
        """Return a plain rule as one of this article."""
        return rule.replace(
            kind="article", qualifier=str(self.number), index=index, text=text, text_span=span
        )

    def finish(self) -> Article:
        title, severity = split_severity(self.title)
        roman = to_roman(self.number)
        return Article(self.number, roman, title, severity, self.title_rule, tuple(self.rules))


class _ArticleDrafts(dict[int, _ArticleDraft]):
    def __missing__(self, number: int) -> _ArticleDraft:
        self[number] = draft = _ArticleDraft(number)
        return draft


def parse(text: str) -> ParseResult[ConstitutionDocument]:
    """Parse a constitution file. Never raises; takes time linear in the text."""
    document, problems = domain_file.parse(text)
    drafts = _ArticleDrafts()
    loose: list[Rule] = []
    current: tuple[str, _ArticleDraft] | None = None
    for rule in document.rules:
        if rule.kind == "article":
            draft = drafts[int(rule.qualifier)]
            if rule.index == 0:
                draft.set_title(rule)
            else:
                draft.rules.append(rule)
            continue
        heading = None if rule.key else _TITLE.match(rule.text)
        if heading:
            draft = drafts[from_roman(heading["number"])]
            draft.set_title(draft.to_article_rule(rule, 0, heading["title"], rule.text_span))
            current = rule.group, draft
        elif not rule.key and _add_one_line_article(text, rule, drafts):
            current = None
        elif current and rule.group == current[0]:
            current[1].add_rule(rule, rule.text, rule.text_span)
        elif heading := _HEADING.match(rule.group):  # `### IV. Title (SEVERITY)`
            draft = drafts[from_roman(heading["number"] or heading["bare"])]
            draft.title = draft.title or heading["title"]
            draft.add_rule(rule, rule.text, rule.text_span)
        else:
            loose.append(rule)
    articles = tuple(drafts[number].finish() for number in sorted(drafts))
    # Return the problems with one in the place of many severities that are none and resemble none.
    severity_problems = [problem for article in articles for problem in _check_article(article)]
    unlike = [
        problem
        for problem in severity_problems
        if problem.kind == "unknown-severity" and not problem.data
    ]
    if len(unlike) < _MANY_SEVERITIES:
        own = severity_problems
    else:
        first = unlike[0]
        words = list(dict.fromkeys(problem.message.split("`")[1] for problem in unlike))
        shown = ", ".join(f"`{word}`" for word in words[:3])
        grouped = first._replace(
            message=f"{len(unlike)} articles have a severity that is none, "
            "so they count as neither "
            f"blocking nor advisory: {shown}."
        )
        own = [grouped, *(problem for problem in severity_problems if problem not in unlike)]
    parsed = ConstitutionDocument(document, articles, tuple(loose))
    return ParseResult(parsed, sort_problems([*problems, *own]))


def to_roman(number: int) -> str:
    """Return the number of a constitution's article as a Roman numeral (``4`` -> ``"IV"``); as
    decimal digits outside 1–3999, which have no such numeral.
    """
    if not 0 < number < 4000:
        return str(number)
    numeral = ""
    for letters, value in _NUMERALS.items():
        count, number = divmod(number, value)
        numeral += letters * count
    return numeral


def from_roman(numeral: str) -> int:
    """Return the number of a constitution's article from a Roman numeral (``"IV"`` -> ``4``); also
    reads decimal digits, and numerals written out like ``IIII``.
    """
    if numeral.isdigit():
        return int(numeral)
    values = [_NUMERALS[letter] for letter in numeral]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))


def split_severity(title: str) -> tuple[str, str]:
    """Split the title of a constitution's article from its severity: ``"CLI First
    (NON-NEGOTIABLE)"`` -> ``("CLI First", "NON-NEGOTIABLE")``.
    """
    if (match := _SEVERITY.search(title)) and match[1].upper() in SEVERITIES:
        return title[: match.start()].rstrip(), match[1].upper()
    return title, ""


def _add_one_line_article(text: str, rule: Rule, drafts: _ArticleDrafts) -> bool:
    """Add an article of one rule, ``Art. I — Title (SEVERITY): text``, or of a title alone, ``ART I
    (SEVERITY): Title``; returns False where the rule is none.
    """
    # The rule's text has its lines joined, so it is matched for words and the source for places.
    words = _LINE.match(rule.text)
    place = _LINE.match(text, *rule.text_span)
    if not words or not place:
        return False
    draft = drafts[from_roman(words["number"])]
    title = words["title"].strip()
    if not split_severity(title)[0] and draft.title_rule is None:
        text_span = Span(place.end(), rule.text_span.end)
        named = f"{rule.text[words.end() :]} {title}"
        draft.set_title(draft.to_article_rule(rule, 0, named, text_span))
        return True
    if draft.title_rule is None:
        draft.set_title(draft.to_article_rule(rule, 0, title, Span(*place.span("title"))))
    draft.add_rule(rule, rule.text[words.end() :], Span(place.end(), rule.text_span.end))
    return True


# From as many articles on whose severity is none of ours, they have one cause and are one problem.
_MANY_SEVERITIES = 4


def _check_article(article: Article) -> Iterator[Finding]:
    if not article.title and article.rules:
        yield Finding(
            article.rules[0].key_span,
            f"Article {article.roman} has rules but no title, so it is shown by its number only.",
            "Add a line with a title and a severity, such as "
            f"`CONSTITUTION_RULE_ART{article.number}_0=Tests First (MUST)`.",
            kind="article-without-title",
        )
    match = _SEVERITY.search(article.title)
    if match and article.title_rule and (match[1].isupper() or nearest_word(match[1], SEVERITIES)):
        word = nearest_word(match[1], SEVERITIES)
        end = article.title_rule.text_span.end
        yield Finding(
            Span(end - len(match[1]) - 1, end - 1),
            f"`{match[1]}` is not a severity, so the article counts as neither blocking nor "
            "advisory.",
            f"Write `{word}`." if word else "Write NON-NEGOTIABLE, MUST or SHOULD.",
            kind="unknown-severity",
            data=problem_data(suggestion=word),
        )
