"""Finding trees: upward from a file or a folder, and downward from a workspace folder.

All of it looks at the disk and is meant for the worker's thread.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from synapse_ls.formats.config import Paths
from synapse_ls.lsp.uris import slashed
from synapse_ls.workspace.discover import search
from synapse_ls.workspace.folders import HOMES, SQUADS
from synapse_ls.workspace.kinds import SQUAD_FILE, squad_of
from synapse_ls.workspace.watched import paths_of

_FOLDERS = 10_000  # listed at most, below one workspace folder
_IGNORED = frozenset(
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

_MARKS = frozenset(mark.partition("/")[0] for mark, _ in HOMES)


def tree_above(start: str) -> str | None:
    """The root that a file or folder belongs to; a squad's tree belongs to that of its project."""
    root = search(start).root
    while root is not None:
        outer = search(os.path.dirname(root)).root if os.path.dirname(root) != root else None
        if outer is None or not _is_squad(root, outer):
            break
        root = outer
    return None if root is None else slashed(root)


def _is_squad(folder: str, root: str) -> bool:
    path = slashed(folder[len(root) :]).lstrip("/")
    return squad_of(f"{path}/manifest", paths_of(root)) == path


def _is_part(folder: str) -> bool:
    """Whether a folder is a squad by its place and its file, even if its project has no tree now."""
    home = os.path.basename(os.path.dirname(folder))
    return home == SQUADS and os.path.isfile(f"{folder}/{SQUAD_FILE}")


def trees_below(folder: str, depth: int, above: str | None = None) -> Iterator[str]:
    """The roots in ``folder`` and at most ``depth`` folders below it; ``above`` is known already.

    Hidden, installed and built folders are passed over, and so are links. Squads of a tree that was
    found are no trees of their own, nor are those of a project that has none or has lost it, unless
    ``folder`` itself is the squad.
    """
    pending = deque([(folder, 0)])
    squads: dict[str, Paths] = {above: paths_of(above)} if above else {}
    listed = 0
    while pending and listed < _FOLDERS:
        here, level = pending.popleft()
        listed += 1
        try:
            with os.scandir(here) as entries:
                folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=True)]
        except OSError:
            continue
        holds_tree = any(name in _MARKS for name in folders)
        holds_tree = holds_tree and (here == folder or not _is_part(here))
        # The search knows whose trees are to be trusted.
        if holds_tree and not _in_squad(here, squads) and search(here).root == here:
            squads[here] = paths_of(here)
            yield here
        if level < depth:
            for name in sorted(folders):
                path = f"{here}/{name}" if here != "/" else f"/{name}"
                if not name.startswith(".") and name not in _IGNORED and _is_own(path):
                    pending.append((path, level + 1))


def _in_squad(path: str, squads: dict[str, Paths]) -> bool:
    return any(
        path.startswith(f"{root}/") and squad_of(f"{path[len(root) + 1 :]}/manifest", paths)
        for root, paths in squads.items()
    )


def _is_own(path: str) -> bool:
    return not os.path.islink(path) and not os.path.exists(f"{path}/pyvenv.cfg")


class Found(NamedTuple):
    """The roots that there are, sorted, and those among them that only open files ask for."""

    paths: tuple[str, ...]
    lent: Set[str]


def find_roots(folders: Iterable[str], files: Iterable[str], depth: int) -> Found:
    """The roots of workspace folders and of open files."""
    found: set[str] = set()
    for folder in folders:
        above = tree_above(folder)
        if above:
            found.add(above)
        if depth >= 0:
            found.update(trees_below(folder, depth, above))
    lent: set[str] = set()
    for file in files:
        if not any(file.startswith(f"{root}/") for root in found | lent):
            above = tree_above(os.path.dirname(file))
            if above and not _is_part(above):
                lent.add(above)
    return Found(tuple(sorted(found | lent)), lent)
