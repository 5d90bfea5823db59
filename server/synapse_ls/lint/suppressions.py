"""Apply suppression comments (``synapse: ignore[...]``) to diagnostics, and write new ones.

A finding is suppressed by ``ignore`` on its first or last line, by ``ignore-next-line`` above its
first (several may be stacked), or by ``ignore-file``. A finding about a whole file is on its first
line. Syntax: `synapse_ls.formats.suppression_comments`.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple

from synapse_ls.formats.suppression_comments import (
    FILE,
    LINE,
    NEXT_LINE,
    SCOPES,
    CommentStyle,
    Directive,
)
from synapse_ls.formats.yaml_tree import parse_yaml
from synapse_ls.lint.comment_syntax import (
    COMMENT_STYLES,
    file_directives,
    is_prose,
    is_within,
    yaml_and_fenced_regions,
)
from synapse_ls.lint.lint_rule import weak_cache
from synapse_ls.lint.rule_selection import ALL, Policy, is_known_selector, matches_selector
from synapse_ls.lint.rules.syntax import BARE_SUPPRESSION, UNUSED_SUPPRESSION, unused_suppression
from synapse_ls.text.finding import Finding
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.line_index import line_break_style
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace import chati_places
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind

# Codes of the rules that are about the comments themselves.
_COMMENT_RULES = {UNUSED_SUPPRESSION.code, BARE_SUPPRESSION.code}
_TOML_KINDS = (FileKind.CONFIG, FileKind.TESTS)
_YAML_KINDS = (
    FileKind.SQUAD, FileKind.WORKFLOW, FileKind.WORKFLOW_STATE, FileKind.PATTERNS, FileKind.CHAINS,
    *chati_places.YAML_KINDS,
)  # fmt: skip

# The line of what holds for a whole file.
WHOLE_FILE = -1


class Suppression(NamedTuple):
    """A directive with the lines that it covers: its own, and for some the next one."""

    directive: Directive
    lines: tuple[int, ...]


@weak_cache
def file_suppressions(facts: FileFacts) -> tuple[Suppression, ...]:
    """Return the suppressions of a file: its valid directives, each with the lines that it
    covers; `WHOLE_FILE` stands for all.
    """
    directives = [(facts.lines.line_of(d.span.start), d) for d in file_directives(facts)]
    alone = {line for line, directive in directives if directive.alone}
    suppressions = []
    for line, directive in directives:
        word = directive.word.value
        lines: tuple[int, ...] = (WHOLE_FILE if word == FILE else line,)
        if word == NEXT_LINE:
            following = next(number for number in count(line + 1) if number not in alone)
            lines = (line, following)
        if word in SCOPES:
            suppressions.append(Suppression(directive, lines))
    return tuple(suppressions)


def apply_suppressions(
    diagnostics: Sequence[Finding], facts: FileFacts, policy: Policy
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return the diagnostics of a file that are not suppressed, and the findings about useless
    comments.

    A comment is not reported as unused where the rule that it names was not run.
    """
    every = file_directives(facts) if policy.heeds_comments else ()
    if not every:
        return tuple(diagnostics), ()
    # Line -> the directives that cover it.
    suppressions = file_suppressions(facts)
    by_line = group_pairs((line, each.directive) for each in suppressions for line in each.lines)
    used: set[Span] = set()
    remaining = []
    for diagnostic in diagnostics:
        taking = set(_silencing_spans(diagnostic, facts, by_line))
        used |= taking
        if not taking:
            remaining.append(diagnostic)
    unused = []
    for directive in every:
        # A directive on the line, or for the file, may suppress `unused-suppression` itself.
        line = facts.lines.line_of(directive.span.start)
        around = chain(by_line.get(line, ()), by_line.get(WHOLE_FILE, ()))
        names = {selector.value for other in around for selector in other.selectors}
        if names.isdisjoint((UNUSED_SUPPRESSION.code, UNUSED_SUPPRESSION.name)):
            idle = _idle_spans(directive, used, facts, policy)
            unused.append(unused_suppression.directive_finding(facts, directive, idle, diagnostics))
    return tuple(remaining), tuple(filter(None, unused))


def _silencing_spans(
    diagnostic: Finding, facts: FileFacts, by_line: Mapping[int, list[Directive]]
) -> Iterable[Span]:
    """Yield the spans of the selectors that silence a diagnostic, or of directives without
    selectors.
    """
    start, end = diagnostic.span
    first, last = facts.lines.line_of(start), facts.lines.line_of(max(start, end - 1))
    for line in {first, last, WHOLE_FILE}:
        for directive in by_line.get(line, ()):
            if line != first and directive.word.value == NEXT_LINE:
                continue
            # A comment without names cannot silence what is said of it.
            if directive.selector_span is None and diagnostic.code != BARE_SUPPRESSION.code:
                yield directive.span
            for selector in directive.selectors:
                if matches_selector((selector.value,), diagnostic):
                    yield selector.span


