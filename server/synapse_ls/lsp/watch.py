"""What the client is asked to watch, and gathering what it or we have seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lsprotocol import types

from synapse_ls.lsp.uris import uri_of
from synapse_ls.workspace.folders import SIGNS
from synapse_ls.workspace.watched import Watched, linked_patterns, root_patterns

_REGISTRATION = "synapse-watched-files"
_NEW_TREES = tuple(
    f"**/{sign}{below}" for sign in SIGNS for below in ("", "/**") if not (below and "/" in sign)
)


def watchers(
    watched: Iterable[Watched], folders: Iterable[str], *, anywhere: bool
) -> list[types.FileSystemWatcher]:
    """What the client is asked to watch; with ``anywhere`` by patterns relative to any folder."""
    if not anywhere:
        patterns = [*_NEW_TREES]
        for one in watched:
            patterns += [f"**/{pattern}" for pattern in root_patterns(one.paths)]
        return [types.FileSystemWatcher(pattern) for pattern in dict.fromkeys(patterns)]
    found = [(folder, pattern) for folder in folders for pattern in _NEW_TREES]
    for one in watched:
        found += [(one.root, pattern) for pattern in root_patterns(one.paths)]
        found += [(link, pattern) for link in one.links for pattern in linked_patterns()]
    return [
        types.FileSystemWatcher(types.RelativePattern(uri_of(base), pattern))
        for base, pattern in dict.fromkeys(found)
    ]


def registration(found: list[types.FileSystemWatcher]) -> types.RegistrationParams:
    """The request that has them watched."""
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers=found)
    return types.RegistrationParams(
        [types.Registration(_REGISTRATION, types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)]
    )


def unregistration() -> types.UnregistrationParams:
    """The request that ends it."""
    return types.UnregistrationParams(
        [types.Unregistration(_REGISTRATION, types.WORKSPACE_DID_CHANGE_WATCHED_FILES)]
    )


class Inbox:
    """The paths of a burst, each once. ``handle`` gets them when the burst is over."""

    def __init__(
        self, handle: Callable[[frozenset[str]], object], settle: Callable[[], object]
    ) -> None:
        self._handle = handle
        self._settle = settle
        self._paths: set[str] = set()

    def put(self, path: str) -> None:
        """This absolute path may be different."""
        self._paths.add(path)
        self._settle()

    def empty(self) -> None:
        """The burst is over."""
        paths, self._paths = self._paths, set()
        if paths:
            self._handle(frozenset(paths))
