"""Mending what the linter found: the one fixer of the command line and of editors. No IO."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from synapse_ls.lint.diagnostic import Diagnostic, Fix
from synapse_ls.manage.lookup import changes
from synapse_ls.manage.plan import Plan
from synapse_ls.text.edit import TextEdit, apply_edits
from synapse_ls.workspace.tree import Tree

_ROUNDS = 20  # a fix may bring up another one; what goes on longer than this is a defect


@dataclass(frozen=True, slots=True)
class Mended:
    """The plan, how many findings it mends, and the tree as it will be."""

    plan: Plan
    count: int
    tree: Tree


def any_of(_: Diagnostic) -> bool:
    """Every finding."""
    return True


def plan_fixes(
    tree: Tree,
    check: Callable[[Tree], Iterable[Diagnostic]],
    *,
    unsafe: bool = False,
    wanted: Callable[[Diagnostic], bool] = any_of,
) -> Mended:
    """Apply the safe fixes of what ``check`` finds, until it finds none that is left.

    ``unsafe`` applies those too that may change what is injected; ``wanted`` leaves findings out.
    Of two fixes that touch each other the first is applied; the other one is looked at again in
    the text that results. A fix is applied whole or not at all, and taken back where the finding
    that it is for is still there afterwards.
    """
    now, count = tree, 0
    futile: set[_Same] = set()
    applied: Counter[_Same] = Counter()
    seen: Counter[_Same] = Counter()
    before = now
    for _ in range(_ROUNDS):
        found = [d for d in check(now) if d.fix and wanted(d) and (unsafe or d.fix.safe)]
        left = Counter(map(_same, found))
        useless = {same for same in applied if left[same] >= seen[same]}
        if useless:
            # The others of the round are due again, in the text as it was.
            futile |= useless
            now, count = before, count - applied.total()
            applied = Counter()
            continue
        edits: dict[str, list[TextEdit]] = {}
        fixes = ((d, d.fix) for d in found if d.fix and _same(d) not in futile)
        applied = Counter(_same(d) for d, fix in fixes if _take(fix, edits))
        if not applied:
            break
        before, seen = now, left
        now, count = _applied(now, edits), count + applied.total()
    return Mended(changes(tree, now), count, now)


_Same: TypeAlias = tuple[str, str, str]


def _same(found: Diagnostic) -> _Same:
    """What stays of a finding while its place moves."""
    return found.code, found.path, found.message


def _take(fix: Fix, edits: dict[str, list[TextEdit]]) -> bool:
    """Add the edits of a fix to those by path, unless one of them touches another."""
    for path, edit in fix.edits:
        for other in edits.get(path, ()):
            if edit.span.start <= other.span.end and other.span.start <= edit.span.end:
                return False
    for path, edit in fix.edits:
        edits.setdefault(path, []).append(edit)
    return True


def _applied(tree: Tree, edits: dict[str, list[TextEdit]]) -> Tree:
    snapshot = tree.snapshot
    for path, own in edits.items():
        facts = snapshot.facts(path)
        snapshot = snapshot.overlay(path, apply_edits(facts.text if facts else "", own))
    return Tree(snapshot)
