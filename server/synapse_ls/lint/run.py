"""Running the rules, on a whole tree or on one of its files.

A file's diagnostics depend on the tree and the policy and on nothing else; ``incremental.py`` keeps
them by path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from synapse_ls.formats.problem import Problem
from synapse_ls.lint.diagnostic import Diagnostic, Finding, Related
from synapse_ls.lint.fixes import is_understood
from synapse_ls.lint.lookup import first_line
from synapse_ls.lint.parts import OF_CONTENT, parts, without_fixes
from synapse_ls.lint.policy import Policy
from synapse_ls.lint.registry import claimed, rules
from synapse_ls.lint.rule import FileRule, ProblemRule, Rule, TreeRule
from synapse_ls.lint.rules.merge_conflict import RULE as CONFLICT
from synapse_ls.lint.rules.unused_suppression import RULE as UNUSED
from synapse_ls.lint.selectors import takes
from synapse_ls.lint.suppressions import suppressed
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.folders import is_above
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from synapse_ls.workspace.scan import LoadNote

Saw = tuple[Rule, Finding]
Found = Iterator[Saw]


def check(
    tree: Tree,
    *,
    notes: Iterable[LoadNote] = (),
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    exclude: Sequence[str] = (),
    asked: Iterable[str] = (),
    progress: Callable[[int, int], object] = lambda _done, _total: None,
) -> tuple[Diagnostic, ...]:
    """Everything that is to be said about a tree, sorted by path, place and code.

    ``notes`` are those of the loader; ``select``, ``ignore``, ``exclude`` and ``asked`` are
    as in `Policy`.
    ``progress`` is told before each file how many of how many are done.
    """
    policy = Policy(tree.snapshot.config.lint, select, ignore, exclude=exclude, asked=asked)
    by_path = grouped(notes)
    found: list[Diagnostic] = []
    paths = sorted({*tree.snapshot.paths(), *by_path})
    for done, path in enumerate(paths):
        progress(done, len(paths))
        found += check_file(tree, path, policy, by_path.get(path, ()))
    return tuple(found)


def check_file(
    tree: Tree, path: str, policy: Policy, notes: Iterable[LoadNote] = ()
) -> tuple[Diagnostic, ...]:
    """What is to be said about one path, sorted by place and code; ``notes`` are those of the path."""
    facts = tree.snapshot.facts(path)
    own = own_findings(facts, path, policy, notes)
    return together(facts, own, tree_findings(tree, path, policy), policy)


def own_findings(
    facts: FileFacts | None, path: str, policy: Policy, notes: Iterable[LoadNote] = ()
) -> tuple[Diagnostic, ...]:
    """What loader, parser and rules see in a file, whatever the others contain."""
    return _reported(path, policy, (*_in_notes(facts, notes), *_in_file(facts, policy)))


class Stopped(Exception):  # noqa: N818
    """A check was given up half way."""


def tree_findings(
    tree: Tree, path: str, policy: Policy, stop: Callable[[], bool] = bool
) -> tuple[Diagnostic, ...]:
    """What rules see in a file in the light of the others.

    Raises Stopped when ``stop``, which is asked before each rule, says so.
    """
    facts = tree.snapshot.facts(path)
    if facts is None or is_above(path):
        return ()
    return _reported(path, policy, _in_tree(tree, facts, policy, stop))


def together(
    facts: FileFacts | None,
    own: Sequence[Diagnostic],
    wide: Iterable[Diagnostic],
    policy: Policy,
) -> tuple[Diagnostic, ...]:
    """All that is said about a file, from its own findings and those of the tree.

    What the file's comments suppress is left out, and comments that suppress nothing are reported. Of a
    file with a merge conflict nothing else is said.
    """
    conflict = tuple(one for one in own if one.code == CONFLICT.code)
    if facts is not None and (alone := suppressed(conflict, facts, policy)[0] if conflict else ()):
        return alone
    found: tuple[Diagnostic, ...] = (*own, *wide)
    if facts is not None:
        found, unused = suppressed(found, facts, policy)
        found += _reported(facts.path, policy, ((UNUSED, finding) for finding in unused))
    return tuple(sorted(found, key=lambda d: (d.span, d.code, d.message)))


def grouped(notes: Iterable[LoadNote]) -> Mapping[str, tuple[LoadNote, ...]]:
    """Notes by path, each of them once."""
    found: dict[str, tuple[LoadNote, ...]] = {}
    for note in dict.fromkeys(notes):
        found[note.path] = (*found.get(note.path, ()), note)
    return found


def _reported(path: str, policy: Policy, found: Iterable[Saw]) -> tuple[Diagnostic, ...]:
    """The findings that the policy lets through, as it weighs them."""
    if not policy.lints(path):
        return ()
    ignored = policy.ignored_in(path)
    return tuple(
        _diagnostic(path, rule, finding, policy)
        for rule, finding in found
        if policy.runs(rule) and not takes(ignored, rule)
    )


def _in_file(facts: FileFacts | None, policy: Policy) -> Found:
    """What parsers and rules have found in a file."""
    if facts is None or is_above(facts.path):  # it is looked at where it belongs
        return
    for problem in facts.problems:
        yield _claim(facts, problem)
    for rule in _looking(policy, facts.kind):
        if isinstance(rule, FileRule):
            yield from ((rule, finding) for finding in rule.check(facts))
    for part in parts(facts):
        for rule in _looking(policy, part.kind):
            if isinstance(rule, FileRule) and rule.name in OF_CONTENT:
                yield from ((rule, finding) for finding in without_fixes(rule.check(part)))


def _in_tree(tree: Tree, facts: FileFacts, policy: Policy, stop: Callable[[], bool]) -> Found:
    """What rules have found in a file that need the others too."""
    for rule in _looking(policy, facts.kind):
        if isinstance(rule, TreeRule):
            if stop():
                raise Stopped
            yield from ((rule, finding) for finding in rule.check(tree, facts))
    for part in parts(facts):
        for rule in _looking(policy, part.kind):
            if isinstance(rule, TreeRule) and rule.name in OF_CONTENT:
                if stop():
                    raise Stopped
                yield from ((rule, finding) for finding in without_fixes(rule.check(tree, part)))


@lru_cache(maxsize=256)
def _looking(policy: Policy, kind: FileKind) -> tuple[FileRule | TreeRule, ...]:
    """The rules that look at files of a kind, but for those that do not run at all."""
    looking = (rule for rule in rules() if isinstance(rule, FileRule | TreeRule))
    return tuple(rule for rule in looking if kind in rule.kinds and policy.runs(rule))


def _in_notes(facts: FileFacts | None, notes: Iterable[LoadNote]) -> Found:
    """What the loader has refused; it concerns the whole of the path."""
    for note in notes:
        rule = claimed()[note.kind]
        yield rule, Finding(first_line(facts), note.message, note.remedy or rule.remedy)


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
