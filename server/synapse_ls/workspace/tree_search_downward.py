"""Find the trees in a folder and below it, as far as is worth it (upward: `tree_search_upward`)."""

import os
from collections import deque
from collections.abc import Iterator

from synapse_ls.formats.config_settings import PathSettings
from synapse_ls.workspace import file_kinds, tree_folders
from synapse_ls.workspace.file_watching import configured_paths
from synapse_ls.workspace.tree_search_upward import search_tree, squad_trees

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
