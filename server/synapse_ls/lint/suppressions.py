"""What comments keep silent, and the comment that would: see `synapse_ls.formats.directives`.

A finding is silenced by ``ignore`` on its first or its last line, by ``ignore-next-line`` on the line
above its first, and by ``ignore-file`` anywhere. Several of the second kind may stand above each
other. What concerns a whole file is on its first line, whatever that is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from synapse_ls.formats.directives import FILE, LINE, NEXT_LINE, SCOPES, Comments, Directive
from synapse_ls.formats.yaml_tree import Node, parse_yaml
from synapse_ls.lint.comments import COMMENTS, directives_of, is_prose, regions, within
from synapse_ls.lint.diagnostic import Diagnostic, Finding
from synapse_ls.lint.fixes import line_break
from synapse_ls.lint.lookup import once
from synapse_ls.lint.policy import Policy
from synapse_ls.lint.rules import bare_suppression, unused_suppression
from synapse_ls.lint.selectors import ALL, is_known, takes
from synapse_ls.text.edit import TextEdit
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind

_OWN = {unused_suppression.RULE.code, bare_suppression.RULE.code}  # about the comments themselves
_BARE = bare_suppression.RULE.code  # what a comment without names cannot silence: itself
_TOML = (FileKind.CONFIG, FileKind.TESTS)
_YAML = (
    FileKind.SQUAD,
    FileKind.WORKFLOW,
    FileKind.WORKFLOW_STATE,
    FileKind.PATTERNS,
    FileKind.CHAINS,
)

EVERYWHERE = -1
"""The line of what holds for a whole file."""


class Suppression(NamedTuple):
    """A directive and the lines that it is about: its own, and for some the next one."""

    directive: Directive
    lines: tuple[int, ...]


@once
def suppressions(facts: FileFacts) -> tuple[Suppression, ...]:
    """The directives of a file with the lines that they are about; without those in other words."""
    found = directives_of(facts)
    alone = {facts.lines.line_of(d.span.start) for d in found if d.alone}
    return tuple(
        Suppression(directive, _lines(directive, facts.lines.line_of(directive.span.start), alone))
        for directive in found
        if directive.word.value in SCOPES
    )


def _lines(directive: Directive, own: int, alone: Iterable[int]) -> tuple[int, ...]:
    if directive.word.value == FILE:
        return (EVERYWHERE,)
    if directive.word.value == LINE:
        return (own,)
    following = own + 1
    while following in alone:
        following += 1
    return own, following


def suppressed(
    found: Sequence[Diagnostic], facts: FileFacts, policy: Policy
) -> tuple[tuple[Diagnostic, ...], tuple[Finding, ...]]:
    """What is left of the findings in a file, and what is to be said about the comments.

    A comment is not blamed for silencing nothing where the rule that it names was not run.
    """
    every = directives_of(facts)
    if not every:
        return tuple(found), ()
    by_line = _by_line(suppressions(facts))
    used: set[Span] = set()
    kept = []
    for diagnostic in found:
        taking = set(_taking(diagnostic, facts, by_line))
        used |= taking
        if not taking:
            kept.append(diagnostic)
    unused = (
        unused_suppression.finding(facts, directive, _idle(directive, used, facts, policy), found)
        for directive in every
        if not _is_excused(facts.lines.line_of(directive.span.start), by_line)
    )
    return tuple(kept), tuple(finding for finding in unused if finding)


def _by_line(found: Iterable[Suppression]) -> Mapping[int, list[Directive]]:
    by_line: dict[int, list[Directive]] = {}
    for suppression in found:
        for line in suppression.lines:
            by_line.setdefault(line, []).append(suppression.directive)
    return by_line


def _taking(
    diagnostic: Diagnostic, facts: FileFacts, by_line: Mapping[int, list[Directive]]
) -> Iterable[Span]:
    """The selectors, or the directives that have none, that silence a finding."""
    start, end = diagnostic.span
    first, last = facts.lines.line_of(start), facts.lines.line_of(max(start, end - 1))
    for line in {first, last, EVERYWHERE}:
        for directive in by_line.get(line, ()):
            if line != first and directive.word.value == NEXT_LINE:
                continue
            if directive.listed is None and diagnostic.code != _BARE:
                yield directive.span
            for selector in directive.selectors:
                if takes((selector.value,), diagnostic):
                    yield selector.span


def _idle(directive: Directive, used: set[Span], facts: FileFacts, policy: Policy) -> set[Span]:
    """The selectors that silence nothing, or the directive itself if that has none."""
    if directive.listed is None:
        idle = directive.span not in used and policy.decides(ALL, facts.path)
        return {directive.span} if idle else set()
    return {
        selector.span
        for selector in directive.selectors
        if selector.span not in used
        and is_known(selector.value)
        and policy.decides(selector.value, facts.path)
    }


def _is_excused(line: int, by_line: Mapping[int, list[Directive]]) -> bool:
    """Whether a directive says by its name that unused ones are none of our business here."""
    rule = unused_suppression.RULE
    return any(
        selector.value in (rule.code, rule.name)
        for at in (line, EVERYWHERE)
        for directive in by_line.get(at, ())
        for selector in directive.selectors
    )


def suppression_edit(facts: FileFacts, span: Span, codes: Iterable[str]) -> TextEdit | None:
    """The edit that silences rules, given by their codes, for a finding at ``span``.

    A directive that is about this line already takes them in. Else one is written: above the line
    where a comment may stand there, behind it in prose, for the whole file where neither is possible.
    None where the file has no comments, or where they say it already.
    """
    line = facts.lines.line_of(span.start)
    here = [s.directive for s in suppressions(facts) if line == s.lines[-1] and facts.text]
    missing = _missing(facts, here, codes)
    return (_merged(facts, here, missing) or _written(facts, line, missing)) if missing else None


def file_suppression_edit(facts: FileFacts, codes: Iterable[str]) -> TextEdit | None:
    """The edit that silences rules in a whole file, None where it has no comments or says so already."""
    whole = [s.directive for s in suppressions(facts) if s.lines == (EVERYWHERE,)]
    missing = _missing(facts, whole, codes)
    return (_merged(facts, whole, missing) or _on_top(facts, missing)) if missing else None


def _missing(facts: FileFacts, known: Sequence[Directive], codes: Iterable[str]) -> tuple[str, ...]:
    """The codes that none of the directives has yet; none at all where one of them has every code."""
    if facts.kind not in COMMENTS or any(directive.listed is None for directive in known):
        return ()
    named = {selector.value for directive in known for selector in directive.selectors}
    return tuple(code for code in dict.fromkeys(codes) if code not in named | _OWN)


def _merged(facts: FileFacts, known: Sequence[Directive], codes: Sequence[str]) -> TextEdit | None:
    """The codes added to the first directive that can take them."""
    for directive in known:
        if directive.listed is not None and facts.text.startswith("]", directive.listed.end):
            names = (selector.value for selector in directive.selectors)
            return TextEdit(directive.listed, ", ".join((*names, *codes)))
    return None


def _on_top(facts: FileFacts, codes: Sequence[str]) -> TextEdit:
    """A directive for the whole file: its first line, in front matter the second one."""
    front = facts.text.startswith("---")
    marked = COMMENTS[facts.kind] is Comments.MARKUP and not front
    at = facts.lines.line_span(1).start if front and facts.lines.line_count > 1 else 0
    comment = _comment(FILE, codes, marked=marked)
    return TextEdit(Span(at, at), comment + line_break(facts.text))


def _written(facts: FileFacts, line: int, codes: Sequence[str]) -> TextEdit | None:
    """A directive of its own for a line."""
    text, place = facts.text, facts.lines.line_span(line)
    yaml, fenced = regions(text) if COMMENTS[facts.kind] is Comments.MARKUP else ((), ())
    front = text.startswith("---") and line == 0
    if not text.strip() or front or within(place.start, fenced) or _goes_on(facts, place, yaml):
        return file_suppression_edit(facts, codes)
    if is_prose(facts) and not within(place.start, yaml):
        behind = (d.span.start for d in directives_of(facts) if place.contains(d.span.start))
        end = place.start + len(text[place.start : min(behind, default=place.end)].rstrip())
        return TextEdit(Span(end, end), f" {_comment(LINE, codes, marked=True)}")
    body = place.cut(text)
    indent = body[: len(body) - len(body.lstrip(" \t"))]
    comment = indent + _comment(NEXT_LINE, codes, marked=False) + line_break(text)
    return TextEdit(Span(place.start, place.start), comment)


def _comment(word: str, codes: Sequence[str], *, marked: bool) -> str:
    said = f"synapse: {word}[{', '.join(codes)}]"
    return f"<!-- {said} -->" if marked else f"# {said}"


def _goes_on(facts: FileFacts, line: Span, yaml: Sequence[Span]) -> bool:
    """Whether the line is inside a text of several lines, where nothing is a comment."""
    if facts.kind in _TOML:
        return any(facts.text.count(quotes, 0, line.start) % 2 for quotes in ('"""', "'''"))
    if facts.kind not in _YAML and not yaml:
        return False
    region = next((place for place in yaml if place.contains(line.start)), None)
    if yaml and region is None:
        return False
    root = parse_yaml(facts.text, region=region).document
    return any(node.span.start < line.start <= node.span.end for node in _scalars(root))


def _scalars(root: Node | None) -> Iterator[Node]:
    waiting = [root] if root else []
    while waiting:
        node = waiting.pop()
        if node.kind == "scalar":
            yield node
        waiting += node.items
        waiting += (part for pair in node.pairs for part in pair)
