"""Walk the folders of a root to find its files, following only safe links.

A link must stay inside the squad's folder or, outside squads, the root, and in a confined place
inside that place. The folder of rules and a squad's folder may be links within the root and to
places that the user trusts. Others are reported and not read.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from stat import S_ISDIR, S_ISREG
from typing import NamedTuple

from synapse_ls.formats.config_settings import PathSettings
from synapse_ls.text.finding import Finding
from synapse_ls.text.span import Span
from synapse_ls.workspace import file_kinds, file_reader, outside_links, tree_folders, user_folders
from synapse_ls.workspace.carl_ancestors import ancestor_files
from synapse_ls.workspace.path_classification import classify_path, root_places
from synapse_ls.workspace.regular_files import Stamp, is_possible, take_stamp

# How deep a folder may lie in the root: to resolve a path takes time that grows with its depth.
MAX_DEPTH = 32

_UNNAMED = frozenset(("", os.curdir, os.pardir))  # parts of a path that name no entry of a folder
_RESERVED_NAMES = frozenset(
    {"manifest", *file_kinds.BUILT_IN}
)  # names in a tree that always mean a file


# The kind of a note about a link that leads out to a folder, which the user may trust.
OUTSIDE_FOLDER = "outside-folder"


_TOO_DEEP = file_reader.RefusedError(
    "too-deep",
    f"It is not read, because it lies more than {MAX_DEPTH} folders deep.",
    "Move what is to be read further up.",
)


class FoundFile(NamedTuple):
    """A file that the scanner has found: it exists and may be read. ``real``: the real path for
    which that was judged, "" where no link is on the way in the root.
    """

    path: str
    kind: file_kinds.FileKind
    real: str = ""


class ScanBase(NamedTuple):
    """The root (path "") or a squad's folder, and the real path that its files must not leave.

    ``place`` is that of a confined place whose real path it is.
    """

    path: str
    real: str
    place: str = ""

    def join(self, path: str) -> str:
        """Return a path in this base, relative to the root."""
        return f"{self.path}/{path}" if self.path else path

    def relative_path(self, path: str) -> str:
        """Return a path that is relative to the root as one relative to this base."""
        return path[len(self.path) + 1 :] if self.path else path


class Scanner:
    """A Scanner walks one root; what it consults and refuses is left in ``stamps`` and ``notes``.

    ``late`` tells whether the time is over: folders are then no longer listed but noted.
    ``folders`` collects the sub-folders of tree folders, where a file may have been meant.
    """

    def __init__(
        self,
        root: str,
        paths: PathSettings,
        stamps: dict[str, Stamp | None],
        notes: list[Finding],
        late: Callable[..., bool],
    ) -> None:
        self.root = root
        self.paths = paths
        self.base = ScanBase("", os.path.realpath(root))
        self.folders: set[str] = set()
        self._absent: set[str] = set()
        self._outside: set[str] = set()
        self._stamps = stamps
        self._notes = notes
        self._late = late

    def absolute_path(self, path: str) -> str:
        """Return a path relative to the root as one that the operating system takes."""
        return f"{self.root}/{path}" if path else self.root

    def list_squads(self) -> list[ScanBase]:
        """Return the squads: sub-folders, or links to folders, with a manifest of a squad or a
        tree; by name. Once the time is over a sub-folder passes for one, for the loader to note.
        """
        squads: list[ScanBase] = []
        for home in self.paths.squads:
            real = self._real_path(home)
            entries = self._list_folder(self.base, home)
            for entry in entries:
                path = f"{home}/{entry.name}"
                if not file_kinds.is_walkable(entry.name) or not _may_be_folder(entry):
                    continue
                is_link = entry.is_symlink()
                if is_link and (self._link_target(path) is None or self._leads_out(path)):
                    continue
                is_late = self._late(1, len(entries))
                self._stamps[path] = None if is_late else take_stamp(self.absolute_path(path))
                if is_late or any(
                    self._exists(f"{path}/{sign}")
                    for sign in (tree_folders.TREE, *file_kinds.SQUAD_FILES)
                ):
                    # Only a link needs to be resolved, and there may be very many folders.
                    named = f"{real}{os.sep}{entry.name}"
                    squads.append(self.squad_base(path) if is_link else ScanBase(path, named))
        return sorted(squads, key=lambda base: (base.path.rpartition("/")[2], base.path))

    def squad_base(self, path: str) -> ScanBase:
        """Return the base of the squad in the folder ``path``."""
        return ScanBase(path, self._real_path(path))

    def files_in(self, base: ScanBase, place: file_kinds.Place) -> Iterator[FoundFile]:
        """Yield the files in a place, by name within each folder."""
        start = base.join(place.path)
        if place.is_file or (place.or_file and not os.path.isdir(self.absolute_path(start))):
            if file := self.find_file(start):
                yield file
            return
        if place.confined:
            if (confined := self._confined_base(base, place)) is None:
                return
            base = confined
        pending, walked = [start], set[str]()
        while pending:
            folder = pending.pop()
            real = self._real_path(folder)
            listed = [] if real in walked else self._list_folder(base, folder)
            walked.add(real)
            for entry in listed:
                path = f"{folder}/{entry.name}"
                kind = place.classify(base.relative_path(path))
                below = place.deep and file_kinds.is_walkable(entry.name) and _may_be_folder(entry)
                is_dead_file = (
                    entry.is_symlink()
                    and os.path.splitext(entry.name)[1] != ""
                    and not os.path.exists(entry.path)
                )
                if not kind and (is_dead_file or not below):
                    continue
                if (mode := self._entry_mode(base, entry, path)) is None:
                    continue
                if S_ISDIR(mode) and below:
                    if entry.is_symlink() and outside_links.lies_in(real, self._real_path(path)):
                        self.refuse(path, file_reader.refusal_of_error(OSError(errno.ELOOP, "")))
                    elif path.count("/") >= MAX_DEPTH:
                        self.refuse(path, _TOO_DEEP)
                    else:
                        pending.append(path)
                elif kind and S_ISREG(mode):
                    yield FoundFile(path, kind)
                elif kind:
                    self._note_misplaced(kind, path, mode)

    def find_file(self, path: str) -> FoundFile | None:
        """Return the file at ``path`` if it is ours, exists and may be read."""
        if not is_possible(path):  # a value of a file may name it
            return None
        if tree_folders.is_above_root(path):
            return next((file for file in self.files_above() if file.path == path), None)
        # What the real path of the file must not leave.
        base: ScanBase | None = self.base
        squad = self.squad_base(file_kinds.squad_folder_of(path, self.paths))
        if squad.path and not outside_links.find_outside_link(self.root, *squad[:2]):
            base = squad
        else:
            for place in root_places(self.paths):
                if place.confined and path.startswith(f"{place.path}/"):
                    base = self._confined_base(self.base, place)
        return base and self._find_in_base(base, path)

    def files_above(self) -> Iterator[FoundFile]:
        """Yield the files above the root that CARL v2 merges with its own, the nearest first."""
        for path, folder, refused, remedy in ancestor_files(self.root):
            if refused and self._exists(path):
                message = f"Its domains take no part here, because {refused}."
                self.refuse(path, file_reader.RefusedError("outside", message, remedy))
                self._stamps[path] = None  # who may change it can change without its stamp
            else:
                base = ScanBase(path.removesuffix(f"/{tree_folders.CARL_FILE}"), folder)
                if file := self._find_in_base(base, path):
                    yield file

    def _find_in_base(self, base: ScanBase, path: str) -> FoundFile | None:
        kind = classify_path(path, self.paths)
        if kind is None or path.count("/") > MAX_DEPTH or not self._exists(path):
            return None
        if (found := self._find_inside(base, path)) is None:
            return None
        real, mode = found
        if not S_ISREG(mode):
            self._stamps[path] = take_stamp(self.absolute_path(path))
            self._note_misplaced(kind, path, mode)
            return None
        return FoundFile(path, kind, real)

    def _confined_base(self, base: ScanBase, place: file_kinds.Place) -> ScanBase | None:
        """Return the base of a confined place; None, with a note, where it leaves ``base``."""
        start = base.join(place.path)
        found = self._find_inside(base, start) if self._exists(start) else None
        return found and ScanBase(base.path, found[0], place.path)

    def _list_folder(self, base: ScanBase, folder: str) -> list[os.DirEntry[str]]:
        """Return the entries of a folder by name; none, with a note, where it may not be looked
        at.
        """
        named_anyway = folder in tree_folders.RULE_FOLDERS or folder.startswith(
            f"{tree_folders.CHATI}/"
        )
        if self._late() and not named_anyway:
            self._stamps[folder] = None  # holds only where there is indeed nothing to list
            message = "The folder was not looked at, because the time was over."
            self.add_note(folder, "late", message)
            return []
        # Taken before the listing: what is added in between makes the stamp stale, not the list.
        if not self._exists(folder) or self._find_inside(base, folder) is None:
            return []
        full = self.absolute_path(folder)
        self._stamps[folder] = take_stamp(full)
        listed: list[os.DirEntry[str]] = []
        try:
            with os.scandir(full) as entries:
                for entry in entries:
                    if entry.name.isprintable():
                        listed.append(entry)
                        if entry.is_symlink():  # what it leads to may come to count, or cease to
                            self._stamps[f"{folder}/{entry.name}"] = take_stamp(entry.path)
                    else:
                        readable = "".join(c if c.isprintable() else "?" for c in entry.name)
                        message = "The name has characters that nobody sees, or no Unicode."
                        self.add_note(f"{folder}/{readable}", "bad-name", message)
        except NotADirectoryError:
            return []
        except OSError as error:
            self.refuse(folder, file_reader.refusal_of_error(error))
            return []
        return sorted(listed, key=lambda entry: entry.name)

    def _exists(self, path: str) -> bool:
        """Check whether something, be it a dead link, is at ``path``; where nothing is, that is
        stamped.

        Of a folder of the root that is not there, one stamp stands for all that could be in it.
        """
        top = path.partition("/")[0]
        if top in self._absent:
            return False
        try:
            os.lstat(self.absolute_path(path))
        except (FileNotFoundError, NotADirectoryError):
            missing = path if os.path.lexists(self.absolute_path(top)) else top
            self._stamps[missing] = None
            if missing == top:
                self._absent.add(top)
            return False
        except OSError as error:
            self.refuse(path, file_reader.refusal_of_error(error))
            return False
        return True

    def _entry_mode(self, base: ScanBase, entry: os.DirEntry[str], path: str) -> int | None:
        """Return the mode of an entry, a link's target's; None, with a note, where it may not be
        read.
        """
        try:
            if entry.is_symlink():
                found = self._find_inside(base, path)
                return found and found[1]
            return entry.stat(follow_symlinks=False).st_mode
        except OSError as error:
            self.refuse(path, file_reader.refusal_of_error(error))
            return None

    def _find_inside(self, base: ScanBase, path: str) -> tuple[str, int] | None:
        """Return the real path and the mode of what ``path`` leads to; None, with a note, where it
        leaves the base.
        """
        if (real := self._link_target(path)) is None:
            return None
        if outside_links.holds_secrets(real):
            message = f"It is not read: {outside_links.HOLDS_SECRETS}."
            remedy = outside_links.HOLDS_SECRETS_REMEDY
            self.refuse(path, file_reader.RefusedError("unreadable", message, remedy))
            return None
        is_outside = not outside_links.lies_in(real, base.real)
        is_root = not (base.path or base.place)
        is_gits_own = any(outside_links.is_gits_own(real, b.real) for b in (self.base, base))
        if is_gits_own or (is_outside and is_root):
            if self._leads_out(path, real):
                return None
        elif is_outside:
            where = base.place
            if base.path:
                where = (
                    base.path
                    if tree_folders.is_above_root(path)
                    else f"the squad's folder {base.path}"
                )
            message = f"It is not read, because it leads out of {where}."
            is_near = outside_links.lies_in(real, self.base.real)
            remedy = f"Put the file itself into {where}, in the link's place." if is_near else ""
            self.refuse(path, file_reader.RefusedError("outside", message, remedy))
            return None
        try:
            return real, os.stat(real).st_mode
        except OSError as error:
            self.refuse(path, file_reader.refusal_of_error(error))
            return None

    def _leads_out(self, path: str, real: str = "") -> bool:
        """Check whether a path leads out of the root to where the user trusts nothing; that is
        noted, once for each link.
        """
        outside_link = outside_links.find_outside_link(self.root, path, real)
        # What is left out may be served when the list of trusted places changes.
        with suppress(ValueError):  # it is on another drive
            listed = os.path.relpath(user_folders.trust_file(), self.base.real).replace(os.sep, "/")
            self._stamps[listed] = take_stamp(self.absolute_path(listed))
        if outside_link is None:
            return False
        link, target = outside_link
        self._stamps[path] = take_stamp(self.absolute_path(path))
        if link not in self._outside:  # what lies behind a link is not told one by one
            self._outside.add(link)
            message = f"It is not read: {outside_links.LEADS_OUT}."
            remedy = outside_links.trust_remedy(target)
            if outside_links.is_gits_own(target, self.base.real):
                message = f"It is not read: {outside_links.LEADS_INTO_GIT}."
                self.refuse(link, file_reader.RefusedError("outside", message, "Delete the link."))
            elif os.path.isdir(target):
                self.refuse(link, file_reader.RefusedError("outside-folder", message, remedy))
            else:
                self.refuse(link, file_reader.RefusedError("outside", message, remedy))
        return True

    def _link_target(self, path: str) -> str | None:
        """Return the real path; None, with a note, where there is nothing behind a link."""
        try:
            return os.path.realpath(self.absolute_path(path), strict=True)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                self.refuse(path, file_reader.refusal_of_error(error))
                return None
            message = "The link leads to nothing, so nothing is read."
            with suppress(OSError):  # only a folder above is a link
                target = os.readlink(self.absolute_path(path))
                if target.isprintable() and "`" not in target and len(target) <= 120:
                    message = (
                        f"The link leads to `{target}`, which is not there, so nothing is read."
                    )
            self.refuse(path, file_reader.RefusedError("broken-link", message))
            return None

    def _real_path(self, path: str) -> str:
        """Return the real path of a path relative to the root. What leads to the root is resolved
        once, since that takes longer than all else.
        """
        real = self.base.real.rstrip(os.sep)
        for name in path.split("/"):
            real = f"{real}{os.sep}{name}"
            if name in _UNNAMED or os.name == "nt" or os.path.islink(real):
                return os.path.realpath(self.absolute_path(path))
        return real

    def _note_misplaced(self, kind: file_kinds.FileKind, path: str, mode: int) -> None:
        """Note that something else stands where a file of ours would be."""
        if kind is file_kinds.FileKind.RULES and S_ISDIR(mode):
            self.folders.add(path)
            if path.rpartition("/")[2] not in _RESERVED_NAMES:
                return
        self.refuse(path, file_reader.not_a_file_error(mode))

    def refuse(self, path: str, error: file_reader.RefusedError) -> None:
        """Note why a file or a folder is not read."""
        # Stamped, because what a link leads to may change while its folder does not.
        self._stamps[path] = take_stamp(self.absolute_path(path))
        is_adopted = any(place.classify(path) for place in file_kinds.adopted_places(self.paths))
        if is_adopted or not file_kinds.may_be_foreign(path):
            self.add_note(path, error.kind, error.sentence, error.remedy)

    def add_note(
        self, path: str, kind: str, message: str, remedy: str = "", sources: int = 1
    ) -> None:
        """Leave a note of what was passed over, so that it was not read.

        ``kind``: "outside" (a link that leads out), `OUTSIDE_FOLDER` (one to a folder, which the
        user may trust), "broken-link", "link-loop", "too-deep", "not-a-file", "unreadable",
        "too-large", "binary", "bad-name" or "late" (not read before the deadline). What is
        "world-writable" was read. ``sources``: of how many files or squads it tells.
        """
        data = (("sources", str(sources)),)
        self._notes.append(Finding(Span(0, 0), message, remedy, kind=kind, path=path, data=data))


def _may_be_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a folder or leads to one, or nobody can tell."""
    try:
        return entry.is_dir() or (entry.is_symlink() and not os.path.exists(entry.path))
    except OSError:
        return True
