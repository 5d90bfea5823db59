"""This module checks the links of a project: those that lead out of it are neither read nor written
through, unless the user trusts the place.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.integrations.client_definition import Surroundings, Trouble
from synapse_ls.workspace.file_scanner import OUTSIDE_FOLDER
from synapse_ls.workspace.tree_folders import CONTINUATION, RULE_FOLDERS, STATE_FOLDERS, TREE
from synapse_ls.workspace.tree_loader import LoadScope, load_tree
from synapse_ls.workspace.trusted_places import LEADS_OUT, find_outside_link, trust_remedy

_NOTES = (
    *(f"{TREE}/{name}" for name in STATE_FOLDERS),
    CONTINUATION,
    f"{TREE}/memory/shared",
    f"{TREE}/memory/agents",
    f"{TREE}/memory/digests",
    f"{TREE}/metrics/errors.json",
    f"{TREE}/metrics/memory.json",
)


def link_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yields the links for which rules are not told, or notes not kept."""
    root, seen = str(around.root), set[str]()
    squads = (n.path for n in load_tree(root, LoadScope.PROMPT).notes if n.kind == OUTSIDE_FOLDER)
    for path in (*RULE_FOLDERS, *squads, *_NOTES):
        found = find_outside_link(root, path)
        if found is None or found[0] in seen:
            continue
        link, target = found
        seen.add(link)
        said = f"{link} is left alone: {LEADS_OUT}"
        yield Trouble("leads-out", "error", "", said, trust_remedy(target), link)
