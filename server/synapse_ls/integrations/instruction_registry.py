"""List the targets of `synapse sync`: the instruction files of each agent client, by name.

A new target is a module `instructions` in a client's folder and a line below.
"""

from __future__ import annotations

from synapse_ls.integrations.claude import instructions as claude
from synapse_ls.integrations.codex import instructions as agents
from synapse_ls.integrations.copilot import instructions as copilot
from synapse_ls.integrations.cursor import instructions as cursor
from synapse_ls.integrations.gemini import instructions as gemini
from synapse_ls.integrations.instruction_targets import SyncTarget

TARGETS: dict[str, SyncTarget] = {
    module.TARGET.name: module.TARGET for module in (cursor, copilot, agents, claude, gemini)
}


def find_target(path: str) -> SyncTarget | None:
    """Return the target of `synapse sync` of whose instruction files a path relative to the root is
    one, None for none.
    """
    return next((target for target in TARGETS.values() if target.place_of(path)), None)


# Files that clients read beside those that `synapse sync` writes.
_OTHER_PLACES = {
    ".claude/CLAUDE.md": "claude",
    ".claude/rules/": "claude",
    ".cursor/rules/": "cursor",
    ".cursorrules": "cursor",
    ".github/instructions/": "copilot",
}


def target_of(path: str) -> SyncTarget | None:
    """Return the target of `synapse sync` whose clients read the file at ``path``; None for a file
    that no client reads by itself.
    """
    for place, name in _OTHER_PLACES.items():
        if path == place or (place.endswith("/") and path.startswith(place)):
            return TARGETS[name]
    return find_target(path)
