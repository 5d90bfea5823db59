"""This module keeps the archive of past sessions, and their digests, within a limit of megabytes:
the oldest files go first. It is not for the hook path.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.storage.atomic_files import StorageError, remove_file
from synapse_ls.storage.session_store import ARCHIVE
from synapse_ls.workspace.tree_folders import SESSIONS, TREE

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMITED_FOLDERS = (f"{SESSIONS}/{ARCHIVE}", f"{TREE}/memory/digests")
"""Folders of records of past sessions, which nobody but one person has, relative to the root."""
_BYTES = 1_000_000  # of a megabyte


class _Record(NamedTuple):
    modified: float
    path: str
    size: int


def delete_oldest(root: str, megabytes: int) -> list[str]:
    """Keeps the archive within its limit: deletes the oldest archived sessions and digests of the
    tree in ``root`` until those left have at most so many megabytes; returns the paths of what was
    deleted.

    Links, and what cannot be deleted, stay and count for nothing.
    """
    records = sorted(record for folder in LIMITED_FOLDERS for record in _records_in(root, folder))
    left = sum(record.size for record in records)
    deleted = []
    for record in records:
        if left <= megabytes * _BYTES:
            break
        left -= record.size
        try:
            remove_file(record.path, within=root)
        except StorageError:
            continue
        deleted.append(record.path)
    return deleted


def _records_in(root: str, folder: str) -> Iterator[_Record]:
    """Yields the files of a folder, and of the folders in it."""
    for place, _, names in os.walk(os.path.join(root, folder)):
        for name in names:
            path = os.path.join(place, name)
            try:
                status = os.lstat(path)
            except OSError:
                continue
            if stat.S_ISREG(status.st_mode) and name != ".gitignore":
                yield _Record(status.st_mtime, path, status.st_size)
