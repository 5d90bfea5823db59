"""This module reads the list of files that git tracks, without running git: whether a path is in
it, and whether a file is as git has it.
"""

from __future__ import annotations

import os

from synapse_ls.workspace.regular_files import read_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_MOST_INDEX_BYTES: Final = 50_000_000  # bytes of the list that are read
_INDEX_MARK: Final = b"DIRC"
_NAME_BYTES: Final = 20  # bytes of the SHA-1 that an entry has before the flags and the path
_FLAG_BYTES: Final = (2, 4)  # bytes of the flags; more of them from version 3 on


class TrackedFiles:
    """TrackedFiles is the list of files that git tracks of the repository at ``top``; none where
    the list has another format than the usual one.
    """

    __slots__ = ("_index",)

    def __init__(self, top: str) -> None:
        data = read_quietly(os.path.join(git_folder(top), "index"), _MOST_INDEX_BYTES)
        # From version 4 on a path stands there only as what differs from the one before.
        version = int.from_bytes(data[4:8], "big")
        self._index = data if data[:4] == _INDEX_MARK and version in (2, 3) else b""

    def holds(self, path: str) -> bool:
        """Tells whether git tracks a path, relative to the top."""
        return b"%b\0" % os.fsencode(path) in self._index

    def holds_content(self, path: str, data: bytes) -> bool:
        """Tells whether a path is tracked with this content, or with it but for CRLF."""
        from hashlib import sha1  # seldom wanted, and the import is not free

        names = {
            sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).digest()
            for content in (data, data.replace(b"\r\n", b"\n"))
        }
        wanted = b"%b\0" % os.fsencode(path)
        at = self._index.find(wanted)
        while at >= 0:
            starts = (at - flags - _NAME_BYTES for flags in _FLAG_BYTES)
            if any(self._index[start : start + _NAME_BYTES] in names for start in starts):
                return True
            at = self._index.find(wanted, at + 1)
        return False


def find_repository(folder: str) -> str:
    """Returns the top folder of the git repository whose tracked files a folder is among, "" for
    none.
    """
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    return folder


def path_in_repository(root: str, top: str, path: str) -> str:
    """Returns a path relative to ``root`` as the list of tracked files has it, relative to the top
    of the repository.
    """
    prefix = os.path.relpath(os.path.realpath(root), top).replace(os.sep, "/")
    return path if prefix == "." else f"{prefix}/{path}"


def git_folder(top: str) -> str:
    """Returns the folder in which git keeps its list of tracked files, and all else that it knows
    of a work tree.
    """
    path = os.path.join(top, ".git")
    if os.path.isdir(path):
        return path
    said = read_quietly(path, 4_096).decode(errors="replace").partition("gitdir:")[2].strip()
    return os.path.join(top, said) if said else path


def read_quietly(path: str, limit: int) -> bytes:
    """Returns what a file of git's about tracked files holds; nothing where that is more than
    ``limit`` bytes, or it cannot be read.
    """
    try:
        return read_whole(path, limit)
    except OSError:
        return b""
