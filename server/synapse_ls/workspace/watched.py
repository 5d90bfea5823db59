"""What has to be watched for a tree: its places on disk, as patterns and as folders.

An event says no more than "this path may be different": who gets it looks at the file. That makes
the kinds of events, their order and their doubles irrelevant.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from synapse_ls.formats import config
from synapse_ls.formats.config import Paths
from synapse_ls.workspace.above import above
from synapse_ls.workspace.folders import CARL, CARL_FILE, CONFIG, TREE
from synapse_ls.workspace.kinds import SQUAD_PLACES, places
from synapse_ls.workspace.read import RefusedError, read_file

QUIET, LIMIT = 0.075, 0.5
"""Seconds without an event that end a burst, and the longest that a burst is waited for."""


class Watched(NamedTuple):
    """A root and what has to be watched for it: its places, and the folders that links lead to."""

    root: str
    paths: Paths
    links: tuple[str, ...]


def watched(root: str) -> Watched:
    """What has to be watched for the tree at ``root``, as it is on disk now."""
    return Watched(root, paths_of(root), tuple(real for real, inner in links_of(root) if inner))


def paths_of(root: str) -> Paths:
    """Where the files of a tree are, as its configuration says."""
    try:
        content = read_file(f"{root}/{CONFIG}")
    except RefusedError:
        content = None
    return config.parse(content.decoded.text if content else "").document.paths


def links_of(root: str) -> tuple[tuple[str, str], ...]:
    """(real path, path relative to the root) of what is reached by links: squads, and the root.

    So are the folders above the root whose ``carl.json`` CARL v2 merges with that of the tree.
    """
    links: list[tuple[str, str]] = []
    if os.path.isfile(f"{root}/{CARL_FILE}"):
        links += [
            (_slashed(os.path.join(one.folder, CARL)), one.path.rpartition("/")[0])
            for one in above(root)
            if os.path.isdir(os.path.join(one.folder, CARL))
        ]
    for home in paths_of(root).squads:
        try:
            with os.scandir(f"{root}/{home}") as entries:
                linked = [entry.name for entry in entries if entry.is_symlink()]
        except OSError:
            continue
        links += [
            (real, f"{home}/{name}")
            for name in linked
            if os.path.isdir(real := _slashed(os.path.realpath(f"{root}/{home}/{name}")))
        ]
    real_root = _slashed(os.path.realpath(root))
    if real_root != root:
        links.append((real_root, ""))
    return tuple(links)


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


def linked_patterns() -> tuple[str, ...]:
    """Globs, relative to a folder of `links_of`, of everything that can change the tree."""
    return (*squad_patterns(), CARL_FILE.rpartition("/")[2])


def squad_patterns() -> tuple[str, ...]:
    """Globs, relative to a squad's folder, of everything that can change the squad."""
    found: list[str] = []
    for place in SQUAD_PLACES:
        below = f"{place.path}/{'**' if place.deep else '*'}"
        found += [place.path] if place.is_file else [place.path, below]
    return tuple(found)


def _ancestors(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


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


def _slashed(path: str) -> str:
    return path if os.sep == "/" else path.replace(os.sep, "/")
