"""Running the rules, on a whole tree or on one of its files.

A file's diagnostics depend on the tree and the policy and on nothing else; ``incremental.py`` keeps
them by path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from synapse_ls.formats.problem import Problem
from synapse_ls.lint.diagnostic import Diagnostic, Finding, Related
from synapse_ls.lint.fixes import is_understood
from synapse_ls.lint.lookup import first_line
from synapse_ls.lint.policy import Policy, is_vendored
from synapse_ls.lint.registry import claimed, rules
from synapse_ls.lint.rule import FileRule, ProblemRule, Rule, TreeRule
from synapse_ls.lint.selectors import takes
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from synapse_ls.workspace.scan import LoadNote

Found = Iterator[tuple[Rule, Finding]]


def check(
    tree: Tree,
    *,
    notes: Iterable[LoadNote] = (),
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
) -> tuple[Diagnostic, ...]:
    """Everything that is to be said about a tree, sorted by path, place and code.

    ``notes`` are those of the loader; ``select`` and ``ignore`` are as in `Policy`.
    """
    policy = Policy(tree.snapshot.config.lint, select, ignore)
    by_path = grouped(notes)
    return tuple(
        diagnostic
        for path in sorted({*tree.snapshot.paths(), *by_path})
        for diagnostic in check_file(tree, path, policy, by_path.get(path, ()))
    )


def check_file(
    tree: Tree, path: str, policy: Policy, notes: Iterable[LoadNote] = ()
) -> tuple[Diagnostic, ...]:
    """What is to be said about one path, sorted by place and code; ``notes`` are those of the path."""
    if is_vendored(path):
        return ()
    facts = tree.snapshot.facts(path)
    ignored = policy.ignored_in(path)
    found = [
        _diagnostic(path, rule, finding, policy)
        for rule, finding in (*_in_notes(facts, notes), *_in_file(tree, facts))
        if policy.runs(rule) and not takes(ignored, rule)
    ]
    return tuple(sorted(found, key=lambda d: (d.span, d.code, d.message)))


def grouped(notes: Iterable[LoadNote]) -> Mapping[str, tuple[LoadNote, ...]]:
    """Notes by path, each of them once."""
    found: dict[str, tuple[LoadNote, ...]] = {}
    for note in dict.fromkeys(notes):
        found[note.path] = (*found.get(note.path, ()), note)
    return found


def _in_file(tree: Tree, facts: FileFacts | None) -> Found:
    """What parsers and rules have found in a file."""
    if facts is None:
        return
    for problem in facts.problems:
        yield _claim(facts, problem)
    for rule in _looking_at(facts.kind):
        found = rule.check(facts) if isinstance(rule, FileRule) else rule.check(tree, facts)
        yield from ((rule, finding) for finding in found)


@cache
def _looking_at(kind: FileKind) -> tuple[FileRule | TreeRule, ...]:
    """The rules that look at files of a kind."""
    looking = (rule for rule in rules() if isinstance(rule, FileRule | TreeRule))
    return tuple(rule for rule in looking if kind in rule.kinds)


def _in_notes(facts: FileFacts | None, notes: Iterable[LoadNote]) -> Found:
    """What the loader has refused; it concerns the whole of the path."""
    for note in notes:
        rule = claimed()[note.kind]
        yield rule, Finding(first_line(facts), note.message, rule.remedy)


def _claim(facts: FileFacts, problem: Problem) -> tuple[ProblemRule, Finding]:
    rule = claimed()[problem.kind]
    return rule, Finding(
        problem.span,
        problem.message,
        problem.remedy or rule.remedy,
        rule.fix(facts, problem) if rule.fix else None,
        _first(facts, problem),
        rule.understood if is_understood(problem) else None,
    )


def _first(facts: FileFacts, problem: Problem) -> tuple[Related, ...]:
    """Of two that are the same, the first one's place."""
    data = dict(problem.data)
    if "first_start" not in data:
        return ()
    span = Span(int(data["first_start"]), int(data["first_end"]))
    return (Related(facts.path, span, "The first one is here."),)


def _diagnostic(path: str, rule: Rule, finding: Finding, policy: Policy) -> Diagnostic:
    return Diagnostic(
        rule.code,
        rule.name,
        policy.severity(rule) or finding.severity or rule.severity,
        path,
        finding.span,
        finding.message,
        finding.remedy,
        finding.fix,
        finding.related,
    )
