"""Open the folders in which the program reads, writes and locks, confined to the project.

A folder is opened from the project's own, name by name, without following links: three or four
system calls. Where there is a link, the path is resolved; a folder above it has to be the project
(by device and inode) or a place that the user trusts, and the path is walked from there in the same
way. So a link that replaces a folder meanwhile is never followed.

Windows has no handles of folders for this. There the path is resolved (junctions and other name
surrogates count as links), compared, and then used, which leaves a race.
"""

from __future__ import annotations

import errno
import os

from synapse_ls.workspace.linked_work_trees import leads_into_git
from synapse_ls.workspace.regular_files import HAS_HANDLES, walk_folders
from synapse_ls.workspace.tree_folders import TREE, is_note_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

PLAIN_FOLDER: Final = 0o777
_REFUSED: Final = "a path by `..`, or into git's own folder, is not followed"


class LeadsOutError(OSError):
    """A link leads out of the project ``within``, to a file whose name says that it holds secrets,
    or notes of this program (``is_of_notes``) to other files of it (``is_inside``). ``filename`` is
    the link, ``target`` where it leads.
    """

    def __init__(self, link: str, target: str, within: str, *, is_of_notes: bool = False) -> None:
        super().__init__(errno.ELOOP, os.strerror(errno.ELOOP), link)
        self.target = target
        self.is_of_notes = is_of_notes or is_note_path("/".join(_names_below(link, within) or ()))
        self.is_inside = bool(_find_base(target, [os.stat(within)]))


class ConfinedFolder:
    """A folder in which files go by their bare names. ``fd``: its handle, for `dir_fd`, or None
    where the system has none or the folder is not confined; `spot` is the name to go with it.
    """

    def __init__(self, path: str, fd: int | None = None) -> None:
        self.path = path
        self.fd = fd

    def spot(self, name: str) -> str:
        """Return what a system call takes for the file ``name`` beside ``dir_fd=fd``."""
        return name if self.fd is not None else os.path.join(self.path, name)

    def __enter__(self) -> ConfinedFolder:
        return self

    def __exit__(self, *_error: object) -> None:
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None


def open_folder(path: str, within: str, route: str = "") -> ConfinedFolder:
    """Open the folder ``path``, inside the project ``within``. Raises OSError, LeadsOutError for a
    link that leads out.

    route: the path with a link at its end that led to ``path``, for what is trusted on the way.
    """
    if not within:
        return ConfinedFolder(path)
    names = _names_below(path, within)
    if (
        names is not None
        and HAS_HANDLES
        and not route
        and (fd := walk_folders(within, names)) is not None
    ):
        return ConfinedFolder(path, fd)
    real = os.path.realpath(path)
    base = _check_inside(route or path, within, real)
    if not HAS_HANDLES:
        return ConfinedFolder(real)
    resolved_fd = walk_folders(base, _names_below(real, base) or [])
    if resolved_fd is None:  # somebody has just put a link there
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), real)
    return ConfinedFolder(real, resolved_fd)


def open_parent(path: str, within: str) -> tuple[ConfinedFolder, str]:
    """Open the folder that ``path`` lies in; return it with the name of the file. Whoever made the
    path, a project's leads by no ``..``, and not to what git keeps. Raises OSError, LeadsOutError.
    """
    parent, name = os.path.split(path)
    if within and path.startswith(within):
        names = path[len(within) :].lower().split(os.sep)
        # A tree's own folder, which each prompt writes into, has git's in no other name.
        is_git = ".git" in names or (names[1:2] != [TREE] and leads_into_git(path, within))
        if os.pardir in names or is_git:
            raise OSError(errno.EINVAL, _REFUSED, path)
    return open_folder(parent or os.curdir, within), name


def make_folder(path: str, within: str, mode: int = PLAIN_FOLDER) -> list[str]:
    """Create the confined folder ``path`` with the parents it lacks, inside the project; return the
    paths of those that were created, the outermost first.

    mode: the permission bits of the last one. Raises OSError; LeadsOutError.
    """
    missing = []
    above = path
    while above and not os.path.lexists(above):
        missing.append(above)
        above = os.path.dirname(above)
    if missing and os.path.isdir(within) and (link := find_note_link(path, within)):
        raise LeadsOutError(link, os.path.realpath(link), within, is_of_notes=True)
    created = []
    for one in reversed(missing):
        # A project that is only just made stands in a folder that a person has named.
        is_above = one == within or within.startswith(one.rstrip(os.sep) + os.sep)
        folder, name = open_parent(one, "" if is_above else within)
        with folder:
            try:
                os.mkdir(folder.spot(name), mode if one == path else PLAIN_FOLDER, dir_fd=folder.fd)
            except FileExistsError:
                continue  # another process was faster
        created.append(one)
    open_folder(path, within).__exit__()
    if not os.path.isdir(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
    return created


def find_note_link(path: str, within: str) -> str:
    """Return the link on the way to ``path``, a place of the program's own notes, that leads
    elsewhere in the project; "" for none, and for one to a tree's folder of the same name.

    Rules may lie behind such a link. Notes do not: they would be written over other files, and in
    time removed.
    """
    names = _names_below(path, within) or []
    if not is_note_path("/".join(names)):
        return ""
    project = [os.stat(within)]
    top = os.path.realpath(os.path.join(within, names[0]))
    first = 2 if os.path.basename(top) == names[0] else 1
    places = (os.path.join(within, *names[:count]) for count in range(first, len(names) + 1))
    links = (place for place in places if os.path.islink(place))
    return next((link for link in links if _find_base(os.path.realpath(link), project)), "")


def _names_below(path: str, within: str) -> list[str] | None:
    """Return the names from the project to ``path``; None where that cannot be told by spelling."""
    if path == within:
        return []
    start = within if within.endswith(os.sep) else within + os.sep
    if not path.startswith(start):
        return None
    names = [name for name in path[len(start) :].split(os.sep) if name not in ("", os.curdir)]
    return None if os.pardir in names else names


def _check_inside(path: str, within: str, real: str) -> str:
    """Return the folder above ``real``, or ``real`` itself, that is the project or a place that the
    user trusts. Raises LeadsOutError.
    """
    if link := find_note_link(path, within):
        raise LeadsOutError(link, os.path.realpath(link), within, is_of_notes=True)
    names = _names_below(path, within) or []
    is_of_notes = is_note_path("/".join(names))
    bases = [os.stat(within)]
    link = target = ""
    prefix = within
    for name in names:
        prefix = os.path.join(prefix, name)
        real_prefix = os.path.realpath(prefix)
        if _find_base(real_prefix, bases):
            continue
        from synapse_ls.workspace.outside_links import is_trusted_place

        if is_trusted_place(os.path.relpath(prefix, within), real_prefix, for_notes=is_of_notes):
            bases.append(os.stat(real_prefix))
        elif not link:
            link, target = prefix, real_prefix
    if (base := _find_base(real, bases)) and not leads_into_git(real, base):
        return base
    raise LeadsOutError(link or path, target or real, within)


def _find_base(real: str, bases: list[os.stat_result]) -> str:
    """Return the nearest folder at or above ``real`` that is one of ``bases``; "" for none."""
    while True:
        try:
            status = os.stat(real)
        except OSError:
            pass  # not there yet
        else:
            if any(os.path.samestat(status, base) for base in bases):
                return real
        above = os.path.dirname(real)
        if above == real:
            return ""
        real = above
