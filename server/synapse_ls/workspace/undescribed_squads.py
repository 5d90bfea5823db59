"""This module finds the folders among the squads that have agents, and nothing that makes them a squad.

Such a folder is not read: no squad is there. What is looked at is whether a file of its ``agents``
defines an agent; then it was meant as a squad.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.config_file import PathSettings
from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.file_kinds import SQUAD_FILES, FileKind, is_walkable
from synapse_ls.workspace.file_reader import RefusedError, read_file
from synapse_ls.workspace.file_scanner import LoadNote
from synapse_ls.workspace.tree_folders import TREE

NOTE_KIND = "squad-without-manifest"
_MOST_FILES = 20  # files of a folder that are looked at
_NAMED = 3


def undescribed_squad_notes(
    root: str, paths: PathSettings, consult: Callable[[str], None]
) -> list[LoadNote]:
    """Returns one note for all such folders, at the first agent of the first of them. ``consult`` is
    called with each path, relative to the root, on which that rests.
    """
    found = {
        folder: agent
        for home in paths.squads
        for folder in _plain_folders(root, home)
        if (agent := _first_agent(root, folder, consult))
    }
    if not found:
        return []
    folder, *others = found
    if not others:
        message = (
            f"`{folder}` has agents and neither `squad.yaml` nor `config.yaml`, so it counts as no squad, and the "
            "framework's validator rejects it."
        )
        remedy = f"Create `{folder}/squad.yaml` with `name` and `version`, or keep what is no squad elsewhere."
        return [LoadNote(found[folder], "squad-without-manifest", message, remedy)]
    names = ", ".join(f"`{name}`" for name in (folder, *others)[:_NAMED])
    more = len(found) - _NAMED
    named = f"{names} and {more} more" if more > 0 else names
    message = (
        f"{len(found)} folders have agents and neither `squad.yaml` nor `config.yaml`, so they count as no "
        f"squads, and the framework's validator rejects them: {named}."
    )
    remedy = "Create a `squad.yaml` with `name` and `version` in each, or keep what is no squad elsewhere."
    return [LoadNote(found[folder], "squad-without-manifest", message, remedy, len(found))]


def _plain_folders(root: str, home: str) -> Iterator[str]:
    """Yields the folders below ``home`` that have agents and no sign of a squad, by name; no links."""
    for name in _names_in(os.path.join(root, home)):
        folder = os.path.join(root, home, name)
        signs = (*SQUAD_FILES, TREE)
        if (
            is_walkable(name)
            and not os.path.islink(folder)
            and os.path.isdir(os.path.join(folder, "agents"))
            and not any(os.path.lexists(os.path.join(folder, sign)) for sign in signs)
        ):
            yield f"{home}/{name}"


def _first_agent(root: str, folder: str, consult: Callable[[str], None]) -> str:
    """Returns the path of the first file in a folder's ``agents`` that defines an agent, else ""."""
    agents = f"{folder}/agents"
    consult(agents)
    names = [name for name in _names_in(os.path.join(root, agents)) if name.endswith(".md")]
    for name in names[:_MOST_FILES]:
        path = f"{agents}/{name}"
        consult(path)
        try:
            content = read_file(os.path.join(root, path))
        except RefusedError:
            continue
        document = (
            analyze_file(path, FileKind.AGENT, content.decoded.text).document if content else None
        )
        if isinstance(document, AgentDefinition) and document.id:
            return path
    return ""


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
