"""This module keeps the roots of the served trees, and finds the one that a file belongs to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from synapse_ls.lsp.background_work import PathCollector
from synapse_ls.lsp.file_uris import path_to_uri
from synapse_ls.lsp.pauses import TypingPause
from synapse_ls.workspace.instruction_places import is_instruction_path

if TYPE_CHECKING:
    from synapse_ls.live.live_tree import LiveTree


class Root:
    """A Root is the root of a tree that is served.

    Only the worker touches ``tree``; everything else is the event loop's. ``links`` are the linked
    folders and the paths in the tree that they stand for. ``buffers``: path relative to the root ->
    key of the open document. ``pending_buffers``: the paths whose latest text the worker has not
    begun to take in. ``changed_paths``: paths, relative to the root, that may be different on disk.
    ``loaded`` is set when all findings of its files are known. ``settled`` is set while the worker need not see to the consequences of edits.
    ``pause``: when to see to them. ``is_previewing``: findings of the open files alone are about to be told, since all others are not
    known yet. ``is_dropped``: the tree is served no longer. ``is_treeless``: a project without a tree, of
    which only the files of instructions are looked at.
    """

    def __init__(self, path: str, *, is_treeless: bool = False) -> None:
        self.path = path
        self.is_treeless = is_treeless
        self.uri = path_to_uri(path)
        self.links: tuple[tuple[str, str], ...] = ()
        self.buffers: dict[str, str] = {}
        self.pending_buffers: set[str] = set()
        self.changed_paths = PathCollector()
        self.loaded = asyncio.Event()
        self.is_previewing = False
        self.settled = asyncio.Event()
        self.settled.set()
        self.pause = TypingPause()
        self.is_dropped = False
        self._tree: LiveTree | None = None

    @property
    def is_settling(self) -> bool:
        """Returns whether the worker is asked to see to the consequences of edits."""
        return not self.settled.is_set()

    @property
    def tree(self) -> LiveTree:
        """Returns the tree, once the worker has begun to load it."""
        if self._tree is None:
            raise RuntimeError(f"{self.path} is not loaded")
        return self._tree

    @tree.setter
    def tree(self, tree: LiveTree) -> None:
        self._tree = tree

    def relative_path(self, path: str) -> str | None:
        """Returns a path relative to the root, also where it leads here by a link; None for one
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


class Roots:
    """Roots are the roots of the served trees by path, and the projects without one whose
    instructions are open.
    """

    def __init__(self) -> None:
        self._by_path: dict[str, Root] = {}

    def __iter__(self) -> Iterator[Root]:
        return iter(tuple(self._by_path.values()))

    def __contains__(self, path: str) -> bool:
        return path in self._by_path

    @property
    def trees(self) -> dict[str, Root]:
        """Returns the roots that have a tree, by path."""
        return {path: root for path, root in self._by_path.items() if not root.is_treeless}

    def add(self, root: Root) -> None:
        """Serves another tree."""
        self._by_path[root.path] = root

    def remove(self, root: Root) -> None:
        """Serves a tree no longer."""
        root.is_dropped = True
        self._by_path.pop(root.path, None)

    def first_in(self, folders: Sequence[str]) -> Root | None:
        """Returns the tree of the first of ``folders`` that has one; the first by path among
        several.
        """
        trees = self.trees
        for folder in folders:
            inside = [path for path in trees if f"{path}/".startswith(f"{folder}/")]
            above = [path for path in trees if folder.startswith(f"{path}/")]
            if inside or above:
                return trees[min(inside) if inside else max(above)]
        return trees[min(trees)] if trees else None

    def find_place(self, path: str) -> tuple[Root, str] | None:
        """Returns the innermost root that holds a path, and the path in it.

        A path is looked for as it is written before links are followed.
        """
        found: tuple[Root, str] | None = None
        for root in self._by_path.values():
            relative = root.relative_path(path)
            if relative is None:
                continue
            here = path == root.path or path.startswith(f"{root.path}/")
            if found is None or (here, len(root.path)) > (
                path.startswith(f"{found[0].path}/") or path == found[0].path,
                len(found[0].path),
            ):
                found = (root, relative)
        return found
