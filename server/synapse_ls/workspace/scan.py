"""Finding the files of a root, with the rules for links.

A squad's folder may be a link to anywhere. Any other link is followed only while it stays inside
the squad's folder or, outside squads, inside the root, in a confined place inside that place; what
leads out is reported and not read.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from stat import S_IFDIR, S_ISDIR, S_ISREG
from typing import NamedTuple

from synapse_ls.formats.config import Paths
from synapse_ls.workspace.above import above
from synapse_ls.workspace.folders import CARL_FILE, CHATI, RULE_FOLDERS, TREE, is_above
from synapse_ls.workspace.kinds import (
    BUILT_IN,
    SQUAD_FILE,
    FileKind,
    Place,
    classify,
    is_walked,
    may_be_others,
    places,
    squad_of,
)
from synapse_ls.workspace.read import RefusedError, not_a_file, refusal
from synapse_ls.workspace.stamps import Stamp, take

_RESERVED = frozenset({"manifest", *BUILT_IN})  # names in a tree that always mean a file


class LoadNote(NamedTuple):
    """Something that was not read. ``path`` is relative to the root; ``message`` is a sentence, and
    ``remedy`` one that says what to do, "" where that is the same for all of the kind.

    ``kind``: "outside" (a link that leads out), "broken-link", "link-loop", "not-a-file",
    "unreadable", "too-large", "binary", "bad-name" or "late" (not read before the deadline). What is
    "world-writable" was read.
    """

    path: str
    kind: str
    message: str
    remedy: str = ""


class Found(NamedTuple):
    """A file that exists and may be read."""

    path: str
    kind: FileKind


class Base(NamedTuple):
    """The root (path "") or a squad's folder, and the real path that its files must not leave.

    ``place`` is that of a confined place whose real path it is.
    """

    path: str
    real: str
    place: str = ""

    def join(self, path: str) -> str:
        """A path in this base, relative to the root."""
        return f"{self.path}/{path}" if self.path else path

    def inner(self, path: str) -> str:
        """A path relative to the root, relative to this base."""
        return path[len(self.path) + 1 :] if self.path else path

    def holds(self, real: str) -> bool:
        """Whether a real path lies in this base."""
        return real == self.real or real.startswith(self.real.rstrip(os.sep) + os.sep)


class Scanner:
    """Walks one root; what it consults and refuses is left in ``stamps`` and ``notes``.

    ``late`` tells whether the time is over: folders are then no longer listed but noted.
    ``folders`` collects the sub-folders of tree folders, where a file may have been meant.
    """

    def __init__(
        self,
        root: str,
        paths: Paths,
        stamps: dict[str, Stamp | None],
        notes: list[LoadNote],
        late: Callable[[], bool],
    ) -> None:
        self.root = root
        self.paths = paths
        self.base = Base("", os.path.realpath(root))
        self.folders: set[str] = set()
        self._absent: set[str] = set()
        self._stamps = stamps
        self._notes = notes
        self._late = late

    def full(self, path: str) -> str:
        """A path relative to the root as one that the operating system takes."""
        return f"{self.root}/{path}" if path else self.root

    def places(self) -> tuple[Place, ...]:
        """The places of the root itself, in the order in which a prompt needs them."""
        return places(self.paths)

    def squads(self) -> list[Base]:
        """The squads: sub-folders, or links to folders, with a ``squad.yaml`` or a tree; by name."""
        found: list[Base] = []
        for home in self.paths.squads:
            real = self._real(home)
            for entry in self._list(self.base, home):
                path = f"{home}/{entry.name}"
                if not is_walked(entry.name) or not _is_folder(entry):
                    continue
                is_link = entry.is_symlink()
                if is_link and self._target(path) is None:
                    continue
                self._stamps[path] = take(self.full(path))
                if any(self._exists(f"{path}/{sign}") for sign in (SQUAD_FILE, TREE)):
                    # Only a link needs to be resolved, and there may be very many folders.
                    named = f"{real}{os.sep}{entry.name}"
                    found.append(self.squad(path) if is_link else Base(path, named))
        return sorted(found, key=lambda base: (base.path.rpartition("/")[2], base.path))

    def squad(self, path: str) -> Base:
        """The base of the squad in the folder ``path``."""
        return Base(path, os.path.realpath(self.full(path)))

    def files(self, base: Base, place: Place) -> Iterator[Found]:
        """The files in a place, by name within each folder."""
        start = base.join(place.path)
        if place.is_file:
            found = self.find(start)
            if found:
                yield found
            return
        if place.confined:
            if not self._exists(start) or self._inside(base, start) is None:
                return
            base = self._confined(base, place)
        pending, walked = [start], set[str]()
        while pending:
            folder = pending.pop()
            real = os.path.realpath(self.full(folder))
            if real in walked:
                continue
            walked.add(real)
            for entry in self._list(base, folder):
                path = f"{folder}/{entry.name}"
                kind = place.classify(base.inner(path))
                below = place.deep and is_walked(entry.name) and _is_folder(entry)
                mode = self._mode(base, entry, path) if kind or below else None
                if mode is None:
                    continue
                if S_ISDIR(mode) and below:
                    if entry.is_symlink() and Base("", self._real(path)).holds(real):
                        self._refuse(path, refusal(OSError(errno.ELOOP, "")))
                    else:
                        pending.append(path)
                elif kind and S_ISREG(mode):
                    yield Found(path, kind)
                elif kind:
                    self._misplaced(kind, path, mode)

    def find(self, path: str) -> Found | None:
        """The file at ``path`` if it is ours, exists and may be read."""
        if is_above(path):
            return next((found for found in self.above() if found.path == path), None)
        return self._find(self._base_of(path), path)

    def above(self) -> Iterator[Found]:
        """The files above the root that CARL v2 merges with its own, the nearest first."""
        for path, folder, refused, remedy in above(self.root):
            if refused and self._exists(path):
                message = f"Its domains take no part here, because {refused}."
                self._refuse(path, RefusedError("outside", message, remedy))
                self._stamps[path] = None  # who may change it can change without its stamp
            elif found := self._find(Base(path.removesuffix(f"/{CARL_FILE}"), folder), path):
                yield found

    def _find(self, base: Base, path: str) -> Found | None:
        kind = classify(path, self.paths)
        if kind is None or not self._exists(path):
            return None
        mode = self._inside(base, path)
        if mode is None:
            return None
        if not S_ISREG(mode):
            self._misplaced(kind, path, mode)
            return None
        return Found(path, kind)

    def _base_of(self, path: str) -> Base:
        """The base of a file: what its real path must not leave."""
        squad = squad_of(path, self.paths)
        if squad:
            return self.squad(squad)
        place = next(
            (p for p in self.places() if p.confined and path.startswith(f"{p.path}/")), None
        )
        return self._confined(self.base, place) if place else self.base

    def _confined(self, base: Base, place: Place) -> Base:
        return Base(base.path, self._real(base.join(place.path)), place.path)

    def _list(self, base: Base, folder: str) -> list[os.DirEntry[str]]:
        """The entries of a folder by name; none, with a note, where it may not be looked at."""
        named_anyway = folder in RULE_FOLDERS or folder.startswith(f"{CHATI}/")
        if self._late() and not named_anyway:
            self._stamps[folder] = None  # holds only where there is indeed nothing to list
            self.note(folder, "late", "The folder was not looked at, because the time was over.")
            return []
        # Taken before the listing: what is added in between makes the stamp stale, not the list.
        if not self._exists(folder) or self._inside(base, folder) is None:
            return []
        full = self.full(folder)
        self._stamps[folder] = take(full)
        try:
            with os.scandir(full) as entries:
                named = [entry for entry in entries if self._is_named(folder, entry.name)]
        except NotADirectoryError:
            return []
        except OSError as error:
            self._refuse(folder, refusal(error))
            return []
        return sorted(named, key=lambda entry: entry.name)

    def _exists(self, path: str) -> bool:
        """Whether something, be it a dead link, is at ``path``; where nothing is, that is stamped.

        Of a folder of the root that is not there, one stamp stands for all that could be in it.
        """
        top = path.partition("/")[0]
        if top in self._absent:
            return False
        try:
            os.lstat(self.full(path))
        except (FileNotFoundError, NotADirectoryError):
            missing = path if os.path.lexists(self.full(top)) else top
            self._stamps[missing] = None
            if missing == top:
                self._absent.add(top)
            return False
        except OSError as error:
            self._refuse(path, refusal(error))
            return False
        return True

    def _is_named(self, folder: str, name: str) -> bool:
        try:
            name.encode()
        except UnicodeEncodeError:
            shown = name.encode(errors="replace").decode()
            self.note(f"{folder}/{shown}", "bad-name", "The name is not valid Unicode.")
            return False
        return True

    def _mode(self, base: Base, entry: os.DirEntry[str], path: str) -> int | None:
        """The mode of an entry, a link's target's; None, with a note, where it may not be read."""
        try:
            if entry.is_symlink():
                return self._inside(base, path)
            return entry.stat(follow_symlinks=False).st_mode
        except OSError as error:
            self._refuse(path, refusal(error))
            return None

    def _inside(self, base: Base, path: str) -> int | None:
        """The mode of what ``path`` leads to; None, with a note, where it leaves the base."""
        real = self._target(path)
        if real is None:
            return None
        if not base.holds(real):
            where = base.place or "the root"
            if base.path:
                where = base.path if is_above(path) else f"the squad's folder {base.path}"
            message = f"It is not read, because it leads out of {where}."
            self._refuse(path, RefusedError("outside", message))
            return None
        try:
            return os.stat(real).st_mode
        except OSError as error:
            self._refuse(path, refusal(error))
            return None

    def _target(self, path: str) -> str | None:
        """The real path; None, with a note, where there is nothing behind a link."""
        try:
            return os.path.realpath(self.full(path), strict=True)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR):
                message = "The link leads to nothing, so nothing is read."
                self._refuse(path, RefusedError("broken-link", message))
            else:
                self._refuse(path, refusal(error))
            return None

    def _real(self, path: str) -> str:
        return os.path.realpath(self.full(path))

    def _misplaced(self, kind: FileKind, path: str, mode: int) -> None:
        """Something else stands where a file of ours would be."""
        if kind is FileKind.RULES and S_ISDIR(mode):
            self.folders.add(path)
            if path.rpartition("/")[2] not in _RESERVED:
                return
        self._refuse(path, not_a_file(mode))

    def misplaced(self, folder: str) -> None:
        """Note a folder that stands where a file was meant."""
        self._refuse(folder, not_a_file(S_IFDIR))

    def _refuse(self, path: str, error: RefusedError) -> None:
        # Stamped, because what a link leads to may change while its folder does not.
        self._stamps[path] = take(self.full(path))
        if not may_be_others(path):
            self.note(path, error.kind, error.message, error.remedy)

    def note(self, path: str, kind: str, message: str, remedy: str = "") -> None:
        """Leave a note."""
        self._notes.append(LoadNote(path, kind, message, remedy))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder, a link to one, or a link of which that cannot be told."""
    try:
        return entry.is_dir() or (entry.is_symlink() and not os.path.exists(entry.path))
    except OSError:
        return True
