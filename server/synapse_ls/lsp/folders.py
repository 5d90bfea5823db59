"""The folders that the client works in."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from synapse_ls.lsp.uris import path_of, slashed


class Folders:
    """The workspace folders, as paths."""

    def __init__(self) -> None:
        self._paths: dict[str, None] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        """The folders in the client's order."""
        return tuple(self._paths)

    def set(self, params: types.InitializeParams) -> None:
        """Those of ``initialize``; older clients name one by ``rootUri`` or ``rootPath``."""
        if params.workspace_folders:
            self._add(folder.uri for folder in params.workspace_folders)
        elif params.root_uri:
            self._add([params.root_uri])
        elif params.root_path:
            self._paths[slashed(params.root_path).rstrip("/") or "/"] = None

    def change(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        """Folders were added and removed."""
        for folder in event.removed:
            self._paths.pop(path_of(folder.uri) or "", None)
        self._add(folder.uri for folder in event.added)

    def _add(self, uris: Iterable[str]) -> None:
        for path in map(path_of, uris):
            if path is not None:
                self._paths[path] = None
