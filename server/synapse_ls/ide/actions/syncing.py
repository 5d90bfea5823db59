"""Quick fixes for files that ``synapse sync`` keeps: it is run, since it sees more than one file."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.ide.actions.action import QUICK_FIX, Action, Asked
from synapse_ls.lint.rules import stale_synced_file
from synapse_ls.manage.plan import Plan
from synapse_ls.sync.registry import target_of

COMMAND = "synapse.sync"


def syncing(asked: Asked) -> Iterator[Action]:
    """Write such a file again; where somebody has changed it, that is for its reader to decide."""
    target = target_of(asked.facts.path)
    for found in asked.found:
        if found.code != stale_synced_file.RULE.code or target is None:
            continue
        if found.remedy == stale_synced_file.RUN:
            yield Action(
                "Run `synapse sync`", QUICK_FIX, Plan, (found,), preferred=True, command=COMMAND
            )
        elif found.remedy == stale_synced_file.GIVE_UP:
            given = {"targets": [target.name], "force": True}
            title = f"Give up the edit: run `synapse sync --force {target.name}`"
            yield Action(title, QUICK_FIX, Plan, (found,), command=COMMAND, arguments=given)
