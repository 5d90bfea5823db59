"""This module is the registry of code actions: its table lists every source, whose actions are
collected for a place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from synapse_ls.ide.actions import quick_fixes, refactorings, remedy_actions
from synapse_ls.ide.actions.code_action import (
    FIX_ALL,
    QUICK_FIX,
    REWRITE,
    Action,
    ActionRequest,
    FindingKey,
)
from synapse_ls.ide.tree_view import View
from synapse_ls.lint.diagnostic import Diagnostic
from synapse_ls.text.span import Span

_OFFERS: tuple[tuple[str, Callable[[ActionRequest], Iterator[Action]]], ...] = (
    (QUICK_FIX, quick_fixes.finding_fixes),
    (QUICK_FIX, quick_fixes.missing_rule_files),
    (QUICK_FIX, quick_fixes.missing_manifests),
    (QUICK_FIX, remedy_actions.remedy_actions),
    (QUICK_FIX, quick_fixes.synced_file_fixes),
    (QUICK_FIX, refactorings.live_profile_fix),
    (QUICK_FIX, quick_fixes.rule_fixes),
    (QUICK_FIX, quick_fixes.suppression_comments),
    (REWRITE, refactorings.domain_switches),
    (REWRITE, refactorings.missing_states),
    (REWRITE, refactorings.live_profile),
    (REWRITE, refactorings.short_term_items),
    (REWRITE, refactorings.carl_migration),
    (FIX_ALL, quick_fixes.file_fixes),
)
"""What makes actions of which kind, in the order in which they are offered."""


def code_actions(
    view: View,
    path: str,
    span: Span,
    kinds: Sequence[str] = (),
    named_findings: Iterable[FindingKey] = (),
    is_shown: Callable[[Diagnostic], bool] = lambda _: True,
) -> tuple[Action, ...]:
    """Collects the code actions of every source in the table, for a part of the file ``path`` and
    for the findings in ``named_findings``.

    ``kinds`` are the kinds of actions that are wanted, none means all. ``is_shown``: whether the
    editor shows a finding. A title stands for one
    action: of several that would do the same at once the first counts.
    """
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.is_read:
        return ()
    asked = ActionRequest(view, facts, span, tuple(kinds), frozenset(named_findings), is_shown)
    found: dict[tuple[str, str], Action] = {}
    for kind, offer in _OFFERS:
        if asked.wants(kind):
            for action in offer(asked):
                found.setdefault((action.title, _first_finding_place(action)), action)
    return tuple(found.values())


def _first_finding_place(action: Action) -> str:
    """Returns what tells two actions of one title apart: the place of the first finding that they
    solve.
    """
    return str(action.solves[0].span) if action.solves else ""
