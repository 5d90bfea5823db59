"""Find the repository of a folder, and check that what git would read of it belongs to the project.

git is led elsewhere by a ``.git`` that is a file or link, a ``commondir``,
``objects/info/alternates``, and links inside its folder. Linked work trees and submodules are
recognised by the way back (gitrepository-layout(5), gitfile in gitglossary(7)). Anything else is
another repository, whose branch and commits are not shown unless the user trusts the place.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from synapse_ls.text.phrases import escape_invisible, shell_word
from synapse_ls.workspace.linked_work_trees import is_git_folder, repository_of_linked
from synapse_ls.workspace.outside_links import folders_above, lies_in, read_trusted
from synapse_ls.workspace.regular_files import describe_mode, read_beginning

GIT = ".git"
NAME_FILE_LIMIT = 4_096  # bytes of a file that holds a name
_POINTER_LIMIT = 32_767  # bytes of one that holds a path, the longest that a system has
_READ_LIMIT = 1_000_000  # bytes of any other file of git's that are read
_MOST_ALTERNATES = 20
_MOST_LEVELS = 5  # how deep git follows them
_MOST_STORES = 100  # folders of objects that are looked at
_MOST_DEPTH = 64  # levels of folders in git's own that are looked at
_MOST_FOLDERS = 50_000  # folders in git's own that are looked at
_POINTER = "gitdir: "  # what a ``.git`` that is a file begins with
# What lies in git's folder and is read by no command of ours: links in it lead nobody anywhere.
_UNREAD_NAMES = ("annex", "hooks", "lfs", "modules", "worktrees")


class Repository(NamedTuple):
    """``folder``, what is checked out, ``git``, its own folder of git's, and ``common``, the shared
    one.
    """

    folder: str
    git: str
    common: str


class ForeignPlace(NamedTuple):
    """Where git would read what is not the project's. path: what leads there. target: "" for what
    cannot be looked through, because of ``reason``, a clause. A target that is not there is not
    told: it may be any text of any file.
    """

    path: str
    target: str
    reason: str = "leads to what is not there"

    @property
    def trusted_folder(self) -> str:
        """The folder that is to be trusted for it: the other project or its git folder; "" where
        that would not help.
        """
        if not os.path.lexists(self.target):
            return ""
        before, separator, _ = f"{self.target}/".partition(f"/{GIT}/")
        if separator:
            return before
        return next((f for f in folders_above(self.target) if _is_git_folder(f)), self.target)

    def describe(self) -> str:
        """Return a clause that says what leads where."""
        if not (folder := self.trusted_folder):
            return escape_invisible(
                f"{self.path} {self.reason}, so that it is not known where git is led"
            )
        return escape_invisible(
            f"{self.path} leads to {self.target}, which is not the project's own "
            f"(`synapse trust {shell_word(folder)}` allows it)"
        )


def find_repository(start: str) -> Repository | None:
    """Find the repository that ``start``, an absolute path, is in; None where there is none, and
    where it is foreign.
    """
    repository = next(_repositories(start), None)
    return None if repository is None or find_foreign_place(start) else repository


def find_top_folder(folder: str) -> str:
    """Return the nearest folder at or above ``folder`` with a ``.git``, be it anybody's; "" for
    none.
    """
    tops = (above for above in folders_above(folder) if os.path.lexists(os.path.join(above, GIT)))
    return next(tops, "")


def find_foreign_place(start: str) -> ForeignPlace | None:
    """Find what leads git from ``start`` to another repository; None where nothing does. git itself
    looks from the real path, where a link on the way counts as one of the project's.
    """
    own_folders: tuple[str, ...] = ()
    for place in dict.fromkeys((os.path.abspath(start), os.path.realpath(start))):
        for repository in _repositories(place):
            base, git, common = map(os.path.realpath, repository)
            if base in own_folders[:1]:
                return None
            if own_folders and not _is_allowed(git, own_folders):
                return ForeignPlace(start, git)
            if (foreign_place := next(_foreign_places(repository), None)) is not None:
                return foreign_place
            if _is_taken(repository):
                own_folders = (base, git, common)
                break  # git looks no further up
    return None


def repository_options(start: str, has_ceiling: bool) -> tuple[str, ...]:
    """Return the options that tell git which repository ``start`` is in, none where there is none:
    the work tree, not the one that its configuration names, and git's folder that is judged here.

    has_ceiling: the person says how far up git may look. Then, where the repository is not all this
    user's, and on Windows, git finds its folder by itself: whose it is (`safe.directory`) and what
    is above is asked only so.
    """
    repository = next(filter(_is_taken, _repositories(os.path.realpath(start))), None)
    if repository is None:
        return ()
    work_tree, git = f"--work-tree={repository.folder}", os.path.realpath(repository.git)
    if hasattr(os, "geteuid") and not has_ceiling:
        with suppress(OSError):
            places = (repository.folder, os.path.join(repository.folder, GIT), git)
            if all(os.lstat(place).st_uid == os.geteuid() for place in places):
                return (work_tree, f"--git-dir={git}")
    return (work_tree,)


def _is_taken(repository: Repository) -> bool:
    """Check whether git looks no further up than to this repository."""
    return os.path.isfile(os.path.join(repository.folder, GIT)) or _is_git_folder(repository.git)


def _repositories(start: str) -> Iterator[Repository]:
    """Yield what looks like a repository, the nearest first."""
    for folder in folders_above(os.path.abspath(start)):
        place = os.path.join(folder, GIT)
        if os.path.isdir(place):
            if os.path.lexists(os.path.join(place, "HEAD")):
                yield Repository(folder, place, _shared_folder(place))
        elif os.path.isfile(place):
            pointer = _read_pointer(place)
            if pointer.startswith(_POINTER) and pointer != _POINTER:
                git = _resolve(folder, pointer.removeprefix(_POINTER))
                yield Repository(folder, git, _shared_folder(git))


def _foreign_places(repository: Repository) -> Iterator[ForeignPlace]:
    base, git, common = map(os.path.realpath, repository)
    for path in (os.path.join(repository.folder, GIT), os.path.join(git, "commondir")):
        yield from _unreadable(path)
    is_known = repository_of_linked(base) == common or _is_own_submodule(base, git)
    own = (base, git, common) if is_known else (base,)
    if not _is_allowed(git, own):
        yield ForeignPlace(os.path.join(repository.folder, GIT), git)
    own = (*own, git)  # or nobody gets here
    if not _is_allowed(common, own):
        yield ForeignPlace(os.path.join(repository.git, "commondir"), common)
    walk = _Walk((*own, common), (git, common), set(), set())
    for folder in dict.fromkeys((git, common)):
        yield from _foreign_below(folder, walk, ("objects", *_UNREAD_NAMES))
        yield from _foreign_objects(os.path.join(folder, "objects"), walk, _MOST_LEVELS)


class _Walk(NamedTuple):
    """``own``: the project's own folders. ``git``: those of git's that are walked. ``seen`` and
    ``stores``: the folders, and those of objects, that have been looked at.
    """

    own: tuple[str, ...]
    git: tuple[str, ...]
    seen: set[str]
    stores: set[str]


def _foreign_objects(store: str, walk: _Walk, levels: int) -> Iterator[ForeignPlace]:
    """Yield what leads out of a folder of objects."""
    if store in walk.stores:
        return  # at fewer levels too: had that been too deep, it would have been yielded
    walk.stores.add(store)
    if os.path.islink(store):
        yield from _foreign_link(store, walk)
    yield from _foreign_below(store, walk)
    listed = os.path.join(store, "info", "alternates")
    yield from _unreadable(listed)
    lines = _read_text(listed, _READ_LIMIT).split("\n")
    named = [line for line in lines if line and not line.startswith("#")]
    for number, line in enumerate(named):
        path = os.path.join(store, line)
        target = os.path.realpath(path)
        is_plain = number < _MOST_ALTERNATES and levels > 0 and not line.startswith('"')
        if not (is_plain and _is_allowed(target, walk.own)):
            yield ForeignPlace(listed, target)
        elif os.path.realpath(os.path.normpath(path)) != target:  # by what ``..`` means there
            yield ForeignPlace(listed, "", "goes up from a link, which git may read in two ways")
        elif len(walk.stores) >= _MOST_STORES:
            yield ForeignPlace(listed, "", f"leads to more than {_MOST_STORES} folders")
        elif _is_own(target, walk.own):
            yield from _foreign_objects(target, walk, levels - 1)


def _foreign_link(path: str, walk: _Walk) -> Iterator[ForeignPlace]:
    """Yield a link that leads elsewhere: to a file that is not the project's own, or to a folder
    outside of git's, whose other links are looked at.
    """
    yield from _waiting(path)
    real = os.path.realpath(path)
    inside = (
        any(
            lies_in(real, git)
            and real[len(git) :].lstrip(os.sep).partition(os.sep)[0] not in _UNREAD_NAMES
            for git in walk.git
        )
        if os.path.isdir(real)
        else _is_own(real, walk.own)
    )
    if not (inside or _is_trusted(real)):
        yield ForeignPlace(path, real)


def _is_own_submodule(base: str, git: str) -> bool:
    """Check whether the git folder is a submodule's: in that of a repository above, and its
    configuration names the folder ``base``.
    """
    above = os.path.dirname(base)
    outer = next(_repositories(above), None) if above != base else None
    if outer is None or not lies_in(git, os.path.join(os.path.realpath(outer.git), "modules")):
        return False
    if next(_foreign_places(outer), None) is not None:
        return False
    for name in ("config", "config.worktree"):
        # `core.worktree` of a configuration, as git itself writes it.
        text = _read_text(os.path.join(git, name), _READ_LIMIT)
        section, named = "", ""
        for line in text.split("\n"):
            bare = line.strip()
            if bare.startswith("["):
                section = bare.partition("]")[0].removeprefix("[").strip().lower()
            tree_name, equals, value = bare.partition("=")
            if section == "core" and equals and tree_name.strip().lower() == "worktree":
                named = value.strip().strip('"')
        if named and os.path.realpath(os.path.join(git, named)) == base:
            return True
    return False


def _is_allowed(real: str, own: tuple[str, ...]) -> bool:
    """Check whether a real path lies in one of the project's own folders, or is trusted."""
    return _is_own(real, own) or _is_trusted(real)


