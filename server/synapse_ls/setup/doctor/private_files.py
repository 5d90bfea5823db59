"""This module finds files about one person's work that git would take into the repository, which
older versions left.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.integrations.client_definition import Surroundings, Trouble
from synapse_ls.storage.git_runner import GitError, decode_output, find_git, run_git
from synapse_ls.workspace.private_folders import (
    GITIGNORE,
    ExposedFolder,
    exposed_folders,
    is_placeholder_file,
)
from synapse_ls.workspace.tree_folders import PRIVATE_FOLDERS

_PATIENCE = 5.0  # seconds


def private_file_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yields a trouble for each folder of which git has files or would take some."""
    for found in _ask_git(around.root):
        sentence, remedy = found.describe(), found.remedy()
        yield Trouble("private-files-in-git", "error", "", sentence, remedy, found.first)


def _ask_git(root: Path) -> Iterator[ExposedFolder]:
    """Yields what git itself says of private folders; without it, what its files say."""
    git = find_git(str(root))
    if not git:
        yield from exposed_folders(str(root))
        return
    for folder in PRIVATE_FOLDERS:
        if (root / folder).is_dir():
            tracked, waiting = (_listed_files(git, root, folder, how) for how in _LISTS)
            if tracked or waiting:
                has_ignore = (root / folder / GITIGNORE).is_file()
                yield ExposedFolder(folder, tracked, waiting, has_ignore)


_LISTS = (("--cached",), ("--others", "--exclude-standard"))


def _listed_files(git: str, root: Path, folder: str, how: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the files of a folder that git lists; none where there is no repository."""
    try:
        said = run_git(
            git, ("ls-files", "-z", *how, "--", folder), str(root), time.monotonic() + _PATIENCE
        )
    except GitError:
        return ()
    names = decode_output(said.data).split("\0")
    return tuple(name for name in names if name and not is_placeholder_file(name))
