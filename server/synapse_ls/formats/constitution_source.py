"""This module parses the Markdown that a ``constitution`` file is generated from,
``.aiox-core/constitution.md``.

Articles are headings ``### IV. No Invention (MUST)``; their rules are list items that begin with a
level, ``- MUST NOT: …``. Where no item of an article has a level, every item of it is a rule. Items
nested below a rule are its points: the reference's generator loses both these and rules without a
level. It also has no place for an article's tables and its gate, ``**Gate:** `pre-push.md` - BLOCK
…``.

This module generates the ``constitution`` file from its Markdown source and finds what is out of
date in one.

Every article is written whole: title with severity, each rule with the points nested below it,
tables and the gate, back-ticks included. Above each article stands a stamp of the lines that were
built, ``# Article I: CLI First (NON-NEGOTIABLE) [built 0123456789ab]``: it tells what somebody has
edited here from what has changed in the source. The same source always gives the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from synapse_ls.formats import domain_rules, markdown_outline
from synapse_ls.formats.constitution_file import from_roman, split_severity, to_roman
from synapse_ls.formats.markdown_outline import ListItem, parse_blocks, table_cells
from synapse_ls.formats.name_normalization import to_slug
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.rule_syntax import parse_key
from synapse_ls.text.digest import hex_digest
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.parse_result import ParseResult, Text
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit

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


CHANGED, ADDED, REMOVED, EDITED, BOTH = "changed", "added", "removed", "edited", "both"
"""What became of a line: the source says something else now, has it in addition, or has it no more;
somebody has edited it here; both have."""

_STAMP = re.compile(r"^#[^\n]*\[built ([0-9a-f]{12})\][ \t]*\r?$", re.MULTILINE)
# What generators write about the file: ours, and the reference's.
_GENERATED = re.compile(
    r"#\s*(?:SYNAPSE Constitution\b|Auto-generated from\b|DO NOT EDIT\b|Change the source, then run\b"
    r"|Article [IVXLC0-9]+\b)"
)
_BREAK = re.compile(r"\r\n|\r|\n|$")
_HEADER = """\
# SYNAPSE Constitution (L0), built from {source}
# Change the source, then run `synapse constitution build`.
"""


@dataclass(frozen=True, slots=True)
class GeneratedArticle:
    """A GeneratedArticle is an article of a generated constitution as lines of the file: (key,
    text) pairs, the title first.
    """

    number: int
    heading: str
    lines: tuple[tuple[str, str], ...]
    span: Span
    """The article's heading in the source."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A Difference is a line of a constitution file that is not as it would be generated now.

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
        """Returns whether building anew would lose what somebody has written here."""
        return self.kind in (EDITED, BOTH)


def generate_articles(source: ConstitutionSource) -> tuple[GeneratedArticle, ...]:
    """Generates the articles of a constitution from its source, by number; those with one number
    become one.
    """
    found: dict[int, list[SourceArticle]] = {}
    for article in source.articles:
        found.setdefault(article.number, []).append(article)
    return tuple(_generate_article(number, found[number]) for number in sorted(found))


def generate_constitution(
    source: ConstitutionSource, name: str, current_text: str = "", newline: str = "\n"
) -> str:
    """Generates the text of the constitution file for a source that is called ``name``.

    Of the file that is there (``current_text``), comments stay above their lines, and articles that
    the source does not have stay at the end.
    """
    comments = _comments_by_key(current_text)
    parts = [_HEADER.format(source=name)]
    for article in generate_articles(source):
        heading = f"# Article {to_roman(article.number)}: {article.heading}"
        lines = [f"{heading} [built {article_stamp(article.lines)}]"]
        for key, text in article.lines:
            lines += (*comments.pop(key, ()), f"{key}={text}")
        parts.append("".join(f"{line}\n" for line in lines))
    own = [line for rule in _own_rules(current_text, source) for line in (*comments.pop(rule.key, ()), f"{rule.key}={rule.text}")]  # fmt: skip
    own += (line for lines in comments.values() for line in lines)
    if own:
        parts.append("".join(f"{line}\n" for line in own))
    return "\n".join(parts).replace("\n", newline)


def article_stamp(lines: Iterable[tuple[str, str]]) -> str:
    """Returns the fingerprint of the lines of a generated article, 12 hexadecimal digits."""
    data = "\n".join(f"{key}={text}" for key, text in lines).encode("utf-8", "surrogatepass")
    return hex_digest(data, 6)


def is_stamped(text: str) -> bool:
    """Returns whether a constitution file was generated by this program."""
    return _STAMP.search(text) is not None


def find_differences(text: str, source: ConstitutionSource) -> tuple[Difference, ...]:
    """Returns the lines of the constitution file ``text`` that are not as they would be generated
    now, in the order of articles.

    In a file without stamps a line counts as built where it has the words of one of the source's,
    with or without the points below it: so the reference's generator writes it.
    """
    there = _rules_by_article(text)
    stamps = _stamps_by_article(text, there)
    wanted = {article.number: article for article in generate_articles(source)}
    known = _source_words(source)
    found: list[Difference] = []
    for number in sorted({*there, *wanted}):
        own = there.get(number, ())
        now = wanted[number].lines if number in wanted else ()
        found += _compare_article(number, own, now, stamps.get(number), known, stamped=bool(stamps))
    return tuple(found)


def has_own_articles(text: str, source: ConstitutionSource) -> bool:
    """Returns whether a constitution file has articles that are not generated, because they were
    written here.
    """
    return bool(_own_rules(text, source))


