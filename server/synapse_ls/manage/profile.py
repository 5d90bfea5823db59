"""Choosing the profile of a tree. Plans only, no IO."""

from __future__ import annotations

from synapse_ls.engine.profiles.custom import names
from synapse_ls.formats.config_edit import profile_edit
from synapse_ls.lint.fixes import line_break
from synapse_ls.manage.plan import ManageError, Plan, create, edit
from synapse_ls.workspace.folders import CONFIG
from synapse_ls.workspace.tree import Tree

LIVE = "synapse-live"
"""The profile in which no layer sleeps."""


def use_profile(tree: Tree, profile: str) -> Plan:
    """Name the profile in the configuration, which is created if need be; empty if it is named.

    Raises ManageError where there is no such profile, and where the configuration cannot be read.
    """
    known = names(tree.snapshot.config.profiles)
    if profile not in known:
        raise ManageError(f"There is no profile {profile}.", f"Choose one of {', '.join(known)}.")
    facts = tree.snapshot.facts(CONFIG)
    if facts is None:
        return Plan((create(CONFIG, profile_edit("", profile, "\n").new_text),))
    if not facts.read or any(problem.kind == "invalid-toml" for problem in facts.problems):
        raise ManageError(
            f"{CONFIG} cannot be read, so a change could damage the rest of it.",
            "Mend it first; `synapse check` says where.",
        )
    if tree.snapshot.config.profile == profile:
        return Plan()
    text = facts.text
    return Plan((edit(CONFIG, text, [profile_edit(text, profile, line_break(text))]),))
