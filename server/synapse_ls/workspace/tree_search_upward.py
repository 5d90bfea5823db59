"""Find the tree of a working directory, upward as far as is safe.

The nearest folder with a tree counts. The search ends at the root of the repository (from a linked
work tree without a tree it continues in the main one), below the home folder (unless it starts
there), at another file system, and at another user's folder, since somebody else could plant a tree
above a project. The superuser passes everyone's folders, but above the start takes only trees of
its own or of the owner of the folder where it started. Owners that the user trusts (``synapse
trust``) are accepted.
"""

from __future__ import annotations

import _stat as stat  # what `stat` gives, without the same in Python before it
import errno
import os

from synapse_ls.text.record import Record
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.linked_work_trees import main_work_tree
from synapse_ls.workspace.tree_folders import CARL, ROOT_MARKS, SQUADS, TREE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

_MISSING_ERRORS: Final = (errno.ENOENT, errno.ENOTDIR)


# The owners where it does not matter whose a tree is.
EVERYBODY: Final = frozenset[int]()
_UNSEEN_BEGINNINGS: Final = "._"  # of hidden folders and templates, which are no squads


class TreeSearch(Record):
    """The result of looking for a tree.

    root: absolute path of the folder that holds a tree, None where there is none.
    reason: one sentence that says why nothing was found; empty with a root.
    foreign: the folder of a tree that was found and not taken, because it is another user's; ""
    for none. remedy: what to do where nothing was found.
    """

    root: str | None
    reason: str = ""
    foreign: str = ""
    remedy: str = "Run `synapse init` to create a tree."


def find_root(start: str) -> str | None:
    """Return the nearest folder at or above ``start`` that holds a tree; None where there is
    none.
    """
    return search_tree(start).root


def holds_tree(folder: str) -> bool:
    """Check whether ``folder`` itself has what marks the root of a tree."""
    return _has_root_mark(folder) or next(squad_trees(folder), "") != ""


def squad_trees(folder: str) -> Iterator[str]:
    """Yield the trees of the squads in ``folder``, which make it a tree with an empty root; links
    do not count.
    """
    home = os.path.join(folder, SQUADS)
    try:
        names = sorted(os.listdir(home))
    except OSError:
        return
    for name in names:
        path = os.path.join(home, name)
        tree = os.path.join(path, TREE)
        is_linked = os.path.islink(home) or os.path.islink(path) or os.path.islink(tree)
        if name[0] not in _UNSEEN_BEGINNINGS and not is_linked and os.path.isdir(tree):
            yield tree


def search_tree(start: str, *, home: str | None = None, user: int | None = None) -> TreeSearch:
    """Look for a tree from the folder (or the file) ``start`` upward.

    Paths are climbed as they are written, so a root is a prefix of what the client named.
    Folders that do not exist yet are passed over. ``home`` and ``user`` (a numeric id; 0 is the
    superuser) are those of the process unless given.
    """
    try:
        here = os.path.abspath(start)
        home_id = folder_identity(os.path.expanduser("~") if home is None else home)
    except (OSError, ValueError) as error:
        return _failed_search(start, start, f"it cannot be read ({_error_text(error)})")
    if user is None:
        user = os.geteuid() if hasattr(os, "geteuid") else 0
    first = here
    owners = EVERYBODY  # whose trees are taken
    alone = ""  # a squad whose project is a tree by its squads only, and may be out of reach
    device: int | None = None
    below = ""  # the last folder that was looked at
    while True:
        try:
            status = _stat_existing(here)
        except (OSError, ValueError) as error:
            why = f"{here} cannot be read ({_error_text(error)})"
            return _failed_search(first, below, why, alone)
        if status is not None and stat.S_ISDIR(status.st_mode):
            at_home = (status.st_dev, status.st_ino) == home_id
            why = _foreign_reason(here, status, device, user)
            if at_home and below:
                why = "the next folder up is the home folder"
            if why:
                return _failed_search(first, below, why, alone)
            device = status.st_dev
            # The user's own trees are taken; by the superuser also those of the owner of the folder
            # in which the search starts, and in that folder everybody's, unless everybody may put
            # one there.
            owners = owners or frozenset((user,) if user else (user, status.st_uid))
            takes_all = below == "" and user == 0 and not status.st_mode & stat.S_IWOTH
            is_tree, foreign = _find_tree_mark(here, EVERYBODY if takes_all else owners)
            # The folder that a squad here would belong to, two above.
            squads = os.path.dirname(here)
            project = os.path.dirname(squads) if os.path.basename(squads) == SQUADS else ""
            if is_tree and not (project and _find_tree_mark(project, owners)[0]):
                return TreeSearch(here)
            if is_tree and not alone and not _has_root_mark(project):
                alone = here
            if foreign:
                why = f"{foreign} belongs to another user (`synapse trust` there serves it)"
                return _failed_search(first, below, why, alone, here)
            last = "that is the home folder" if at_home else ""
            if os.path.lexists(os.path.join(here, ".git")):
                last = "that is the root of the repository"
            if last:
                is_linked = not alone and os.path.isfile(os.path.join(here, ".git"))
                if is_linked and (main := main_work_tree(here)):
                    start = os.path.join(main, os.path.relpath(first, here))
                    return search_tree(start, home=home, user=user)
                return _failed_search(first, here, last, alone)
            below = here
        parent = os.path.dirname(here)
        if parent == here:
            return _failed_search(first, below, "no folder is left", alone)
        here = parent