def _is_own(real: str, own: tuple[str, ...]) -> bool:
    return any(lies_in(real, folder) for folder in own)


def _is_trusted(real: str) -> bool:
    """Check whether the user trusts a place of git's: it, its repository or its git folder."""
    trusted = read_trusted()
    for folder in folders_above(real) if trusted else ():
        if folder in trusted:
            inner = real[len(folder) :].lstrip(os.sep).partition(os.sep)[0]
            return inner in ("", GIT) or _is_git_folder(folder)
    return False


def _unreadable(path: str) -> Iterator[ForeignPlace]:
    """Yield a file of git's that is a link, is too large to be read whole, or holds a NUL, which
    no path does.
    """
    try:
        if os.path.isfile(path) and os.path.islink(path):
            yield ForeignPlace(path, "", "is a link to a file")
        elif os.path.isfile(path) and os.path.getsize(path) > _size_limit(path):
            yield ForeignPlace(path, "", f"has more than {_size_limit(path):,} bytes")
        elif b"\0" in read_beginning(path, _size_limit(path)):
            yield ForeignPlace(path, "", "holds a NUL")
    except OSError:
        return


def _waiting(path: str) -> Iterator[ForeignPlace]:
    """Yield a named pipe or a device, which git would open and wait for; a socket it cannot."""
    with suppress(OSError):
        mode = os.stat(path).st_mode
        if not any(is_sort(mode) for is_sort in (stat.S_ISREG, stat.S_ISDIR, stat.S_ISSOCK)):
            yield ForeignPlace(path, "", f"is {describe_mode(mode)}")


