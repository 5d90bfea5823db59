"""This module discovers the rule trees to serve: upward from a file or a folder, and downward
from a workspace folder.

All of it looks at the disk and is meant for the worker's thread.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from typing import NamedTuple

from synapse_ls.formats.config_file import PathSettings
from synapse_ls.lsp.file_uris import with_slashes
from synapse_ls.workspace.file_kinds import squad_folder_of
from synapse_ls.workspace.instruction_places import is_instruction_path, project_of_instructions
from synapse_ls.workspace.tree_discovery import search_tree, squad_trees
from synapse_ls.workspace.tree_folders import ROOT_MARKS, SQUADS
from synapse_ls.workspace.watch_targets import configured_paths

_MOST_FOLDERS = 10_000  # listed at most, below one workspace folder
_IGNORED_FOLDERS = frozenset(
    [
        "node_modules",
        "bower_components",
        "vendor",
        "third_party",
        "venv",
        "env",
        "site-packages",
        "__pycache__",
        "target",
        "build",
        "dist",
        "out",
        "bin",
        "obj",
        "coverage",
    ]
)

_TREE_FOLDERS = frozenset(mark.partition("/")[0] for mark, _, _ in ROOT_MARKS)


def find_tree_above(start: str) -> str | None:
    """Returns the root that a file or folder belongs to; a squad's tree belongs to that of its
    project.
    """
    root = search_tree(start).root
    while root is not None:
        outer = search_tree(os.path.dirname(root)).root if os.path.dirname(root) != root else None
        if outer is None or not _is_squad(root, outer):
            break
        root = outer
    return None if root is None else with_slashes(root)


def _is_squad(folder: str, root: str) -> bool:
    path = with_slashes(folder[len(root) :]).lstrip("/")
    return squad_folder_of(f"{path}/manifest", configured_paths(root)) == path


def find_trees_below(folder: str, depth: int, above: str | None = None) -> Iterator[str]:
    """Yields the roots in ``folder`` and at most ``depth`` folders below it; ``above`` is known
    already.

    Hidden, installed and built folders are passed over, and so are links. Squads of a tree that was
    found are no trees of their own.
    """
    pending = deque([(folder, 0)])
    squads: dict[str, PathSettings] = {above: configured_paths(above)} if above else {}
    listed = 0
    while pending and listed < _MOST_FOLDERS:
        here, level = pending.popleft()
        listed += 1
        try:
            with os.scandir(here) as entries:
                folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=True)]
        except OSError:
            continue
        has_mark = any(name in _TREE_FOLDERS for name in folders)
        has_squads = SQUADS in folders and next(squad_trees(here), "") != ""
        holds_tree = has_mark or has_squads
        # The search knows whose trees are to be trusted.
        if holds_tree and not _in_squad(here, squads) and search_tree(here).root == here:
            squads[here] = configured_paths(here)
            yield here
        if level < depth:
            for name in sorted(folders):
                path = f"{here}/{name}" if here != "/" else f"/{name}"
                if (
                    not name.startswith(".")
                    and name not in _IGNORED_FOLDERS
                    and _is_project_folder(path)
                ):
                    pending.append((path, level + 1))


def _in_squad(path: str, squads: dict[str, PathSettings]) -> bool:
    return any(
        path.startswith(f"{root}/") and squad_folder_of(f"{path[len(root) + 1 :]}/manifest", paths)
        for root, paths in squads.items()
    )


def _is_project_folder(path: str) -> bool:
    return not os.path.islink(path) and not os.path.exists(f"{path}/pyvenv.cfg")


class FoundRoots(NamedTuple):
    """FoundRoots are the roots that there are, sorted, those among them that only open files ask
    for, and those that have no tree but files of instructions.
    """

    paths: tuple[str, ...]
    file_only: Set[str]
    treeless: Set[str] = frozenset()


def find_roots(
    folders: Iterable[str], files: Iterable[str], depth: int, *, instructions: bool = False
) -> FoundRoots:
    """Returns the roots of workspace folders and of open files; with ``instructions`` also the
    projects of open files such as ``CLAUDE.md`` that no tree holds.
    """
    found: set[str] = set()
    for folder in folders:
        above = find_tree_above(folder)
        if above:
            found.add(above)
        if depth >= 0:
            found.update(find_trees_below(folder, depth, above))
    lent: set[str] = set()
    treeless: set[str] = set()
    for file in files:
        if not any(file.startswith(f"{root}/") for root in found | lent):
            above = find_tree_above(os.path.dirname(file))
            if above:
                lent.add(above)
            elif instructions and is_instruction_path(file):
                treeless.add(with_slashes(project_of_instructions(Path(file))))
    treeless -= found | lent
    return FoundRoots(tuple(sorted(found | lent | treeless)), lent | treeless, treeless)
