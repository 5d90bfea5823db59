"""This module writes the files that a person names among the options of a command."""

from __future__ import annotations

import os
from pathlib import Path


def write_named_file(path: str, data: bytes, *, durable: bool = False) -> None:
    """Writes ``data`` as the whole content of a file that a person has named. Raises StorageError,
    for what lies in the project that they work in behind a link that leads out of it, too: the link
    may be somebody else's.
    """
    from synapse_ls.storage.atomic_files import ANYWHERE, atomic_write
    from synapse_ls.workspace.tracked_files import find_repository

    folder = str(Path.cwd())
    file = os.path.normpath(Path(folder, path))
    project = find_repository(folder) or folder
    is_inside = file.startswith(project.rstrip(os.sep) + os.sep)
    atomic_write(file, data, within=project if is_inside else ANYWHERE, durable=durable)
