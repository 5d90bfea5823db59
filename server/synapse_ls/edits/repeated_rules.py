"""Rules that an instruction file (CLAUDE.md …) repeats from a tree, and the file without them.

What became no rule stays as it is, with the headings above it: code, long prose, what is
about the file itself.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from unicodedata import normalize

from synapse_ls.formats.instruction_rules import (
    FileMention,
    RuleSource,
    SourceRule,
    read_source,
)
from synapse_ls.formats.markdown_outline import Line, parse_outline
from synapse_ls.text.line_index import LineIndex, iter_lines
from synapse_ls.text.span import Span
from synapse_ls.workspace.fact_extraction import comparable_rule_text
from synapse_ls.workspace.rule_tree import Tree

_LABEL = re.compile(
    r"[*_]{0,3}(?P<label>must(?: not| never)?|deve|debe|never|nunca|always|sempre|siempre"
    r"|should(?: not)?"
    r"|may|do not|nao|no)[*_]{0,3}:[*_]{0,3} +(?=\w)"
)
_DEMANDS = frozenset(("must", "deve", "debe"))  # what every rule says


_BOLD = re.compile(r"(?:^|(?<=[\s(]))(\*\*|__)(?=\S)([^*_]+)(?<=\S)\1")
# What parts of a list that are nested in a rule begin with.
_NESTED_ITEM = re.compile(r"[.;,]?\s*\n\s*(?:[-*+]|[0-9]{1,9}[.)])\s+")


def plain_text(text: str) -> str:
    """Return a text without the marks of bold type, to be judged by its words. It is no text of a
    rule: the marks can be part of code.
    """
    return _BOLD.sub(r"\2", " ".join(text.split()))


def told_form(text: str) -> str:
    """Return the form in which a rule that is told twice is the same: without accents, capital
    letters and bold type, and without the label before them, of which what it forbids or weakens
    stays.

    >>> told_form("MUST: Não apague  nada"), told_form("**NEVER:** push"), told_form("Never push")
    ('nao apague nada', 'never push', 'never push')
    """
    folded = comparable_rule_text(plain_text(_NESTED_ITEM.sub("; ", text))).casefold()
    if not folded.isascii():
        folded = "".join(c for c in normalize("NFKD", folded) if not "\u0300" <= c <= "\u036f")
    label = _LABEL.match(folded)
    if not label:
        return folded
    word, rest = label["label"], folded[label.end() :]
    return rest if word in _DEMANDS else f"{word} {rest}"


def told_texts(tree: Tree) -> frozenset[str]:
    """Return the texts of the rules of a tree's own files that it tells at some time, in a form in
    which those told twice are the same.
    """
    return frozenset(
        told_form(rule.text)
        for domain in tree.domains
        if domain.is_active and domain.adopted is None
        for rule in tree.rules_of(domain)
    )


def repeated_rules(source: RuleSource, told: Collection[str]) -> Iterator[SourceRule]:
    """Yield the rules of a file that are among ``told``, as they stand there or with a heading
    above them before them, as trees that were adopted by earlier versions have them.
    """
    for heading in source.headings:
        for rule in heading.rules:
            own = told_form(rule.text)
            if own in told or any(f"{told_form(title)}: {own}" in told for title in heading.path):
                yield rule


def without_rules(
    path: str,
    text: str,
    told: Collection[str],
    *,
    told_lines: Collection[int] = (),
    dropped_imports: Collection[FileMention] = (),
) -> tuple[str, int]:
    """Return the text without the rules that are among ``told`` or begin on one of ``told_lines``,
    from 1, and without lines that only import one of ``dropped_imports``; and where the first of
    them stood, -1 where there was none.
    """
    source = read_source(path, text)
    index = LineIndex(text)
    rules = [rule for heading in source.headings for rule in heading.rules]
    repeated = {id(rule) for rule in repeated_rules(source, told)}
    repeated |= {id(rule) for rule in rules if rule.line in told_lines}
    stays = [place for rule in rules if id(rule) not in repeated for place in (rule.span,)]
    dropped = _lines_of(
        index, (place for rule in rules if id(rule) in repeated for place in (rule.span,))
    )
    dropped |= {mention.line - 1 for mention in dropped_imports}
    dropped -= _lines_of(index, stays)
    if not dropped:
        return text, -1
    first = min(dropped)
    dropped |= _empty_headings(text, index, dropped)
    starts = [start for start, _ in iter_lines(text)]
    ends = (*starts[1:], len(text))
    lines = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    remaining = list(_join_around(lines, dropped))
    if not "".join(lines[max(dropped) + 1 :]).strip():
        while remaining and not remaining[-1].strip():
            remaining.pop()
    remaining_text = "".join(remaining)
    offset = len("".join(_join_around(lines[:first], dropped)))
    return remaining_text, min(offset, len(remaining_text))


def _lines_of(index: LineIndex, places: Iterable[Span]) -> set[int]:
    return {
        line
        for place in places
        for line in range(index.line_of(place.start), index.line_of(place.end) + 1)
    }


def _empty_headings(text: str, index: LineIndex, dropped: Collection[int]) -> set[int]:
    """Return the lines of headings below which nothing is left, and of rulers there."""
    outline = parse_outline(text)
    filled: set[int] = set()
    touched: set[int] = set()
    for section in outline.sections:
        above = {section.index, *(parent.index for parent in outline.parents(section))}
        for line in section.lines:
            if index.line_of(line.span.start) in dropped:
                touched |= above
            elif says_something(line):
                filled |= above
    gone: set[int] = set()
    for section in outline.sections:
        if section.index in touched - filled and section.level:
            gone.add(index.line_of(section.title.span.start))
            rulers = (line for line in section.lines if _RULER.fullmatch(line.text))
            gone |= {index.line_of(line.span.start) for line in rulers}
    return gone


def says_something(line: Line) -> bool:
    """Return whether a line that is left beside rules told twice is more than a ruler or a
    comment.
    """
    return line.fence is not None or not _NOTHING.fullmatch(line.text)


_RULER = re.compile(r"\s*[-*_=]{3,}\s*")
_NOTHING = re.compile(r"\s*(?:[-*_=]{3,}|<!--.*-->)?\s*")


def _join_around(lines: list[str], dropped: Collection[int]) -> Iterator[str]:
    """Yield the lines that stay; where lines went between two empty ones, one of these is left."""
    blank_above, is_gap = True, False
    for number, line in enumerate(lines):
        if number in dropped:
            is_gap = True
            continue
        blank = not line.strip()
        if blank and blank_above and is_gap:
            continue
        blank_above, is_gap = blank, is_gap and blank
        yield line


def imports_of(path: str, text: str, targets: Collection[str]) -> tuple[FileMention, ...]:
    """Return the mentions in a file of instructions that tell rules twice because they import one
    of ``targets``, paths relative to the root, and stand alone on their line.
    """
    lines = text.splitlines()
    return tuple(
        mention
        for mention in read_source(path, text).imports
        if posixpath.normpath(posixpath.join(posixpath.dirname(path), mention.target)) in targets
        and lines[mention.line - 1].strip().strip("-*+ ") == f"@{mention.target}"
    )
