"""Finding the tree that a working directory belongs to, upward and no further than is safe.

The nearest folder with a tree wins. The search ends at the root of the repository, below the
home folder (which is looked at only when the search starts there), where another file system
begins, and before a folder of another user: a tree steers an agent, so one that somebody else
can plant above a project must not be picked up.
"""

from __future__ import annotations

import errno
import os
import stat

from synapse_ls.workspace.folders import HOMES, SQUADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_MISSING: Final = (errno.ENOENT, errno.ENOTDIR)


class Search:
    """The result of a search.

    root: absolute path of the folder that holds a tree, None where there is none.
    reason: one sentence that says why nothing was found; empty with a root.
    """

    __slots__ = ("reason", "root")

    def __init__(self, root: str | None, reason: str = "") -> None:
        self.root = root
        self.reason = reason


def find_root(start: str) -> str | None:
    """The nearest folder at or above ``start`` that holds a tree; None where there is none."""
    return search(start).root


def holds_tree(folder: str) -> bool:
    """Whether ``folder`` itself has what marks a root."""
    return any(os.path.exists(os.path.join(folder, mark)) for mark, _ in HOMES)


def search(start: str, *, home: str | None = None, user: int | None = None) -> Search:
    """Look for a tree from the folder (or the file) ``start`` upward.

    Paths are climbed as they are written, so a root is a prefix of what the client named. Folders
    that do not exist yet are passed over. ``home`` and ``user`` (a numeric id; 0 may read trees of
    everyone) are those of the process unless given.
    """
    try:
        here = os.path.abspath(start)
        home_id = _identity(os.path.expanduser("~") if home is None else home)
    except (OSError, ValueError) as error:
        return _nothing(start, start, f"it cannot be read ({_why(error)})")
    if user is None:
        user = os.geteuid() if hasattr(os, "geteuid") else 0
    first = here
    device: int | None = None
    below = ""  # the last folder that was looked at
    while True:
        try:
            status = os.stat(here)
        except (OSError, ValueError) as error:
            if getattr(error, "errno", None) not in _MISSING:
                return _nothing(first, below, f"{here} cannot be read ({_why(error)})")
            status = None
        if status is not None and stat.S_ISDIR(status.st_mode):
            at_home = (status.st_dev, status.st_ino) == home_id
            if at_home and below:
                return _nothing(first, below, "the next folder up is the home folder")
            if device is not None and status.st_dev != device:
                return _nothing(first, below, f"{here} is on another file system")
            if user and status.st_uid != user:
                return _nothing(first, below, f"{here} belongs to another user")
            device = status.st_dev
            is_tree, foreign = _tree_in(here, user)
            if is_tree and not _is_squad(here, user):
                return Search(here)
            if foreign:
                return _nothing(first, below, f"{foreign} belongs to another user")
            if os.path.lexists(os.path.join(here, ".git")):
                return _nothing(first, here, "that is the root of the repository")
            if at_home:
                return _nothing(first, here, "that is the home folder")
            below = here
        parent = os.path.dirname(here)
        if parent == here:
            return _nothing(first, below, "no folder is left")
        here = parent


def _tree_in(folder: str, user: int) -> tuple[bool, str]:
    """Whether a tree is in ``folder``, and the path of one that is there but not ours to trust."""
    foreign = ""
    for mark, _ in HOMES:
        path = os.path.join(folder, mark)
        try:
            status = os.stat(path)
            holder = status if _is_folder(mark) else os.stat(os.path.dirname(path))
        except OSError:
            continue
        if stat.S_ISDIR(status.st_mode) is not _is_folder(mark):
            continue
        if user and (status.st_uid != user or holder.st_uid != user):
            foreign = foreign or path
            continue
        return True, ""
    return False, foreign


def _is_folder(mark: str) -> bool:
    """Whether a mark is a folder; one inside a folder is a file."""
    return "/" not in mark


def _is_squad(folder: str, user: int) -> bool:
    """Whether the tree in ``folder`` is a squad's, which belongs to the tree two folders above."""
    squads = os.path.dirname(folder)
    return os.path.basename(squads) == SQUADS and _tree_in(os.path.dirname(squads), user)[0]


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _nothing(first: str, last: str, why: str) -> Search:
    if not last:
        where = f"at {first}"
    elif last == first:
        where = f"in {first}"
    else:
        where = f"from {first} up to {last}"
    return Search(None, f"No rule tree such as {HOMES[0][0]}/ {where}: {why}.")


def _why(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