def _idle_spans(
    directive: Directive, used: set[Span], facts: FileFacts, policy: Policy
) -> set[Span]:
    """Return the spans of the selectors that silence nothing, or of the directive itself if it has
    none.
    """
    if directive.selector_span is None:
        idle = directive.span not in used and policy.decides(ALL, facts.path)
        return {directive.span} if idle else set()
    return {
        selector.span
        for selector in directive.selectors
        if selector.span not in used
        and is_known_selector(selector.value)
        and policy.decides(selector.value, facts.path)
    }


def suppression_edit(facts: FileFacts, span: Span, codes: Iterable[str]) -> TextEdit | None:
    """Return the edit that suppresses rules, given by their codes, for a finding at ``span``.

    The codes are added to a directive that covers this line already. Else one is written: above the
    line where a comment may stand there, behind it in prose, for the whole file where neither is
    possible. None where the file has no comments, or where they suppress the rules already.
    """
    line = facts.lines.line_of(span.start)
    here = [s.directive for s in file_suppressions(facts) if line == s.lines[-1] and facts.text]
    if not (missing := _missing_codes(facts, here, codes)):
        return None
    return _extend_directive(facts, here, missing) or _new_directive(facts, line, missing)


def file_suppression_edit(facts: FileFacts, codes: Iterable[str]) -> TextEdit | None:
    """Return the edit that suppresses rules in a whole file, None where it has no comments or does
    so already.
    """
    whole = [s.directive for s in file_suppressions(facts) if s.lines == (WHOLE_FILE,)]
    if not (missing := _missing_codes(facts, whole, codes)):
        return None
    # In the first line, or in the second one of front matter.
    front = facts.text.startswith("---")
    marked = COMMENT_STYLES[facts.kind] is CommentStyle.MARKUP and not front
    at = facts.lines.line_span(1).start if front and facts.lines.line_count > 1 else 0
    comment = _format_directive(FILE, missing, marked=marked) + line_break_style(facts.text)
    return _extend_directive(facts, whole, missing) or TextEdit(Span(at, at), comment)


def _missing_codes(
    facts: FileFacts, directives: Sequence[Directive], codes: Iterable[str]
) -> tuple[str, ...]:
    """Return the codes that no directive lists yet; nothing where a directive suppresses every
    rule.
    """
    if facts.kind not in COMMENT_STYLES or any(
        directive.selector_span is None for directive in directives
    ):
        return ()
    named = {selector.value for directive in directives for selector in directive.selectors}
    return tuple(code for code in dict.fromkeys(codes) if code not in named | _COMMENT_RULES)


def _extend_directive(
    facts: FileFacts, directives: Sequence[Directive], codes: Sequence[str]
) -> TextEdit | None:
    """Return the edit that adds the codes to the first directive that can take them."""
    for directive in directives:
        if directive.selector_span is not None and facts.text.startswith(
            "]", directive.selector_span.end
        ):
            names = (selector.value for selector in directive.selectors)
            return TextEdit(directive.selector_span, ", ".join((*names, *codes)))
    return None


def _new_directive(facts: FileFacts, line: int, codes: Sequence[str]) -> TextEdit | None:
    """Return the edit that writes a new directive for a line."""
    text, place = facts.text, facts.lines.line_span(line)
    yaml, fenced = (
        yaml_and_fenced_regions(text)
        if COMMENT_STYLES[facts.kind] is CommentStyle.MARKUP
        else ((), ())
    )
    front = text.startswith("---") and line == 0
    if (
        not text.strip()
        or front
        or is_within(place.start, fenced)
        or _is_inside_multiline_text(facts, place, yaml)
    ):
        return file_suppression_edit(facts, codes)
    if is_prose(facts) and not is_within(place.start, yaml):
        behind = (d.span.start for d in file_directives(facts) if place.contains(d.span.start))
        end = place.start + len(text[place.start : min(behind, default=place.end)].rstrip())
        return TextEdit(Span(end, end), f" {_format_directive(LINE, codes, marked=True)}")
    body = place.cut(text)
    indent = body[: len(body) - len(body.lstrip(" \t"))]
    comment = indent + _format_directive(NEXT_LINE, codes, marked=False) + line_break_style(text)
    return TextEdit(Span(place.start, place.start), comment)


def _format_directive(word: str, codes: Sequence[str], *, marked: bool) -> str:
    """Return the text of a directive's comment, in HTML form where ``marked``."""
    clause = f"synapse: {word}[{', '.join(codes)}]"
    return f"<!-- {clause} -->" if marked else f"# {clause}"


def _is_inside_multiline_text(facts: FileFacts, line: Span, yaml: Sequence[Span]) -> bool:
    """Return whether the line is inside a multi-line text (TOML or YAML), where nothing is a
    comment.
    """
    if facts.kind in _TOML_KINDS:
        return any(facts.text.count(quotes, 0, line.start) % 2 for quotes in ('"""', "'''"))
    if facts.kind not in _YAML_KINDS and not yaml:
        return False
    region = next((place for place in yaml if place.contains(line.start)), None)
    if yaml and region is None:
        return False
    root = parse_yaml(facts.text, region=region).document
    scalars = (node.span for node in root.walk() if node.kind == "scalar") if root else ()
    return any(span.start < line.start <= span.end for span in scalars)
