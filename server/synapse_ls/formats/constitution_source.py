"""Generate the ``constitution`` file from ``.aiox-core/constitution.md``, and find stale articles.

Articles are headings ``### IV. No Invention (MUST)``; rules are list items with a level, ``- MUST
NOT: …``, or every item and paragraph of an article that has none; nested items are a rule's points.
The reference's generator loses points, rules without a level, tables and gates (``**Gate:**
`pre-push.md` - BLOCK …``). A stamp above each article, ``[built 0123456789ab]``, is a digest of its
lines, which tells edits of the file from changes of the source.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from synapse_ls.formats import authority_boundary, domain_file, markdown_outline, rule_syntax
from synapse_ls.formats.constitution_file import from_roman, split_severity, to_roman
from synapse_ls.formats.markdown_outline import LABEL_LEVEL, Line, ListItem, parse_blocks
from synapse_ls.formats.name_normalization import to_slug
from synapse_ls.formats.rule import Rule
from synapse_ls.text import digest, line_index
from synapse_ls.text.finding import ParseResult, Text
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, line_break_at, with_line_break

LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "EXCEPTION")

_HEADING = lazy_pattern(
    r"(?:Art(?:\.|icle|igo)?\s*)?(?P<number>[IVXLC]{1,8}|[0-9]{1,4})\s*[.:—–-]\s*(?P<title>\S.*)$"
)
_LETTER = lazy_pattern(r"[A-Z]\s*[.:—–]\s*\S")
_UNRATED = lazy_pattern(
    r"(?:[IVXLC]{1,8}|Art(?:\.|icle|igo)?\s*[0-9IVXLC]{1,8})\s*[.:—–-]\s*(?=\S)"
)
_GATE = lazy_pattern(r"\*\*Gate:?\*\*:?\s*(?=\S)", re.IGNORECASE)
_LEVEL = lazy_pattern(rf"(?:{'|'.join(sorted(LEVELS, key=len, reverse=True))})\s*:\s*(?=\S)")

_NO_STATEMENT = lazy_pattern(
    rf"\s*(?:\||<!--|([-*_])(?:\s*\1){{2,}}\s*$|{_GATE.pattern})", re.IGNORECASE
)
_LABEL_LINE = lazy_pattern(r"\S+:")  # above a list


class SourceRule(NamedTuple):
    """One rule of the constitution's Markdown source: its own words with the level, and the points
    nested below it.

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
        """The rule on one line, its points after it: ``"MUST: Trace to: a need; a limit"``."""
        return f"{self.text} {'; '.join(self.points)}".rstrip()


