"""This module takes stamps of files and folders: values that tell cheaply whether a file is
still the one that was read.

A stamp is (modification time, size, inode), from one ``os.stat``.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

Stamp = tuple[int, int, int]
"""Modification time in nanoseconds, size in bytes (`FOLDER` for a folder's), inode."""

FOLDER = -1


def stamp_of_status(status: os.stat_result) -> Stamp:
    """Returns the stamp in a result of ``os.stat``."""
    return make_stamp(status.st_mode, status.st_mtime_ns, status.st_size, status.st_ino)


def make_stamp(mode: int, modified: int, size: int, inode: int) -> Stamp:
    """Returns the stamp of parts of an ``os.stat`` result. A folder's size means nothing and is
    left out.
    """
    return (modified, FOLDER if mode & 0o170000 == 0o040000 else size, inode)


def take_stamp(path: str) -> Stamp | None:
    """Returns the stamp of what ``path`` leads to; None where nothing can be reached."""
    try:
        return stamp_of_status(os.stat(path))
    except (OSError, ValueError):
        return None


def first_changed_path(root: str, stamps: Mapping[str, Stamp | None]) -> str | None:
    """Returns the first of the stamped paths, relative to ``root``, that is no longer the same;
    None where all are.
    """
    for path, stamp in stamps.items():
        if take_stamp(f"{root}/{path}") != stamp:
            return path
    return None