def _stat_existing(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError) as error:
        if getattr(error, "errno", None) in _MISSING_ERRORS:
            return None
        raise


def _foreign_reason(folder: str, status: os.stat_result, device: int | None, user: int) -> str:
    """Return why a folder is not looked at; "" where it is. device: that of the folder below."""
    if device is not None and status.st_dev != device:
        return f"{folder} is on another file system"
    if not user or status.st_uid == user or _is_trusted(folder):
        return ""
    return f"{folder} belongs to another user"


def _is_trusted(folder: str) -> bool:
    """Return whether the user has named a folder to ``synapse trust``."""
    from synapse_ls.workspace.outside_links import read_trusted

    return os.path.realpath(folder) in read_trusted()


def _find_tree_mark(folder: str, owners: frozenset[int]) -> tuple[bool, str]:
    """Return whether a tree is in ``folder``, and the path of one that is there but not ours to
    trust: it belongs to none of ``owners``.
    """
    foreign = ""
    for mark, _, _ in ROOT_MARKS:
        path = os.path.join(folder, mark)
        try:
            status, link = os.stat(path), os.lstat(path)
            holder = status if _is_folder_mark(mark) else os.stat(os.path.dirname(path))
        except OSError:
            continue
        if stat.S_ISDIR(status.st_mode) is not _is_folder_mark(mark):
            continue
        if not _belong_to(owners, status, link, holder):
            foreign = foreign or path
            continue
        return True, ""
    home = os.path.join(folder, SQUADS)
    for path in squad_trees(folder):
        try:
            statuses = tuple(os.stat(place) for place in (path, os.path.dirname(path), home))
        except OSError:
            continue
        if _belong_to(owners, *statuses):
            return True, ""
        foreign = foreign or path
    if foreign and _is_trusted(folder):
        return True, ""
    return False, foreign


def _belong_to(owners: frozenset[int], *statuses: os.stat_result) -> bool:
    return not owners or all(status.st_uid in owners for status in statuses)


def _is_folder_mark(mark: str) -> bool:
    """Check whether a root mark is a folder; one with a slash in it is a file inside a folder."""
    return "/" not in mark


def _has_root_mark(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, mark)) for mark, _, _ in ROOT_MARKS)


def folder_identity(path: str) -> tuple[int, int] | None:
    """Return device and inode of what a path leads to; None where nothing can be reached."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _failed_search(
    first: str, last: str, why: str, alone: str = "", foreign: str = ""
) -> TreeSearch:
    if alone:
        return TreeSearch(alone)
    if unfinished := _find_unfinished_carl(first, last):
        # The result of a search that found rules of CARL, and nothing that declares them.
        manifest = f"{CARL}/manifest"
        remedy = (
            f"Write a line such as GLOBAL_STATE=active into {manifest} for each file of rules "
            "there."
        )
        if os.path.isfile(os.path.join(unfinished, "manifest.template")):
            remedy = (
                f"Copy {manifest}.template to {manifest}, and declare each file of rules there in "
                "it."
            )
        reason = (
            f"{unfinished} has no manifest, so none of its rules are read and it is no rule tree."
        )
        return TreeSearch(None, reason, foreign, remedy)
    if not last:
        where = f"at {first}"
    elif last == first:
        where = f"in {first}"
    else:
        where = f"from {first} up to {last}"
    return TreeSearch(None, f"No rule tree such as {ROOT_MARKS[0][0]}/ {where}: {why}.", foreign)


def _find_unfinished_carl(first: str, last: str) -> str:
    """Return the nearest folder of CARL without a manifest from ``first`` up to ``last``; "" for
    none.
    """
    here = first if last else ""
    while here:
        path = os.path.join(here, CARL)
        if os.path.isdir(path) and not os.path.lexists(os.path.join(path, "manifest")):
            return path
        parent = os.path.dirname(here)
        here = "" if here in (last, parent) else parent
    return ""


def _error_text(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def locate_tree(start: str) -> str:
    """Return the root of the tree that ``start``, "" for the working directory, belongs to; raise
    UserError where there is none.
    """
    tree = search_tree(start or os.getcwd())
    if tree.root is None:
        raise UserError(tree.reason, tree.remedy)
    return tree.root
