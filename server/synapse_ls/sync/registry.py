"""The files that ``synapse sync`` writes: a module of ``targets/`` and a line below."""

from __future__ import annotations

from synapse_ls.sync.target import Target
from synapse_ls.sync.targets import agents, claude, copilot, cursor, gemini

TARGETS: dict[str, Target] = {
    module.TARGET.name: module.TARGET for module in (cursor, copilot, agents, claude, gemini)
}


def target_of(path: str) -> Target | None:
    """The target that a path relative to the root is a file of."""
    return next((target for target in TARGETS.values() if target.place_of(path)), None)
