"""The trees that are served, and which of them a file belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from synapse_ls.lsp.schedule import Gathered
from synapse_ls.lsp.uris import uri_of

if TYPE_CHECKING:
    from synapse_ls.service.live.tree import LiveTree


class Root:
    """A tree that is served.

    Only the worker touches ``tree``; everything else is the event loop's. ``links`` is as
    `links_of` of `workspace.watched` gives it. ``buffers``: path relative to the root -> key of the open
    document. ``pending``: the paths whose latest text the worker has not begun to take in.
    ``changed``: paths, relative to the root, that may be different on disk. ``settling``: whether the worker is asked to see to the consequences of edits.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.uri = uri_of(path)
        self.links: tuple[tuple[str, str], ...] = ()
        self.buffers: dict[str, str] = {}
        self.pending: set[str] = set()
        self.changed = Gathered()
        self.settling = False
        self.dropped = False
        self._tree: LiveTree | None = None

    @property
    def tree(self) -> LiveTree:
        """The tree, once the worker has begun to load it."""
        if self._tree is None:
            raise RuntimeError(f"{self.path} is not loaded")
        return self._tree

    @tree.setter
    def tree(self, tree: LiveTree) -> None:
        self._tree = tree

    def relative(self, path: str) -> str | None:
        """A path relative to the root, also where it leads here by a link; None for one outside."""
        for folder, inner in ((self.path, ""), *self.links):
            if path == folder:
                return inner
            if path.startswith(f"{folder}/"):
                rest = path[len(folder) + 1 :]
                return f"{inner}/{rest}" if inner else rest
        return None


class Roots:
    """The served trees by path."""

    def __init__(self) -> None:
        self._by_path: dict[str, Root] = {}

    def __iter__(self) -> Iterator[Root]:
        return iter(tuple(self._by_path.values()))

    def __contains__(self, path: str) -> bool:
        return path in self._by_path

    def add(self, root: Root) -> None:
        """Serve another tree."""
        self._by_path[root.path] = root

    def remove(self, root: Root) -> None:
        """Serve a tree no longer."""
        root.dropped = True
        self._by_path.pop(root.path, None)

    def first(self, folders: Sequence[str]) -> Root | None:
        """The tree of the first of ``folders`` that has one; the first by path among several."""
        for folder in folders:
            inside = [path for path in self._by_path if f"{path}/".startswith(f"{folder}/")]
            above = [path for path in self._by_path if folder.startswith(f"{path}/")]
            if inside or above:
                return self._by_path[min(inside) if inside else max(above)]
        return self._by_path[min(self._by_path)] if self._by_path else None

    def of(self, path: str) -> tuple[Root, str] | None:
        """The innermost root that holds a path, and the path in it.

        A path is looked for as it is written before links are followed.
        """
        found: tuple[Root, str] | None = None
        for root in self._by_path.values():
            relative = root.relative(path)
            if relative is None:
                continue
            here = path == root.path or path.startswith(f"{root.path}/")
            if found is None or (here, len(root.path)) > (
                path.startswith(f"{found[0].path}/") or path == found[0].path,
                len(found[0].path),
            ):
                found = (root, relative)
        return found
