"""The authority boundaries of a tree as rows of its plan, for the guard (ADR-001 E6).

Compiled with the plan: a tool call is judged by rows, without the files they come from.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

from synapse_ls.formats.authority import (
    ALLOWED,
    BLOCKED,
    EXCLUSIVE,
    actions,
    is_unrestricted,
    note,
)
from synapse_ls.workspace.domains import Domain, rules_in
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.tree import Tree

SAID = {ALLOWED: "allow", BLOCKED: "deny", EXCLUSIVE: "exclusive"}
MACHINE = ("deny", "allow")


def rows(tree: Tree, agents: dict[str, str]) -> Iterator[tuple[Any, ...]]:
    """``(domain label, owner, said, action, machine, note, key, file, line)`` of each boundary.

    owner: the agent whose it is, "" for everybody's. machine: whether the action is a pattern as it
    stands (``{D}_DENY_n``, ``{D}_ALLOW_n``), and not a sentence. line: from 0.
    """
    for domain in tree.domains:
        facts = tree.snapshot.facts(domain.file) if domain.file else None
        if facts is None or not _has_any(facts):
            continue
        owner = _owner(domain, agents)
        for rule in tree.rules_of(domain):
            machine = rule.kind in MACHINE
            if not (machine or (owner and rule.kind == "auth")):
                continue
            place = (note(rule.text), rule.key, facts.path, rule.line)
            if is_unrestricted(rule.text):
                yield (domain.label, owner, "free", "", False, *place)
            for action in actions(facts.text, rule):
                if said := SAID.get(action.said):
                    yield (domain.label, owner, said, action.what.value, machine, *place)


def _has_any(facts: FileFacts) -> bool:
    """Whether a file has boundaries: of most, nobody has to look at the rules again."""
    known = _ANY.get(facts)
    if known is None:
        known = any(rule.kind in ("auth", *MACHINE) for rule in rules_in(facts.document))
        _ANY[facts] = known
    return known


_ANY: WeakKeyDictionary[FileFacts, bool] = WeakKeyDictionary()


def _owner(domain: Domain, agents: dict[str, str]) -> str:
    said = domain.declaration
    if said is None or not said.agent_trigger or not said.active:
        return ""
    return agents.get(said.agent_trigger.lower(), said.agent_trigger)
