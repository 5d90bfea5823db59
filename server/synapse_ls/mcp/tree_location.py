"""This module finds the rule tree that an MCP server serves: there is one at a time, and it is
looked for at each request, in the working directory and the client's folders (roots).

So a tree that comes later is served then, and one that goes is missed at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from synapse_ls.storage.pinned_trees import find_changes
from synapse_ls.storage.user_error import UserError
from synapse_ls.workspace.tree_discovery import search_tree


class TreeLocation:
    """A TreeLocation says where the tree is looked for: from ``start`` upward, else from the
    working directory, else from the folders that the client works in, the first with a tree.

    ``folders``: those of the client, None before it was asked.
    """

    def __init__(self, start: str = "") -> None:
        self._start = start
        self.folders: tuple[str, ...] | None = None

    @property
    def starts(self) -> tuple[str, ...]:
        """Returns the folders from which the tree is looked for, in this order."""
        return (self._start,) if self._start else (_working_directory(), *(self.folders or ()))

    @property
    def root(self) -> str:
        """Returns the root of the tree, "" where there is none."""
        return next((root for start in self.starts if (root := search_tree(start).root)), "")

    @property
    def served_root(self) -> str:
        """Returns the root of the tree, "" where there is none, or where it is not as its person
        pinned it: no agent is told of that one.
        """
        root = self.root
        return "" if root and find_changes(root) else root

    @property
    def wants_folders(self) -> bool:
        """Returns whether the client's folders could be of use, and are not known."""
        return not self._start and self.folders is None and not self.root

    def require_root(self) -> str:
        """Returns the root of the tree; raises UserError where there is none, or where it is not as
        its person pinned it.
        """
        root = self.root
        if not root:
            starts = ", ".join(start or "a folder that is gone" for start in self.starts)
            raise UserError(
                f"No rule tree was found from {starts} upward.",
                "Create one with `synapse init` in the project, or start the server with "
                "--root DIR; a tree that comes later is served then.",
            )
        if found := find_changes(root):
            raise UserError(
                "Nothing is told of this tree, because it is not as its person pinned it: "
                f"{found.describe()}.",
                "Have the person run `synapse trust --pin`.",
            )
        return root


def uri_folder(uri: str) -> str:
    """Returns the folder that a ``file:`` URI of a client names, in which the tree may be located,
    "" for any other.
    """
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    path = unquote(parts.path)
    if parts.scheme.casefold() != "file" or "\0" in path or not path:
        return ""
    if os.name == "nt":
        path = path.lstrip("/") if path[2:3] == ":" else path
    return os.path.normpath(path)


def uri_folders(uris: Iterable[str]) -> tuple[str, ...]:
    """Returns the folders among a client's URIs, in which the tree may be located."""
    return tuple(filter(None, map(uri_folder, uris)))


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""
