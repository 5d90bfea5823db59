"""Checks of storage: files about a person that git would take, and the places that the program
keeps notes, caches and bytecode in: links that lead out of the project are neither read nor written
through, unless the user trusts the place, damaged files are removed, and the cache is kept where
nobody else may write.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path

from synapse_ls.integrations.client_definition import Surroundings, Trouble
from synapse_ls.memory.memory_index import refresh_index
from synapse_ls.storage import plan_cache, plan_writer, trusted_trees
from synapse_ls.storage.bundle_writer import remove_bundle
from synapse_ls.storage.bytecode_bundle import BUNDLE_FILE, Bundle
from synapse_ls.storage.memory_checksums import (
    DIGESTS_PATH,
    describe_changes,
    leave_out_committed,
)
from synapse_ls.workspace import user_folders
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.file_scanner import OUTSIDE_FOLDER
from synapse_ls.workspace.private_folders import UnknownExposureError, exposed_folders
from synapse_ls.workspace.repository_place import find_foreign_place
from synapse_ls.workspace.tree_folders import (
    CONTINUATION,
    RULE_FOLDERS,
    STATE_FOLDERS,
    TREE,
)
from synapse_ls.workspace.tree_loader import load_tree
from synapse_ls.workspace.trusted_places import LEADS_OUT, find_outside_link, trust_remedy

_PACKAGE = Path(__file__).parent.parent.parent
_HOOK_PACKAGES = ("engine", "hooks", "integrations", "storage", "text")
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
    """Yield a trouble, before anything is stored, where something leads git to a repository that is
    not the project's.
    """
    if foreign := find_foreign_place(str(around.root)):
        sentence = f"branch and commits are told to nobody: {foreign.describe()}"
        remedy = f"Clone it anew or, if it is yours, run `synapse trust {foreign.trusted_folder}`."
        yield Trouble("foreign-repository", "warning", "", sentence, remedy, foreign.path)


def link_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yield the links in places of storage for which rules are not told, or note not kept."""
    root, links = str(around.root), set[str]()
    squads = (n.path for n in load_tree(root, LoadScope.PROMPT).notes if n.kind == OUTSIDE_FOLDER)
    for path in (*RULE_FOLDERS, *squads, *_NOTES):
        outside_link = find_outside_link(root, path)
        if outside_link is None or outside_link[0] in links:
            continue
        link, target = outside_link
        links.add(link)
        sentence = f"{link} is left alone: {LEADS_OUT}"
        yield Trouble("leads-out", "error", "", sentence, trust_remedy(target), link)


def memory_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yield a trouble for the memories in storage that cannot be read, and where some are not as
    the program wrote them.
    """
    root = str(around.root)
    index = refresh_index(root)
    for note in index.notes:
        yield Trouble("unread-memory", "warning", "", note.removesuffix("."))
    if changed := leave_out_committed(root, index.changed_digests()):
        sentence, remedy = describe_changes(changed)
        yield Trouble("changed-memory", "warning", "", sentence, remedy, changed[0])


def pin_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yield a trouble where the tree is not as the pin that is stored of it says."""
    if changes := trusted_trees.find_changes(str(around.root)):
        sentence = (
            f"the tree is not as it was pinned, so hooks tell agents nothing: {changes.describe()}"
        )
        first = next(changes.lines(), ("", ""))[1]
        yield Trouble("changed-tree", "error", "", sentence, trusted_trees.REMEDY, first)


def cache_troubles() -> Iterator[Trouble]:
    """Yield a trouble where the folder that caches are stored in is not the user's alone, and what
    stands in for it.
    """
    wanted, used = user_folders.wanted_cache_folder(), plan_cache.cache_folder()
    if used == wanted:
        return
    sentence = f"{wanted} is not this user's alone, so plans and logs are kept in {used}"
    if not plan_cache.prepare_cache_folder():
        sentence = f"{wanted} and {used} are not this user's alone, so no plan and no log is kept"
    remedy = f"Take the rights of others away: chmod go-w {wanted}"
    yield Trouble("shared-cache", "warning", "", sentence, remedy, wanted)


def missing_bytecode() -> tuple[int, bool]:
    """Return how many modules that the hook may load have no compiled form in storage, and whether
    they can get one.
    """
    ending = Path(cache_from_source("x.py")).name.removeprefix("x")
    missing, writable = 0, True
    for package in _HOOK_PACKAGES:
        for folder, _, files in os.walk(_PACKAGE / package):
            compiled = Path(cache_from_source(f"{folder}/x.py")).parent
            _, _, compiled_names = next(os.walk(compiled), ("", [], []))  # there may be none
            sources = [name for name in files if name.endswith(".py")]
            lacking = [
                name for name in sources if name.removesuffix(".py") + ending not in compiled_names
            ]
            missing += len(lacking)
            writable = writable and (not lacking or os.access(folder, os.W_OK))
    return missing, writable


def bytecode_troubles() -> Iterator[Trouble]:
    """Yield a trouble with storage where nobody can write into the installation, so that the same
    modules are compiled for each prompt.
    """
    missing, writable = missing_bytecode()
    if missing and not writable:
        yield Trouble(
            "missing-bytecode",
            "warning",
            "",
            f"{missing} modules are compiled anew for each prompt, as {_PACKAGE} is read-only",
            f"Run `python -m compileall {_PACKAGE}` once as a user who may write there.",
        )


def damaged_file_troubles(root: str) -> Iterator[Trouble]:
    """Yield a trouble for each damaged file that is stored, of the plan cache and of the bytecode
    bundle, and remove it.

    Asked before any hook is called, which puts such files right by itself.
    """
    remedy = "There is nothing to do, unless it comes back: then look at the disk."
    if plan_writer.is_damaged(root):
        plan_writer.drop_plan(root)
        sentence = (
            f"the compiled plan of this tree in {plan_cache.cache_folder()} was damaged: it was "
            "removed, and the next prompt has it made anew"
        )
        yield Trouble("damaged-cache", "error", "", sentence, remedy)
    if Bundle().is_damaged():
        sentence = f"the bytecode in {BUNDLE_FILE} was damaged or of another version: "
        if remove_bundle():
            sentence += "it was removed, and the next hook makes it anew"
        else:
            sentence += "it cannot be removed, and the modules in it come from their sources"
            remedy = "Remove it as a user who may write there."
        yield Trouble("damaged-cache", "warning", "", sentence, remedy)


def private_file_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yield a trouble for each private folder of which git has files or would take some, or one
    where git does not say.
    """
    try:
        exposed = exposed_folders(str(around.root))
    except UnknownExposureError as error:
        yield Trouble("private-files-in-git", "warning", "", str(error), "", error.path)
        return
    for folder in exposed:
        sentence, remedy = folder.describe(), folder.remedy()
        yield Trouble("private-files-in-git", "error", "", sentence, remedy, folder.first)
