"""This module plans the choice of a tree's profile in the configuration. Plans only, no IO."""

from __future__ import annotations

from synapse_ls.engine.custom_profiles import profile_names
from synapse_ls.formats.toml_document import key_positions
from synapse_ls.text.line_breaks import line_break_style
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace.edit_plan import EditError, EditPlan, create_file, edit_file
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG

LIVE_PROFILE = "synapse-live"
"""The profile in which no layer sleeps."""


def choose_profile(tree: Tree, profile: str) -> EditPlan:
    """Plans choosing a profile in the configuration, which is created if need be; empty if it is
    chosen.

    Raises EditError where there is no such profile, and where the configuration cannot be read.
    """
    known = profile_names(tree.snapshot.config.profiles)
    if profile not in known:
        raise EditError(f'There is no profile "{profile}".', f"Choose one of {', '.join(known)}.")
    facts = tree.snapshot.facts(CONFIG)
    if facts is None:
        return EditPlan((create_file(CONFIG, edit_profile_name("", profile, "\n").new_text),))
    if not facts.is_read or any(problem.kind == "invalid-toml" for problem in facts.problems):
        raise EditError(
            f"{CONFIG} cannot be read, so a change could damage the rest of it.",
            "Mend it first; `synapse check` says where.",
        )
    if tree.snapshot.config.profile == profile:
        return EditPlan()
    text = facts.text
    return EditPlan(
        (edit_file(CONFIG, text, [edit_profile_name(text, profile, line_break_style(text))]),)
    )


def edit_profile_name(text: str, profile: str, newline: str) -> TextEdit:
    """Returns the edit after which a configuration chooses this profile, in its first line if it
    had none.
    """
    place = key_positions(text).get(("profile",))
    if place:
        return TextEdit(place.value, f'"{profile}"')
    return TextEdit(Span(0, 0), f'profile = "{profile}"{newline}')
