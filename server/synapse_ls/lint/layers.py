"""Which layers the domains of a tree belong to, and where these are awake."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from synapse_ls.engine.compile import table_of
from synapse_ls.engine.profile import Bracket, Profile
from synapse_ls.engine.sources.synapse import BUILTIN_ROLES
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.tree import Tree

NAMES = {
    "L0": "constitution",
    "L1": "global",
    "L2": "agent",
    "L3": "workflow",
    "L4": "task",
    "L5": "squad",
    "L6": "keyword",
    "L7": "star-command",
}
"""What people call the layers."""

_BUILT_IN = {"constitution": "L0", "global": "L1", "context": "L1", "commands": "L7"}
_TRIGGERS = {
    "AGENT_TRIGGER": "L2",
    "WORKFLOW_TRIGGER": "L3",
    "RECALL": "L6",
    "PATHS": "L6",
    "EVERY_N_TURNS": "L6",
    "ON_TOKENS": "L6",
}


_PROFILES: WeakKeyDictionary[Tree, Profile] = WeakKeyDictionary()


def profile_of(tree: Tree) -> Profile:
    """The profile that a tree is served with."""
    found = _PROFILES.get(tree)
    if found is None:
        found = _PROFILES[tree] = Profile(table_of(tree))
    return found


def layers_of(domain: Domain) -> frozenset[str]:
    """The layers that a domain can come in by; none where nothing brings it in."""
    if domain.squad:
        return frozenset({"L5"})
    said = domain.declaration
    if domain.builtin and domain.name in BUILTIN_ROLES:
        return frozenset({_BUILT_IN[BUILTIN_ROLES[domain.name]]})
    if said is None:
        return frozenset()
    if said.always_on:
        return frozenset({"L1"})
    entries = said.entries
    return frozenset(_TRIGGERS[s] for s in _TRIGGERS.keys() & entries.keys() if entries[s].word)


def awake(bracket: Bracket, layers: frozenset[str]) -> bool:
    """Whether one of the layers is awake in a bracket."""
    return not bracket.layers.isdisjoint(layers)
