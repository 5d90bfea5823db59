"""Find all folders in which a project is checked out: git's linked work trees.

Work tree and repository have to name each other (gitrepository-layout(5), "worktrees"). git is not
started.
"""

from __future__ import annotations

import os

from synapse_ls.workspace.regular_files import read_beginning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

GIT: Final = ".git"
_POINTER: Final = "gitdir: "  # what a ``.git`` that is a file begins with
MAX_NAME_BYTES: Final = 4_096  # bytes of a file that holds a path
# What a folder of git's has: the shared one, and one of a work tree that is led to it.
_MARKS: Final = (("objects", "refs"), ("commondir", "HEAD"))
_MAX_HEAD_BYTES: Final = 255  # bytes of it that git looks at
_HASH_LENGTH: Final = 40  # digits, of the shortest that names a commit
_HEX_DIGITS: Final = b"0123456789abcdefABCDEF"
MAX_LINKED: Final = 200  # work trees of a repository that are looked at


def find_git_folders(folder: str) -> tuple[str, str, str]:
    """Return the work tree that ``folder`` is in, the folder that git keeps for it, and the one
    that linked work trees share; empty strings where there is none.
    """
    top = folder
    while True:
        place = os.path.join(top, GIT)
        if os.path.isdir(place):
            return top, place, place
        if os.path.isfile(place):
            own = _gitdir(top)
            shared = _read_path(os.path.join(own, "commondir"))
            if not shared and os.path.basename(os.path.dirname(own)) == "worktrees":
                shared = os.path.join("..", "..")
            return top, own, os.path.normpath(os.path.join(own, shared))
        above = os.path.dirname(top)
        if above == top:
            return "", "", ""
        top = above


def is_git_folder(folder: str, shared: str) -> bool:
    """Check whether git takes a folder for its own; where it does not, it looks further up. shared:
    the one that linked work trees share, which may be the same.
    """
    return _is_head(f"{folder}/HEAD") and all(
        os.path.isdir(f"{shared}/{name}") and os.access(f"{shared}/{name}", os.X_OK)
        for name in ("objects", "refs")
    )


def _is_head(path: str) -> bool:
    """Check whether git takes a file for a ``HEAD``: a link to a ref, or its name, or a commit."""
    try:
        if os.path.islink(path):
            return os.readlink(path).startswith("refs/")
        text = read_beginning(path, _MAX_HEAD_BYTES)
    except OSError:
        return False
    if text.startswith(b"ref:"):
        return text[4:].lstrip(b" \t\n\v\f\r").startswith(b"refs/")
    return len(text) >= _HASH_LENGTH and not text[:_HASH_LENGTH].strip(_HEX_DIGITS)


def leads_into_git(path: str, base: str) -> bool:
    """Check whether a path below ``base`` leads into a folder that git keeps, whatever its name
    (``git init --separate-git-dir``).
    """
    place = base
    for name in filter(None, path[len(base) :].split(os.sep)):
        place = os.path.join(place, name)
        if name.lower() == GIT or any(
            all(os.path.lexists(f"{place}/{mark}") for mark in marks) for marks in _MARKS
        ):
            return True
    return False


def main_work_tree(top: str, beside: Iterable[str] = ()) -> str:
    """Return the main work tree of the repository whose linked one ``top`` is; "" where it is none,
    or the repository does not know it. beside: as in `project_roots`.
    """
    common = repository_of_linked(top) if os.path.isfile(os.path.join(top, GIT)) else ""
    return _main_work_tree(common, beside) if common else ""


def _main_work_tree(common: str, beside: Iterable[str]) -> str:
    if os.path.basename(common) == GIT:
        return os.path.dirname(common)
    for place in beside:
        for path in (place, os.path.realpath(place)):
            top, own, shared = find_git_folders(path)
            if top and own == shared and os.path.realpath(shared) == os.path.realpath(common):
                return top
    return ""


def project_roots(root: str, beside: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the folders that stand for the project folder ``root`` in the work trees of its
    repository, itself among them, those inside others first. beside: paths that may lie in the main
    work tree, which no file of git's names where git's folder is not its ``.git``.
    """
    top, own, common = find_git_folders(root)
    if top and os.path.isfile(os.path.join(top, GIT)):
        common = common if own == common else repository_of_linked(top)
    try:
        names = sorted(os.listdir(os.path.join(common, "worktrees")))[:MAX_LINKED] if common else ()
    except OSError:
        names = []
    if not (names and top):  # a bare repository has no folder of its own
        return (root,)
    tops = [top if own == common else _main_work_tree(common, beside) or top]
    for name in names:
        own = os.path.join(common, "worktrees", name)
        named = os.path.dirname(os.path.normpath(os.path.join(own, _read_path(f"{own}/gitdir"))))
        if repository_of_linked(named) == os.path.realpath(common):
            tops.append(named)
    inside = os.path.relpath(root, top)
    roots = {os.path.normpath(os.path.join(place, inside)) for place in tops}
    roots |= {os.path.realpath(place) for place in roots}
    return tuple(sorted({root, *roots}, key=len, reverse=True))


def repository_of_linked(top: str) -> str:
    """Return git's folder that the linked work tree ``top`` shares with others, its real path; ""
    where one of the two does not name the other.
    """
    own = os.path.realpath(_gitdir(top))
    common = os.path.realpath(os.path.join(own, _read_path(os.path.join(own, "commondir"))))
    back = os.path.realpath(os.path.join(own, _read_path(os.path.join(own, "gitdir"))))
    is_known = os.path.dirname(own) == os.path.join(common, "worktrees") and back == os.path.join(
        os.path.realpath(top), GIT
    )
    return common if is_known else ""


def _gitdir(top: str) -> str:
    """Return where the file ``.git`` of a work tree leads, the file's folder where it leads
    nowhere.
    """
    text = _read_path(os.path.join(top, GIT))
    target = text.removeprefix(_POINTER) if text.startswith(_POINTER) else ""
    return os.path.normpath(os.path.join(top, target))


def _read_path(file: str) -> str:
    """Return the path that a file of git's holds, as git reads it; "" where it cannot be read, or
    holds a NUL.
    """
    try:
        text = read_beginning(file, MAX_NAME_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    return "" if "\0" in text else text.rstrip("\r\n")
