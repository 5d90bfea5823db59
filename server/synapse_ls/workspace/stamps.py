"""What tells cheaply whether a file or folder is still the one that was read."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

Stamp = tuple[int, int, int]
"""Modification time in nanoseconds, size in bytes (`FOLDER` for a folder's), inode."""

FOLDER = -1


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp in a result of ``os.stat``."""
    return stamp(status.st_mode, status.st_mtime_ns, status.st_size, status.st_ino)


def stamp(mode: int, modified: int, size: int, inode: int) -> Stamp:
    """The stamp of parts of such a result. A folder's size means nothing and is left out."""
    return (modified, FOLDER if mode & 0o170000 == 0o040000 else size, inode)


def take(path: str) -> Stamp | None:
    """The stamp of what ``path`` leads to; None where nothing can be reached."""
    try:
        return stamp_of(os.stat(path))
    except (OSError, ValueError):
        return None


def first_change(root: str, stamps: Mapping[str, Stamp | None]) -> str | None:
    """The first of the stamped paths, relative to ``root``, that is no longer the same."""
    for path, stamp in stamps.items():
        if take(f"{root}/{path}") != stamp:
            return path
    return None
