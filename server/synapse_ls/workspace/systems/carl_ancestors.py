"""This module finds the ``carl.json`` files in the folders above a tree, which CARL v2 merges
with its own.

CARL climbs ten folders and believes what it finds. Here the climb is along the real path,
and ends where the search for a tree does: above the home folder, where another file system
begins, and before a folder of another user. Inside the repository of the tree a file is one
of its own; what lies further up reaches agents only where it is the user's own and not
everybody may write it: ``~/.carl`` does, and not what somebody left in a shared folder.
What is refused is named with the reason.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.workspace.file_reader import is_world_writable
from synapse_ls.workspace.tree_folders import CARL_FILE, PARENT

MAX_LEVELS = 9
"""Folders above that of the tree that are looked at, as by CARL v2, which counts ten with it."""


class AncestorFile(NamedTuple):
    """An AncestorFile is a place above a tree where a ``carl.json`` may be.

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
    """Yields the places of CARL's files above the folder ``root``, the nearest first.

    ``home`` and ``user`` (a numeric id) are those of the process unless given.
    """
    if user is None:
        user = os.geteuid() if hasattr(os, "geteuid") else -1
    folders = tuple(_ancestor_folders(os.path.realpath(root), home, user))
    repository = next((f for f in folders if os.path.lexists(os.path.join(f, ".git"))), "")
    is_inside = bool(repository) and folders[0] != repository
    for level, folder in enumerate(folders[1:], 1):
        path = PARENT * level + CARL_FILE
        yield AncestorFile(path, folder, *_check_ownership(path, folder, user, is_inside))
        is_inside = is_inside and folder != repository


def _ancestor_folders(real: str, home: str | None, user: int) -> Iterator[str]:
    """Yields the folder of a tree and those above it that may be looked at."""
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


def _world_writable_paths(path: str, file: os.stat_result, folder: os.stat_result) -> Iterator[str]:
    """Yields where everybody may change a file, or put another one into its place."""
    if is_world_writable(file):
        yield path
    of_modes = file.st_mode & 0o777 != 0o777  # else those of the folder say nothing, either
    if of_modes and folder.st_mode & 0o002 and not folder.st_mode & stat.S_ISVTX:
        yield os.path.dirname(path)


def _check_ownership(path: str, folder: str, user: int, is_inside: bool) -> tuple[str, str]:
    """Returns why the file of a folder is not read, and what to do; ("", "") where it may be read."""
    file = os.path.join(folder, CARL_FILE)
    try:
        known = os.stat(file), os.stat(os.path.dirname(file))
    except OSError:
        return "", ""
    if user < 0:
        return "", ""
    if any(status.st_uid != user for status in known) and not (is_inside and user == 0):
        return "it belongs to another user", f"Copy what is to hold here into `{CARL_FILE}`."
    opened = () if is_inside else tuple(_world_writable_paths(path, *known))
    if opened:
        return (
            "everybody may change it, and it is outside of the repository",
            f"Run `chmod o-w {' '.join(opened)}` if it is yours and says what you want.",
        )
    return "", ""