def _size_limit(path: str) -> int:
    """Return how many bytes a file of git's may have. To resolve a path takes time that grows with
    the square of its length.
    """
    return _POINTER_LIMIT if os.path.basename(path) in (GIT, "commondir") else _READ_LIMIT


def _foreign_below(top: str, walk: _Walk, left_out: tuple[str, ...] = ()) -> Iterator[ForeignPlace]:
    """Yield the links in a folder and in those below it that lead elsewhere, pipes and devices, and
    a folder that is too deep, or one too many, to be looked at. ``left_out``: names in the folder
    itself.
    """
    pending = [(top, 0)]
    while pending:
        folder, depth = pending.pop()
        if folder in walk.seen:
            continue
        too_deep = depth > _MOST_DEPTH
        if too_deep or len(walk.seen) >= _MOST_FOLDERS:
            limit = f"{_MOST_DEPTH} levels of" if too_deep else f"{_MOST_FOLDERS:,}"
            yield ForeignPlace(top, "", f"has more than {limit} folders")
            return
        if depth or not left_out:  # where names are left out, a store there is yet to be looked at
            walk.seen.add(folder)
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if not depth and entry.name in left_out:
                        continue
                    if entry.is_symlink():
                        yield from _foreign_link(entry.path, walk)
                    elif entry.is_dir(follow_symlinks=False):
                        pending.append((entry.path, depth + 1))
                    elif not entry.is_file(follow_symlinks=False):
                        yield from _waiting(entry.path)
        except OSError:
            continue


def _is_git_folder(folder: str) -> bool:
    """Check whether git takes a folder for its own, be it that of a linked work tree."""
    return is_git_folder(folder, _shared_folder(folder))


def holds_repository(folder: str) -> bool:
    """Check whether a folder is a git folder or has one."""
    return _is_git_folder(folder) or _is_git_folder(os.path.join(folder, GIT))


def _shared_folder(git: str) -> str:
    """Return the folder that linked work trees share."""
    shared = _read_pointer(os.path.join(git, "commondir"))
    return _resolve(git, shared) if shared else git


def _resolve(folder: str, name: str) -> str:
    """Return where a name in a folder leads. Where a link is on the way, ``..`` is the folder above
    the link's target, as for the system and git.
    """
    joined = os.path.join(folder, name)
    plain, real = os.path.normpath(joined), os.path.realpath(joined)
    return plain if os.path.realpath(plain) == real else real


def _read_pointer(path: str) -> str:
    """Return what a file of git's that leads elsewhere says, blanks included; "" for none."""
    return _read_text(path, _POINTER_LIMIT, line_ends="\r\n")


def _read_text(path: str, limit: int, line_ends: str = "") -> str:
    """Return what a file says to git: up to a NUL, once ``line_ends`` are taken off its end."""
    try:
        text = read_beginning(path, limit).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    return text.rstrip(line_ends).partition("\0")[0]