class SourceArticle(NamedTuple):
    """An article of the constitution's Markdown source is a SourceArticle; ``title`` is without the
    severity, ``span`` is the heading.

    ``extras`` are what it says beside its rules: sentences, tables and its gate.
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

    @property
    def demands(self) -> tuple[SourceRule, ...]:
        """Its rules, and the sentences beside them that demand something: "Only @devops may
        push".
        """
        demanding = (
            extra
            for extra in self.extras
            if authority_boundary.begins_with_modal(extra.text)
            or authority_boundary.reserved_commands(extra.text)[0]
        )
        return (*self.rules, *demanding)


class ConstitutionSource(NamedTuple):
    """The articles of a constitution's Markdown source, in its order.

    ``unrated`` are headings with a numeral and no severity: no articles, so nobody is told them.
    """

    articles: tuple[SourceArticle, ...]
    unrated: tuple[Text, ...] = ()


def parse(text: str) -> ParseResult[ConstitutionSource]:
    """Parse the Markdown source of a constitution. It has no problems of its own: what is no
    article is prose.

    An article with a letter, such as ``IV-A``, is a part of the one before it: keys have
    no letters.
    """
    outline = markdown_outline.parse_outline(text)
    articles: list[SourceArticle] = []
    unrated: list[Text] = []
    for section in outline.sections:
        name, span = section.title
        heading = _HEADING.match(name)
        title, severity = split_severity(heading["title"].strip()) if heading else ("", "")
        if heading and severity:
            letter = _LETTER.match(heading["title"])
            number = from_roman(heading["number"])
            under = tuple(outline.with_subsections(section))
            statements = [block for part in under for block in _statements(part.lines)]
            rules, prose = _article_rules(statements)
            extras: tuple[SourceRule, ...] = (*prose, *_article_extras(under))
            if letter and articles and (above := articles[-1]).number == number:
                rule = SourceRule(_strip_markdown(name), (), _strip_bold(name), span, is_part=True)
                rules, extras = (*above.rules, rule, *rules), (*above.extras, *extras)
                articles[-1] = above._replace(rules=rules, extras=extras)
            else:
                articles.append(SourceArticle(number, title, severity, rules, extras, span))
        elif section.level < LABEL_LEVEL and _UNRATED.match(name):
            unrated.append(section.title)
    return ParseResult(ConstitutionSource(tuple(articles), tuple(unrated)), ())


def _statements(lines: Sequence[Line]) -> Iterator[ListItem]:
    """Yield the items and paragraphs of a section, without tables, gates and rulers."""
    above = {line.span: previous.text.strip() for previous, line in pairwise(lines)}
    paragraph: list[Line] = []
    for block in (*parse_blocks(line for line in lines if line.fence is None), None):
        if paragraph and not (isinstance(block, Line) and above[block.span]):
            text = " ".join(line.text.strip().lstrip("> ") for line in paragraph)
            span = Span(paragraph[0].span.start, paragraph[-1].span.end)
            if not _LABEL_LINE.fullmatch(text):
                yield ListItem(0, False, None, text, span, span)
            paragraph = []
        if isinstance(block, ListItem) and block.text:
            yield block
        elif isinstance(block, Line) and not _NO_STATEMENT.match(block.text):
            paragraph.append(block)


def _article_rules(
    statements: list[ListItem],
) -> tuple[tuple[SourceRule, ...], tuple[SourceRule, ...]]:
    """Return the rules of an article, and what it says beside them."""
    labelled = any(_LEVEL.match(_strip_markdown(item.text)) for item in statements)
    groups: list[list[ListItem]] = []
    for item in statements:
        if groups and item.indent > groups[-1][0].indent:
            groups[-1].append(item)
        else:
            groups.append([item])
    rules: list[SourceRule] = []
    prose: list[SourceRule] = []
    for first, *points in groups:
        is_rule = not labelled or _LEVEL.match(_strip_markdown(first.text))
        span = Span(first.span.start, points[-1].span.end if points else first.span.end)
        written = "; ".join(_strip_bold(point.text) for point in points)
        rule = SourceRule(
            _strip_markdown(first.text),
            tuple(_strip_markdown(point.text) for point in points),
            f"{_strip_bold(first.text)} {written}".rstrip(),
            span,
        )
        (rules if is_rule else prose).append(rule)
    return tuple(rules), tuple(prose)


def _article_extras(sections: Iterable[markdown_outline.Section]) -> Iterator[SourceRule]:
    """Yield the tables of an article, each on one line under its heading, and its gates,
    in order.
    """
    for section in sections:
        rows: list[tuple[Line, str]] = []
        heading = section.title.value.strip(" :*") if section.level == LABEL_LEVEL else ""
        for line in (*(line for line in section.lines if line.fence is None), None):
            said = line.text.strip() if line is not None else ""
            if line is not None and (row := markdown_outline.table_cells(line)):
                rows.append((line, " — ".join(_strip_bold(cell.value) for cell in row)))
            if said.startswith("|"):
                continue
            if len(rows) > 1:  # the first one names the columns
                text = f"{heading or rows[0][1]}: {'; '.join(told for _, told in rows[1:])}"
                span = Span(rows[0][0].span.start, rows[-1][0].span.end)
                yield SourceRule(_strip_markdown(text), (), text, span)
            rows = []
            if line is not None and (gate := _GATE.match(said)):
                text = f"GATE: {_strip_bold(said[gate.end() :])}"
                yield SourceRule(_strip_markdown(text), (), text, line.span)


def _strip_markdown(text: str) -> str:
    """Return a text without back-ticks and bold marks, on one line."""
    return " ".join(text.replace("`", "").replace("**", "").split())


def _strip_bold(text: str) -> str:
    """Return a text without bold marks, on one line."""
    return " ".join(text.replace("**", "").split())


# What became of a line: the source says something else now, has it in addition, or has it no more;
# somebody has edited it here; both have.
CHANGED, ADDED, REMOVED, EDITED, BOTH = "changed", "added", "removed", "edited", "both"

STAMP = lazy_pattern(r"^#[^\n]*\[built ([0-9a-f]{12})\][ \t]*\r?$", re.MULTILINE)
# What generators write about the file: ours, and the reference's.
_GENERATED = lazy_pattern(
    r"#\s*(?:SYNAPSE Constitution\b|Auto-generated from\b|DO NOT EDIT\b"
    r"|Change the source, then run\b|Article [IVXLC0-9]+\b)"
)
_HEADER = """\
# SYNAPSE Constitution (L0), built from {source}
# Change the source, then run `synapse constitution build`.
"""


class GeneratedArticle(NamedTuple):
    """An article of a generated constitution as lines of the file: (key, text) pairs, the title
    first.
    """

    number: int
    heading: str
    lines: tuple[tuple[str, str], ...]
    # The article's heading in the source.
    span: Span


class Difference(NamedTuple):
    """A line of a constitution file that is not as it would be generated now.

    ``rule`` is what stands in the file, None where nothing does; ``text`` what would be built, ""
    for nothing. ``article`` is its number, ``key`` the key of the line.
    """

    kind: str
    article: int
    key: str
    rule: Rule | None
    text: str

    @property
    def is_edit(self) -> bool:
        """Whether building anew would lose what somebody has written here."""
        return self.kind in (EDITED, BOTH)


def generate_articles(source: ConstitutionSource) -> tuple[GeneratedArticle, ...]:
    """Generate the articles of a constitution from its source, by number; those with one number
    become one.
    """
    groups = group_pairs((article.number, article) for article in source.articles)
    articles = []
    for number, parts in sorted(groups.items()):
        heading = parts[0].heading
        rules = (rule for part in parts for rule in (*part.rules, *part.extras))
        # A rule's text is as a reader of the file takes it: without space around it and directives.
        texts = (
            domain_file.parse(f"CONSTITUTION_RULE_ART1_1={text}").document.rules
            for text in (heading, *(rule.markdown_line for rule in rules))
        )
        filled = [parsed[0].text for parsed in texts if parsed and parsed[0].text]
        lines = ((f"CONSTITUTION_RULE_ART{number}_{n}", text) for n, text in enumerate(filled))
        articles.append(GeneratedArticle(number, heading, tuple(lines), parts[0].span))
    return tuple(articles)


def generate_constitution(
    source: ConstitutionSource, name: str, current_text: str = "", newline: str = "\n"
) -> str:
    """Generate the text of the constitution file for a source that is called ``name``.

    Of the file that is there (``current_text``), comments stay above their lines, and articles that
    the source does not have stay at the end.
    """
    # What people have noted in a file, by the key of the line below.
    found: dict[str, list[str]] = {}
    above: list[str] = []
    for start, end in line_index.iter_lines(current_text):
        line = current_text[start:end].strip()
        if line.startswith("#") and not _GENERATED.match(line):
            above.append(line)
        elif above and "=" in line:
            found.setdefault(line.partition("=")[0].rstrip(), []).extend(above)
            above = []
    comments = {**found, "": above} if above else found
    parts = [_HEADER.format(source=name)]
    for article in generate_articles(source):
        heading = f"# Article {to_roman(article.number)}: {article.heading}"
        lines = [f"{heading} [built {article_stamp(article.lines)}]"]
        for key, text in article.lines:
            lines += (*comments.pop(key, ()), f"{key}={text}")
        parts.append("".join(f"{line}\n" for line in lines))
    own: list[str] = []
    for rule in own_rules(current_text, source):
        own += (*comments.pop(rule.key, ()), f"{rule.key}={rule.text}")
    own += (line for lines in comments.values() for line in lines)
    if own:
        parts.append("".join(f"{line}\n" for line in own))
    return "\n".join(parts).replace("\n", newline)


def article_stamp(lines: Iterable[tuple[str, str]]) -> str:
    """Return the fingerprint of the lines of a generated article, 12 hexadecimal digits."""
    data = "\n".join(f"{key}={text}" for key, text in lines).encode("utf-8", "surrogatepass")
    return digest.hex_digest(data, 6)


def find_differences(text: str, source: ConstitutionSource) -> tuple[Difference, ...]:
    """Return the lines of the constitution file ``text`` that are not as they would be generated
    now, in the order of articles.

    In a file without stamps a line counts as built where it has the words of one of the source's,
    with or without the points below it: so the reference's generator writes it.
    """
    rules = _rules_by_article(text)
    stamps = _stamps_by_article(text, rules)
    wanted = {article.number: article.lines for article in generate_articles(source)}
    source_words = _source_words(source)
    differences: list[Difference] = []
    for number in sorted({*rules, *wanted}):
        own, now = rules.get(number, ()), wanted.get(number, ())
        differences += _compare_article(
            number, own, now, stamps.get(number), source_words, stamped=bool(stamps)
        )
    return tuple(differences)


def update_article(text: str, source: ConstitutionSource, number: int) -> tuple[TextEdit, ...]:
    """Return the edits that bring one article of a generated constitution up to date, its stamp
    included.
    """
    rules = _rules_by_article(text).get(number, [])
    now = next((a.lines for a in generate_articles(source) if a.number == number), ())
    edits, missing = [], []
    for difference in find_differences(text, source):
        if difference.article != number:
            continue
        if (rule := difference.rule) is None:
            missing.append(f"{difference.key}={difference.text}")
        elif difference.text:
            edits.append(TextEdit(rule.text_span, difference.text))
        else:
            edits.append(TextEdit(with_line_break(text, rule.span), ""))
    if missing and rules:
        end = max(rule.span.end for rule in rules)
        newline = line_break_at(text, end)
        lines = "".join(f"{newline}{line}" for line in missing)
        edits.append(TextEdit(Span(end, end), lines))
    # Where the stamp above the article is.
    above = list(STAMP.finditer(text, 0, min(rule.span.start for rule in rules))) if rules else []
    if above:
        edits.append(TextEdit(Span(*above[-1].span(1)), article_stamp(now)))
    return tuple(edits)


def _rules_by_article(text: str) -> dict[int, list[Rule]]:
    """Return the lines of a file by article; 0 are those of none."""
    rules = domain_file.parse(text).document.rules
    keyed_rules = ((rule_syntax.parse_key(rule.key), rule) for rule in rules)
    return group_pairs(
        (int(key.qualifier) if key is not None and key.kind == "article" else 0, rule)
        for key, rule in keyed_rules
    )


def _stamps_by_article(text: str, rules_by_article: Mapping[int, Sequence[Rule]]) -> dict[int, str]:
    """Return the stamp above each article: the last one before its first line."""
    marks = [(match.start(), match[1]) for match in STAMP.finditer(text)]
    firsts = sorted(
        (lines[0].span.start, number) for number, lines in rules_by_article.items() if number
    )
    return {
        number: mark
        for (before, _), (start, number) in pairwise([(-1, 0), *firsts])
        for at, mark in marks
        if before < at < start
    }


def own_rules(text: str, source: ConstitutionSource) -> list[Rule]:
    """Return the lines of articles that the source does not have, and no build has made."""
    wanted = {article.number for article in generate_articles(source)}
    there = _rules_by_article(text)
    stamps = _stamps_by_article(text, there)
    source_words = _source_words(source)
    rules = [
        rule
        for number, lines in there.items()
        if number not in wanted and number not in stamps
        for rule in lines
        if rule.key and to_slug(rule.text) not in source_words
    ]
    return sorted(rules, key=lambda rule: rule.span)


def _compare_article(
    number: int,
    rules_there: Sequence[Rule],
    now: tuple[tuple[str, str], ...],
    mark: str | None,
    source_words: frozenset[str],
    *,
    stamped: bool,
) -> Iterator[Difference]:
    """Yield the differences of one article between the file and the source."""
    edited = mark is not None and mark != article_stamp(
        [(rule.key, rule.text) for rule in rules_there]
    )
    changed = mark is not None and mark != article_stamp(now)
    texts = dict(now)
    keys: set[str] = set()
    for rule in rules_there:
        text = texts.get(rule.key, "") if rule.key not in keys else ""
        keys.add(rule.key)
        if rule.text == text:
            continue
        if mark is None:
            ours = not stamped and to_slug(rule.text) in source_words
            if not (ours or now):
                continue  # an article of one's own beside those that are built
            what = (CHANGED if text else REMOVED) if ours else EDITED
        elif edited:
            what = BOTH if changed else EDITED
        else:
            what = CHANGED if text else REMOVED
        yield Difference(what, number, rule.key, rule, text)
    for key, text in now:
        if key not in keys:
            what = EDITED if edited and not changed else ADDED
            yield Difference(what, number, key, None, text)


def _source_words(source: ConstitutionSource) -> frozenset[str]:
    """Return the words of everything that a source says, as any generator may have written it."""
    words = set()
    for article in source.articles:
        words |= {to_slug(article.heading), to_slug(article.title)}
        for rule in (*article.rules, *article.extras):
            words |= {to_slug(rule.text), to_slug(rule.plain_line), to_slug(rule.markdown_line)}
    return frozenset(words)
