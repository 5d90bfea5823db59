"""This module finds files about one person's work that git would take into the repository, which
older versions left.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.integrations.client_definition import Surroundings, Trouble
from synapse_ls.storage.git_runner import GitError, decode_output, find_git, run_git
from synapse_ls.storage.session_store import GITIGNORE
from synapse_ls.text.plural_counts import format_count

PRIVATE_FOLDERS = (
    ".synapse/sessions",
    ".synapse/continuation",
    ".synapse/metrics",
    ".synapse/memory/digests",
)
_PLACEHOLDERS = (".gitkeep", ".keep", GITIGNORE)
"""Files that keep an empty folder in a repository, or other files out of it."""
_PATIENCE = 5.0  # seconds


def private_file_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yields a trouble for each folder of which git has files or would take some."""
    for folder in PRIVATE_FOLDERS:
        if not (around.root / folder).is_dir():
            continue
        committed, waiting = (_listed_files(around.root, folder, how) for how in _LISTS)
        if committed:
            said = f"git has {format_count(len(committed), 'file')} of {folder}/"
            remedy = f"Run `git rm -r --cached {folder}`, and commit that; the files stay."
        elif waiting:
            said = f"git would take {format_count(len(waiting), 'file')} of {folder}/"
            remedy = f"Write `*` into {folder}/{GITIGNORE}."
        else:
            continue
        sentence = f"{said}, which holds words of a person's prompts"
        first = (committed or waiting)[0]
        yield Trouble("private-files-in-git", "error", "", sentence, remedy, first)


_LISTS = (("--cached",), ("--others", "--exclude-standard"))


def _listed_files(root: Path, folder: str, how: tuple[str, ...]) -> list[str]:
    """Returns the files of a folder that git lists; none where there is no git or repository."""
    git = find_git(str(root))
    if not git:
        return []
    try:
        said = run_git(
            git, ("ls-files", "-z", *how, "--", folder), str(root), time.monotonic() + _PATIENCE
        )
    except GitError:
        return []
    names = decode_output(said.data).split("\0")
    return [name for name in names if name and name.rpartition("/")[2] not in _PLACEHOLDERS]
