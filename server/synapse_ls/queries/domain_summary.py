"""This module sums a domain up in words: what wakes it, its layer, what it costs; and says why a
tree has none.

It loads nothing that a prompt has not loaded already: ``*synapse`` answers with it.
"""

from __future__ import annotations

import os

from synapse_ls.engine.token_estimate import tokens_of_length
from synapse_ls.workspace.tree_folders import TREE
from synapse_ls.workspace.trusted_places import find_outside_link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.plan_rows import PlanDomain

EMPTY_TREE = "the tree is empty: run `synapse init`"
"""What is said about a tree without any file."""

_SETTINGS_FILES = ("config.toml", ".gitignore")
_WAKE_BY_ROLE = {
    "constitution": "always on",
    "global": "always on",
    "context": "by bracket",
    "commands": "star-commands",
    "session": "session",
    "handoff": "agent or task",
    "identity": "always",
    "short-term": "always",
    "memory": "words of the prompt, the work at hand",
}
_LAYER_BY_ROLE = {
    "constitution": "L0",
    "global": "L1",
    "context": "L1",
    "commands": "L7",
    "session": "L3",
    "handoff": "L4",
    "identity": "IDENTITY",
    "short-term": "STM",
    "memory": "LTM",
    "section": "SECTIONS",
}
_MARKER_LENGTH = len("    1. ") + 1  # what a rule's line in a block has beside its text


def describe_triggers(plan: Plan, domain: PlanDomain) -> str:
    """Returns the part of a domain's summary that says in a few words what brings it in; "" where
    nothing can.
    """
    if domain.role in _WAKE_BY_ROLE:
        return _WAKE_BY_ROLE[domain.role]
    ways = [
        "always on" if domain.always_on else "",
        f"@{domain.agent}" if domain.agent else "",
        f"workflow {domain.workflow}" if domain.workflow else "",
        "keywords" if domain.recall else "",
        "paths" if domain.paths else "",
        f"every {domain.every_n_turns} prompts" if domain.every_n_turns else "",
        f"past {domain.on_tokens} tokens" if domain.on_tokens else "",
        f"squad {plan.squads[domain.squad].folder}" if domain.squad >= 0 else "",
    ]
    return ", ".join(way for way in ways if way) or ("always" if domain.role else "")


def home_layer(domain: PlanDomain) -> str:
    """Returns, for the summary of a domain, the layer that it takes part in, or would."""
    if domain.role:
        return _LAYER_BY_ROLE[domain.role]
    if domain.squad >= 0:
        return "L5"
    if domain.agent:
        return "L2"
    if domain.workflow:
        return "L3"
    return "L1" if domain.always_on else "L6"


def domain_tokens(domain: PlanDomain) -> int:
    """Returns, for the summary of a domain, what all its rules cost in a block, in tokens."""
    return sum(tokens_of_length(len(row.text) + _MARKER_LENGTH) for row in domain.rows)


def empty_tree_note(plan: Plan) -> str:
    """Returns, in place of summaries of domains, why a tree has none, and what to do; "" where it
    has some.
    """
    if plan.packed:
        return ""
    if outside := find_outside_link(plan.root, TREE):
        return f"`synapse trust {outside[1]}` has the tree served that {outside[0]} leads to"
    folder = os.path.join(plan.root, TREE)
    if os.path.isfile(os.path.join(folder, "manifest")):
        return "the manifest declares no domain: `synapse domain new` adds one"
    names = os.listdir(folder) if os.path.isdir(folder) else ()
    if any(
        os.path.isfile(os.path.join(folder, name)) for name in names if name not in _SETTINGS_FILES
    ):
        return "the tree has no manifest: `synapse check` says what that means"
    return rule_less_note(plan.root)


def rule_less_note(root: str) -> str:
    """Returns, where a domain has nothing to sum up, what to do about a folder that has no rules
    for the profile in use: rules of another system there are named, since a first tree would be
    served in their place.
    """
    from synapse_ls.workspace.served_system import find_systems

    for found in find_systems(root):
        if found.name != "synapse":
            return (
                f"{found.place} belongs to {found.title}, and the profile in use has no rule of it"
            )
    return EMPTY_TREE
