"""Hearing of changes on disk: from the client where it watches, else by watching ourselves.

An event says no more than "this path may be different": who gets it looks at the file. That makes
the kinds of events, their order and their doubles irrelevant.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from lsprotocol import types

from synapse_ls.formats.config import Paths
from synapse_ls.lsp.uris import uri_of
from synapse_ls.workspace.folders import TREE
from synapse_ls.workspace.kinds import SQUAD_PLACES, places

QUIET, LIMIT = 0.075, 0.5
"""Seconds without an event that end a burst, and the longest that a burst is waited for."""

_REGISTRATION = "synapse-watched-files"
_NEW_TREES = (f"**/{TREE}", f"**/{TREE}/**")


class Watched(NamedTuple):
    """A root and what has to be watched for it: its places, and the folders that links lead to."""

    root: str
    paths: Paths
    links: tuple[str, ...]


def root_patterns(paths: Paths) -> tuple[str, ...]:
    """Globs, relative to a root, of everything that can change it, folders that vanish included."""
    found = [TREE, f"{TREE}/**"]
    for place in places(paths):
        if place.path.startswith(f"{TREE}/"):
            continue
        found += _ancestors(place.path)
        found += [place.path] if place.is_file else [place.path, f"{place.path}/**"]
    for home in paths.squads:
        found += [*_ancestors(home), home, f"{home}/*"]
        found += [f"{home}/*/{pattern}" for pattern in squad_patterns()]
    return tuple(dict.fromkeys(found))


def squad_patterns() -> tuple[str, ...]:
    """Globs, relative to a squad's folder, of everything that can change the squad."""
    found: list[str] = []
    for place in SQUAD_PLACES:
        found += [place.path] if place.is_file else [place.path, f"{place.path}/*"]
    return tuple(found)


def _ancestors(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


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
        found += [(link, pattern) for link in one.links for pattern in squad_patterns()]
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


class Spec(NamedTuple):
    """A folder that we watch ourselves, with all that is below it or without."""

    path: str
    deep: bool


def specs(watched: Iterable[Watched], folders: Iterable[str]) -> frozenset[Spec]:
    """The folders to watch, as they are on disk now: the specific ones, never a whole repository.

    Where a folder does not exist yet, the nearest one above it tells when it does.
    """
    wanted: set[Spec] = set()
    for one in watched:
        deep = [TREE, *one.paths.squads]
        deep += [place.path for place in places(one.paths) if not place.is_file]
        files = [place.path for place in places(one.paths) if place.is_file]
        wanted.add(Spec(one.root, False))
        for path in deep:
            wanted.add(_nearest(one.root, path, True))
        for path in files:
            wanted.add(_nearest(one.root, path.rpartition("/")[0], False))
        wanted.update(Spec(link, True) for link in one.links)
    there = [spec for spec in wanted if os.path.isdir(spec.path)]
    deep_paths = {spec.path for spec in there if spec.deep}
    found = {spec for spec in there if not _is_covered(spec, deep_paths)}
    # A workspace folder is waited for while it is away: its tree may return with it.
    return frozenset(found | {Spec(folder, False) for folder in folders})


def _nearest(root: str, path: str, deep: bool) -> Spec:
    if os.path.isdir(f"{root}/{path}" if path else root):
        return Spec(f"{root}/{path}" if path else root, deep)
    return _nearest(root, path.rpartition("/")[0], False)


def _is_covered(spec: Spec, deep: set[str]) -> bool:
    above = spec.path
    if not spec.deep and above in deep:
        return True
    while "/" in above:
        above = above.rpartition("/")[0]
        if above in deep:
            return True
    return False


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
