"""Mending what the linter found: the one fixer of the command line and of editors. No IO."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

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
    the text that results. A fix is applied whole or not at all.
    """
    now, count = tree, 0
    for _ in range(_ROUNDS):
        edits: dict[str, list[TextEdit]] = {}
        fixes = [found.fix for found in check(now) if found.fix and wanted(found)]
        taken = sum(_take(fix, edits) for fix in fixes if unsafe or fix.safe)
        if not taken:
            break
        now, count = _applied(now, edits), count + taken
    return Mended(changes(tree, now), count, now)


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