def update_article(text: str, source: ConstitutionSource, number: int) -> tuple[TextEdit, ...]:
    """Returns the edits that bring one article of a generated constitution up to date, its stamp
    included.
    """
    there = _rules_by_article(text)
    own = there.get(number, [])
    now = next((a.lines for a in generate_articles(source) if a.number == number), ())
    found = [d for d in find_differences(text, source) if d.article == number]
    edits = []
    for one in found:
        if one.rule is None:
            continue
        whole = one.rule.span
        end = whole.end + len(_BREAK.match(text, whole.end)[0])  # type: ignore[index]
        gone = TextEdit(Span(whole.start, end), "")
        edits.append(TextEdit(one.rule.text_span, one.text) if one.text else gone)
    missing = [f"{one.key}={one.text}" for one in found if one.rule is None]
    if missing and own:
        end = max(rule.span.end for rule in own)
        newline = _BREAK.search(text)
        lines = "".join(f"{newline[0] if newline else chr(10)}{line}" for line in missing)
        edits.append(TextEdit(Span(end, end), lines))
    mark = _stamp_span(text, own)
    if mark is not None:
        edits.append(TextEdit(mark, article_stamp(now)))
    return tuple(edits)


def _generate_article(number: int, parts: Sequence[SourceArticle]) -> GeneratedArticle:
    heading = parts[0].heading
    told = [rule.markdown_line for part in parts for rule in (*part.rules, *part.extras)]
    read = filter(None, map(_normalize_rule_text, (heading, *told)))
    lines = tuple((f"CONSTITUTION_RULE_ART{number}_{n}", text) for n, text in enumerate(read))
    return GeneratedArticle(number, heading, lines, parts[0].span)


def _normalize_rule_text(text: str) -> str:
    """Returns a rule's text as a reader of the file takes it: without space around it and
    directives.
    """
    found = domain_rules.parse(f"CONSTITUTION_RULE_ART1_1={text}").document.rules
    return found[0].text if found else ""


def _rules_by_article(text: str) -> dict[int, list[Rule]]:
    """Returns the lines of a file by article; 0 are those of none."""
    found: dict[int, list[Rule]] = {}
    for rule in domain_rules.parse(text).document.rules:
        key = parse_key(rule.key)
        number = int(key.qualifier) if key is not None and key.kind == "article" else 0
        found.setdefault(number, []).append(rule)
    return found


def _stamps_by_article(text: str, rules_by_article: Mapping[int, Sequence[Rule]]) -> dict[int, str]:
    """Returns the stamp above each article: the last one before its first line."""
    marks = [(match.start(), match[1]) for match in _STAMP.finditer(text)]
    firsts = sorted(
        (lines[0].span.start, number) for number, lines in rules_by_article.items() if number
    )
    found: dict[int, str] = {}
    before = -1
    for start, number in firsts:
        above = [mark for at, mark in marks if before < at < start]
        if above:
            found[number] = above[-1]
        before = start
    return found


def _own_rules(text: str, source: ConstitutionSource) -> list[Rule]:
    """Returns the lines of articles that the source does not have, and no build has made."""
    wanted = {article.number for article in generate_articles(source)}
    there = _rules_by_article(text)
    stamps = _stamps_by_article(text, there)
    known = _source_words(source)
    kept = [
        rule
        for number, lines in there.items()
        if number not in wanted and number not in stamps
        for rule in lines
        if rule.key and to_slug(rule.text) not in known
    ]
    return sorted(kept, key=lambda rule: rule.span)


def _comments_by_key(text: str) -> dict[str, list[str]]:
    """Returns what people have noted in a file, by the key of the line below; "" below the last
    one.
    """
    found: dict[str, list[str]] = {}
    above: list[str] = []
    for start, end in iter_lines(text):
        line = text[start:end].strip()
        if line.startswith("#") and not _GENERATED.match(line):
            above.append(line)
        elif above and "=" in line:
            found.setdefault(line.partition("=")[0].rstrip(), []).extend(above)
            above = []
    return {**found, "": above} if above else found


def _stamp_span(text: str, rules_there: Sequence[Rule]) -> Span | None:
    """Returns where the stamp above an article is, None where it has none."""
    if not rules_there:
        return None
    above = list(_STAMP.finditer(text, 0, min(rule.span.start for rule in rules_there)))
    return Span(*above[-1].span(1)) if above else None


def _compare_article(
    number: int,
    rules_there: Sequence[Rule],
    now: tuple[tuple[str, str], ...],
    mark: str | None,
    source_words: frozenset[str],
    *,
    stamped: bool,
) -> Iterator[Difference]:
    """Yields the differences of one article between the file and the source."""
    edited = mark is not None and mark != article_stamp(_key_text_pairs(rules_there))
    changed = mark is not None and mark != article_stamp(now)
    texts = dict(now)
    seen: set[str] = set()
    for rule in rules_there:
        text = texts.get(rule.key, "") if rule.key not in seen else ""
        seen.add(rule.key)
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
        if key not in seen:
            what = EDITED if edited and not changed else ADDED
            yield Difference(what, number, key, None, text)


def _key_text_pairs(lines: Iterable[Rule]) -> list[tuple[str, str]]:
    return [(rule.key, rule.text) for rule in lines]


def _source_words(source: ConstitutionSource) -> frozenset[str]:
    """Returns the words of everything that a source says, as any generator may have written it."""
    found = set()
    for article in source.articles:
        found |= {to_slug(article.heading), to_slug(article.title)}
        for rule in (*article.rules, *article.extras):
            found |= {to_slug(rule.text), to_slug(rule.plain_line), to_slug(rule.markdown_line)}
    return frozenset(found)
