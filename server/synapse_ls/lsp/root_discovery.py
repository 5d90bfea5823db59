"""The roots of the trees that are served, and of which folders and files they are.

It searches the disk and belongs on the worker's thread.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.formats.config_settings import PathSettings
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.lsp import background_work, convert
from synapse_ls.workspace import file_kinds, tree_folders
from synapse_ls.workspace.file_watching import configured_paths
from synapse_ls.workspace.instruction_readers import is_instruction_path, project_of_instructions
from synapse_ls.workspace.tree_search_upward import search_tree, squad_trees

if TYPE_CHECKING:
    from synapse_ls.lsp.context_change import ContextState


@dataclass(eq=False)
class Root:
    """The root of a tree that is served.

    Only the worker touches ``tree``, which it sets when it begins to load it; everything else is
    the event loop's. links: the linked folders and the paths in the tree that they stand for.
    buffers: path relative to the root -> key of the open document. pending_buffers: the paths whose
    latest text the worker has not begun to take in.
    catch_up: runs what edits have made due, once their person pauses; settled: set while nothing is
    due. context: the block and its state as last announced. is_dropped: the tree is served no
    longer. is_treeless: a project without a tree, of which only the files of instructions are
    looked at.
    """

    path: str
    is_treeless: bool = False
    links: tuple[tuple[str, str], ...] = ()
    buffers: dict[str, str] = field(default_factory=dict)
    pending_buffers: set[str] = field(default_factory=set)
    is_dropped: bool = False
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    due_since: float = 0.0
    catch_up: background_work.Debouncer = field(init=False)
    context: ContextState | None = None
    idle_timer: asyncio.TimerHandle | None = None
    tree: LiveTree = field(init=False)

    def __post_init__(self) -> None:
        self.settled.set()

    def relative_path(self, path: str) -> str | None:
        """Return a path relative to the root, also where it leads here by a link; None for one
        outside.
        """
        if self.is_treeless and not is_instruction_path(path):
            return None
        for folder, inner in ((self.path, ""), *self.links):
            if path == folder:
                return inner
            if path.startswith(f"{folder}/"):
                rest = path[len(folder) + 1 :]
                return f"{inner}/{rest}" if inner else rest
        return None


class Roots(dict[str, Root]):
    """The roots of the served trees by path, and the projects without one whose instructions are
    open.
    """

    @property
    def trees(self) -> dict[str, Root]:
        """The roots that have a tree, by path."""
        return {path: root for path, root in self.items() if not root.is_treeless}

    def find_place(self, path: str) -> tuple[Root, str] | None:
        """Return the innermost root that holds a path, and the path in it.

        A path is looked for as it is written before links are followed.
        """
        places = [
            (root, relative)
            for root in self.values()
            if (relative := root.relative_path(path)) is not None
        ]
        return max(
            places,
            key=lambda place: (tree_folders.is_under(path, place[0].path), len(place[0].path)),
            default=None,
        )


def find_tree_above(start: str) -> str | None:
    """Return the root that a file or folder belongs to; a squad's tree belongs to that of its
    project.
    """
    root = search_tree(start).root
    while root is not None:
        outer = search_tree(os.path.dirname(root)).root if os.path.dirname(root) != root else None
        if outer is None:
            break
        path = convert.with_slashes(root[len(outer) :]).lstrip("/")
        if file_kinds.squad_folder_of(f"{path}/manifest", configured_paths(outer)) != path:
            break
        root = outer
    return None if root is None else convert.with_slashes(root)


class FoundRoots(NamedTuple):
    """The roots that there are, sorted, those among them that only open files ask for, and those
    that have no tree but files of instructions.
    """

    paths: tuple[str, ...]
    file_only: Set[str]
    treeless: Set[str] = frozenset()


def find_roots(
    folders: Iterable[str], files: Iterable[str], depth: int, *, instructions: bool = False
) -> FoundRoots:
    """Return the roots of workspace folders and of open files; with ``instructions`` also the
    projects of open files such as ``CLAUDE.md`` that no tree holds.
    """
    roots: set[str] = set()
    for folder in folders:
        if above := find_tree_above(folder):
            roots.add(above)
        if depth >= 0:
            roots.update(find_trees_below(folder, depth, above))
    lent: set[str] = set()
    treeless: set[str] = set()
    for file in files:
        if not any(file.startswith(f"{root}/") for root in roots | lent):
            if above := find_tree_above(os.path.dirname(file)):
                lent.add(above)
            elif instructions and is_instruction_path(file):
                treeless.add(convert.with_slashes(project_of_instructions(Path(file))))
    treeless -= roots | lent
    return FoundRoots(tuple(sorted(roots | lent | treeless)), lent | treeless, treeless)


_MOST_FOLDERS = 10_000  # listed at most, below one workspace folder


_IGNORED_FOLDERS = frozenset([
    "node_modules", "bower_components", "vendor", "third_party", "venv", "env", "site-packages",
    "__pycache__", "target", "build", "dist", "out", "bin", "obj", "coverage",
])  # fmt: skip


_TREE_FOLDERS = frozenset(mark.partition("/")[0] for mark, _, _ in tree_folders.ROOT_MARKS)


def find_trees_below(folder: str, depth: int, above: str | None = None) -> Iterator[str]:
    """Yield the roots in ``folder`` and at most ``depth`` folders below it; ``above`` is known
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
        has_squads = tree_folders.SQUADS in folders and next(squad_trees(here), "") != ""
        # The search knows whose trees are to be trusted.
        if (
            (has_squads or not _TREE_FOLDERS.isdisjoint(folders))
            and not any(
                here.startswith(f"{root}/")
                and file_kinds.squad_folder_of(f"{here[len(root) + 1 :]}/manifest", paths)
                for root, paths in squads.items()
            )
            and search_tree(here).root == here
        ):
            squads[here] = configured_paths(here)
            yield here
        if level < depth:
            for name in sorted(folders):
                path = f"{here}/{name}" if here != "/" else f"/{name}"
                if (
                    not name.startswith(".")
                    and name not in _IGNORED_FOLDERS
                    and not os.path.islink(path)
                    and not os.path.exists(f"{path}/pyvenv.cfg")
                ):
                    pending.append((path, level + 1))
