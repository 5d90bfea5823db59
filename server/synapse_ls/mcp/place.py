"""Which tree a server is about: there is one at a time, and it is looked for at each question.

So a tree that comes later is served then, and one that goes is missed at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from synapse_ls.service.errors import ServiceError
from synapse_ls.workspace.discover import search


class Place:
    """Where the tree is looked for: from ``start`` upward, else from the working directory, else
    from the folders that the client works in, the first with a tree.

    ``folders``: those of the client, None before it was asked.
    """

    def __init__(self, start: str = "") -> None:
        self._start = start
        self.folders: tuple[str, ...] | None = None

    @property
    def starts(self) -> tuple[str, ...]:
        """The folders from which the tree is looked for, in this order."""
        return (self._start,) if self._start else (_here(), *(self.folders or ()))

    @property
    def root(self) -> str:
        """The root of the tree, "" where there is none."""
        return next((root for start in self.starts if (root := search(start).root)), "")

    @property
    def wants_folders(self) -> bool:
        """Whether the client's folders could be of use, and are not known."""
        return not self._start and self.folders is None and not self.root

    def tree(self) -> str:
        """The root of the tree; ServiceError where there is none."""
        root = self.root
        if not root:
            starts = ", ".join(start or "a folder that is gone" for start in self.starts)
            raise ServiceError(
                f"No rule tree was found from {starts} upward.",
                "Create one with `synapse init` in the project, or start the server with "
                "--root DIR; a tree that comes later is served then.",
            )
        return root


def folder_of(uri: str) -> str:
    """The folder that a ``file:`` URI of a client names, "" for any other."""
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


def folders_of(uris: Iterable[str]) -> tuple[str, ...]:
    """The folders among these URIs."""
    return tuple(filter(None, map(folder_of, uris)))


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""
