"""Find the files that CARL v2 merges with a tree's own: ``carl.json`` of up to nine folders above.

Here the climb follows the real path and ends where the search for a tree does; above the
repository a file counts only if it is the user's own and not writable by everybody, as ``~/.carl``
is.
"""

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.text.phrases import shell_word
from synapse_ls.workspace import file_reader, tree_folders

# Folders above that of the tree that are looked at, as by CARL v2, which counts ten with it.
MAX_LEVELS = 9


class AncestorFile(NamedTuple):
    """A place above a tree where a ``carl.json`` may be.

    ``path`` is relative to the root, and leads through ``..``; ``folder`` is the real path of
    the folder that has ``.carl``. ``refusal``: why the file there is not read, "" where it may
    be, and where there is none; ``remedy``: a sentence on what to do then.
    """

    path: str
    folder: str
    refusal: str
    remedy: str


def ancestor_files(
    root: str, *, home: str | None = None, user: int | None = None
) -> Iterator[AncestorFile]:
    """Yield the places of CARL's files above the folder ``root``, the nearest first.

    ``home`` and ``user`` (a numeric id) are those of the process unless given.
    """
    if user is None:
        user = os.geteuid() if hasattr(os, "geteuid") else -1
    folders = tuple(_ancestor_folders(os.path.realpath(root), home, user))
    repository = next((f for f in folders if os.path.lexists(os.path.join(f, ".git"))), "")
    is_inside = bool(repository) and folders[0] != repository
    for level, folder in enumerate(folders[1:], 1):
        path = tree_folders.PARENT * level + tree_folders.CARL_FILE
        yield AncestorFile(path, folder, *_check_ownership(path, folder, user, is_inside))
        is_inside = is_inside and folder != repository


def _ancestor_folders(real: str, home: str | None, user: int) -> Iterator[str]:
    """Yield the folder of a tree and those above it that may be looked at."""
    top = os.path.realpath(os.path.expanduser("~") if home is None else home)
    try:
        device = os.stat(real).st_dev
    except OSError:
        return
    for _ in range(MAX_LEVELS + 1):
        yield real
        parent = os.path.dirname(real)
        if real in (top, parent):
            return
        try:
            status = os.stat(parent)
        except OSError:
            return
        if status.st_dev != device or (user > 0 and status.st_uid != user):
            return
        real = parent


def _check_ownership(path: str, folder: str, user: int, is_inside: bool) -> tuple[str, str]:
    """Return why the file of a folder is not read, and what to do; ("", "") where it may be
    read.
    """
    try:
        file = os.stat(os.path.join(folder, tree_folders.CARL_FILE))
        holder = os.stat(os.path.join(folder, tree_folders.CARL))
    except OSError:
        return "", ""
    if user < 0:
        return "", ""
    if {file.st_uid, holder.st_uid} != {user} and not (is_inside and user == 0):
        return (
            "it belongs to another user",
            f"Copy what is to hold here into `{tree_folders.CARL_FILE}`.",
        )
    writable = [path] if file_reader.is_world_writable(file) else []
    # Else the modes of the folder say nothing, either.
    has_modes = file.st_mode & 0o777 != 0o777
    if has_modes and holder.st_mode & 0o002 and not holder.st_mode & stat.S_ISVTX:
        writable.append(os.path.dirname(path))
    if writable and not is_inside:
        words = " ".join(map(shell_word, writable))
        return (
            "everybody may change it, and it is outside of the repository",
            f"Run `chmod o-w {words}` if it is yours and says what you want.",
        )
    return "", ""
