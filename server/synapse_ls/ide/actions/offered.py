"""What an editor offers to change at a place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from synapse_ls.ide.actions import brainiac, files, migration, quick, remedies, rewrite, syncing
from synapse_ls.ide.actions.action import FIX_ALL, QUICK_FIX, REWRITE, Action, Asked, Named
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span

_OFFERS: tuple[tuple[str, Callable[[Asked], Iterator[Action]]], ...] = (
    (QUICK_FIX, quick.fixes),
    (QUICK_FIX, files.rule_files),
    (QUICK_FIX, files.manifests),
    (QUICK_FIX, remedies.ways_out),
    (QUICK_FIX, syncing.syncing),
    (QUICK_FIX, rewrite.waking),
    (QUICK_FIX, quick.fixes_of_a_kind),
    (QUICK_FIX, quick.silence),
    (REWRITE, rewrite.switches),
    (REWRITE, rewrite.states),
    (REWRITE, rewrite.profiles),
    (REWRITE, brainiac.items),
    (REWRITE, migration.migration),
    (FIX_ALL, quick.fix_everything),
)
"""What makes actions of which kind, in the order in which they are offered."""


def actions(
    view: View,
    path: str,
    span: Span,
    only: Sequence[str] = (),
    named: Iterable[Named] = (),
) -> tuple[Action, ...]:
    """The actions for a part of the file ``path``, and for findings that are ``named``.

    ``only`` are the kinds that are asked for, none of them means all.

    A title stands for one action: of several that would do the same at once the first counts.
    """
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.read:
        return ()
    asked = Asked(view, facts, span, tuple(only), frozenset(named))
    found: dict[tuple[str, str], Action] = {}
    for kind, offer in _OFFERS:
        if asked.wants(kind):
            for action in offer(asked):
                found.setdefault((action.title, _place(action)), action)
    return tuple(found.values())


def _place(action: Action) -> str:
    """What tells two actions of one title apart: the first finding that they solve."""
    return str(action.solves[0].span) if action.solves else ""
