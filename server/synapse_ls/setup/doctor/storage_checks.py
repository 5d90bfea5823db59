"""This module checks the places that notes are kept in: links that lead out of the project are
neither read nor written through, unless the user trusts the place, and the cache is kept where
nobody else may write.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.integrations.client_definition import Surroundings, Trouble
from synapse_ls.memory.memory_index import refresh_index
from synapse_ls.storage import pinned_trees, plan_cache
from synapse_ls.storage.memory_digests import (
    DIGESTS_PATH,
    describe_changes,
    leave_out_committed,
)
from synapse_ls.storage.repository_place import find_foreign_place
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
    DIGESTS_PATH,
)


def repository_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yields what leads git to a repository that is not the project's."""
    if foreign := find_foreign_place(str(around.root)):
        said = f"branch and commits are told to nobody: {foreign.describe()}"
        remedy = f"Clone it anew or, if it is yours, run `synapse trust {foreign.trusted_folder}`."
        yield Trouble("foreign-repository", "warning", "", said, remedy, foreign.path)


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


def memory_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yields the memories that cannot be read, and that some are not as the program wrote them."""
    root = str(around.root)
    index = refresh_index(root)
    for note in index.notes:
        yield Trouble("unread-memory", "warning", "", note.removesuffix("."))
    if changed := leave_out_committed(root, index.changed_digests()):
        said, remedy = describe_changes(changed)
        yield Trouble("changed-memory", "warning", "", said, remedy, changed[0])


def pin_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yields that the tree is not as its person pinned it."""
    if found := pinned_trees.find_changes(str(around.root)):
        said = f"the tree is not as it was pinned, so hooks tell agents nothing: {found.describe()}"
        first = next(found.lines(), ("", ""))[1]
        yield Trouble("changed-tree", "error", "", said, pinned_trees.REMEDY, first)


def cache_troubles() -> Iterator[Trouble]:
    """Yields that the cache folder is not the user's alone, and what stands in for it."""
    wanted, used = plan_cache.wanted_cache_folder(), plan_cache.cache_folder()
    if used == wanted:
        return
    said = f"{wanted} is not this user's alone, so plans and logs are kept in {used}"
    if not plan_cache.prepare_cache_folder():
        said = f"{wanted} and {used} are not this user's alone, so no plan and no log is kept"
    remedy = f"Take the rights of others away: chmod go-w {wanted}"
    yield Trouble("shared-cache", "warning", "", said, remedy, wanted)
