"""In the manifest of a CARL tree: to make a tree of ``.synapse/`` of it."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.ide.actions.action import REWRITE, Action, Asked
from synapse_ls.manage.plan import Plan
from synapse_ls.workspace.folders import CARL, CARL_FILE

_OFFERED = (f"{CARL}/manifest", CARL_FILE)


def migration(asked: Asked) -> Iterator[Action]:
    """`synapse migrate`, which asks before it does anything."""
    if asked.facts.path in _OFFERED:
        title = "Make a tree of .synapse/ of this (synapse migrate)"
        yield Action(title, REWRITE, Plan, command="synapse.migrate")
