"""Quick fixes: what mends a finding, all findings of its kind, or keeps the linter silent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from synapse_ls.ide.actions.action import (
    FIX_ALL,
    QUICK_FIX,
    Action,
    Asked,
    every_finding,
    findings,
    plan_of,
)
from synapse_ls.lint.diagnostic import Diagnostic
from synapse_ls.lint.suppressions import file_suppression_edit, suppression_edit
from synapse_ls.manage.fix import plan_fixes
from synapse_ls.manage.plan import Plan, edit
from synapse_ls.text.edit import TextEdit
from synapse_ls.workspace.tree import Tree


def fixes(asked: Asked) -> Iterator[Action]:
    """What each finding brings with it is what is meant.

    That it is meant does not make it safe: nobody applies it unseen (LSP 3.18, "isPreferred").
    """
    snapshot = asked.tree.snapshot
    for found in asked.found:
        fix = found.fix
        if fix is None:
            continue
        missing = any(snapshot.facts(path) is None for path, _ in fix.edits)
        yield Action(
            fix.title,
            QUICK_FIX,
            partial(plan_of, snapshot, fix),
            (found,),
            preferred=True,
            operations=frozenset(("create",)) if missing else frozenset(),
        )


def fixes_of_a_kind(asked: Asked) -> Iterator[Action]:
    """All that a rule finds, in the file where there is more than one, and in the workspace."""
    path, tree = asked.facts.path, asked.tree
    for code, found in _fixable(asked).items():
        like = [one for one in findings(tree, path) if one.code == code and _is_safe(one)]
        what = f"{code} ({found.name})"
        if len(like) > 1:
            plan = partial(_mended, tree, lambda now: findings(now, path), code)
            yield Action(f"Fix all {what} in this file", QUICK_FIX, plan, tuple(like))
        plan = partial(_mended, tree, every_finding, code)
        yield Action(f"Fix all {what} in the workspace", QUICK_FIX, plan, (found,))


def fix_everything(asked: Asked) -> Iterator[Action]:
    """Every safe fix of the file."""
    path, tree = asked.facts.path, asked.tree
    if any(map(_is_safe, findings(tree, path))):
        plan = partial(_mended, tree, lambda now: findings(now, path), "")
        yield Action("Fix all that Synapse can fix safely", FIX_ALL, plan)


def silence(asked: Asked) -> Iterator[Action]:
    """Comments that keep the linter silent about a finding, here or in the whole file."""
    facts = asked.facts
    for code, found in {one.code: one for one in reversed(asked.found)}.items():
        for where, change in (
            ("here", suppression_edit(facts, found.span, (code,))),
            ("in this file", file_suppression_edit(facts, (code,))),
        ):
            if change:
                plan = partial(_edited, facts.path, facts.text, change)
                yield Action(f"Ignore {code} ({found.name}) {where}", QUICK_FIX, plan, (found,))


def _fixable(asked: Asked) -> dict[str, Diagnostic]:
    """Code -> the first finding here of which a safe fix is known."""
    return {found.code: found for found in reversed(asked.found) if _is_safe(found)}


def _is_safe(found: Diagnostic) -> bool:
    return found.fix is not None and found.fix.safe


def _mended(tree: Tree, find: Callable[[Tree], Iterable[Diagnostic]], code: str) -> Plan:
    """What the one fixer makes of it."""
    return plan_fixes(tree, find, wanted=lambda found: not code or found.code == code).plan


def _edited(path: str, text: str, change: TextEdit) -> Plan:
    return Plan((edit(path, text, (change,)),))
