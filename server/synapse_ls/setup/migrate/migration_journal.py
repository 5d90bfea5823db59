"""The journal of a migration: first a backup, then changes, in repeatable steps.

A *chapter* in the user's configuration folder has every file as it is and will be (ADR-001 R6). It
appears in one step; after any interruption the next run can finish or undo it, because the disk
shows how far it came. The project's files never decide where to write. ``project`` is the folder
that links must not leave; a path outside of it is the user's own.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

from synapse_ls.setup.install.settings_backup import content_digest
from synapse_ls.setup.planned_changes import NONE, FileChange
from synapse_ls.storage import atomic_files, confined_folders
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.text.fast_json import dumps, loads
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import regular_files, user_folders
from synapse_ls.workspace.tree_folders import TREE as TREE_FOLDERS_TREE

TREE, SESSIONS, KEPT, HOOK = "tree", "sessions", "kept", "hook"
# Parts of a migration: rules, sessions, what has no counterpart and is kept to be read, settings of
# clients, the managed block of ``CLAUDE.md``, mentions in texts, and what goes in the end.
GUIDE, TEXT, REMOVED = "guide", "text", "removed"


@dataclass(frozen=True, slots=True)
class MigrationChange(FileChange):
    """The change of one file by a migration.

    ``why`` is a clause for people. ``private``: nobody else may read what is created.
    """

    part: str
    why: str = ""
    private: bool = False


_PARTIAL = "partial"
_GOING = "going"


def read_file(path: Path, *, within: str = "") -> bytes | None:
    """Read the bytes of a file for a migration, behind a link too; None where there is none. Raises
    StorageError. within: as in `open_descriptor`.
    """
    try:
        return regular_files.read_whole(path, within=within)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise atomic_files.storage_error("read", str(path), error) from error


def write_file(path: Path, data: bytes, project: Path, *, private: bool = False) -> None:
    """Write a file for a migration, all or nothing."""
    mode = atomic_files.PRIVATE_FILE if private else None
    atomic_files.atomic_write(
        str(path), data, within=_within(path, project), durable=True, mode=mode
    )


def make_folder(path: Path, project: Path, *, private: bool = False) -> None:
    """Create a folder for a migration whose parent exists; nothing happens where it is there."""
    mode = atomic_files.PRIVATE_FOLDER if private else confined_folders.PLAIN_FOLDER
    atomic_files.make_folders(str(path), within=_within(path, project), mode=mode)


def remove_file(path: Path, project: Path) -> None:
    """Remove a file or a link for a migration; nothing happens where it is gone."""
    if os.path.lexists(path):
        atomic_files.remove_file(str(path), within=_within(path, project))


def remove_empty_folder(path: Path, project: Path) -> None:
    """Remove a folder for a migration that nothing is in; one with something in it stays."""
    atomic_files.remove_folder(str(path), within=_within(path, project))


def rename_path(path: Path, target: Path, project: Path) -> None:
    """Give a file or a folder another name for a migration, in the same folder, or in one of the
    same file system.
    """
    atomic_files.move_path(str(path), str(target), within=_within(path, project))


def copy_path(path: Path, target: Path, project: Path) -> None:
    """Make ``target`` a copy of a file, a link or a folder for a migration, with all that is in it,
    or leave nothing.

    Links stay links, and permissions and times are kept. Raises StorageError; UserError for what
    is neither a file nor a folder nor a link.
    """
    partial = partial_path(target, project)
    remove_path(partial, project)
    try:
        with _open_parent(path, project) as source, _open_parent(partial, project) as folder:
            if source is not None and folder is not None:
                _copy_entry(path, source, partial.name, folder)
            elif path.is_dir() and not path.is_symlink():
                shutil.copytree(path, partial, symlinks=True)
            else:
                shutil.copy2(path, partial, follow_symlinks=False)
    except (OSError, shutil.Error, UserError) as error:
        remove_path(partial, project)
        if isinstance(error, UserError):
            raise
        raise atomic_files.storage_error("copy", str(path), error) from error
    rename_path(partial, target, project)


def _copy_entry(path: Path, source: int, name: str, folder: int) -> None:
    """Copy what is called as ``path`` in one open folder to ``name`` in another, with all that is
    in it. By handles: no link is followed that takes the place of a folder meanwhile.
    """
    status = os.stat(path.name, dir_fd=source, follow_symlinks=False)
    times = (status.st_atime_ns, status.st_mtime_ns)
    if stat.S_ISLNK(status.st_mode):
        os.symlink(os.readlink(path.name, dir_fd=source), name, dir_fd=folder)
        os.utime(name, ns=times, dir_fd=folder, follow_symlinks=False)
        return
    is_folder = stat.S_ISDIR(status.st_mode)
    if not is_folder and not stat.S_ISREG(status.st_mode):
        raise UserError(
            f"{path} is neither a file nor a folder, so it cannot be backed up.", "Move it away."
        )
    opened = []
    try:
        flags = os.O_NOFOLLOW | os.O_NONBLOCK
        opened.append(os.open(path.name, os.O_RDONLY | flags, dir_fd=source))
        if is_folder:
            os.mkdir(name, atomic_files.PRIVATE_FOLDER, dir_fd=folder)
        else:
            flags |= os.O_WRONLY | os.O_CREAT | os.O_EXCL
        opened.append(os.open(name, flags, atomic_files.PRIVATE_FILE, dir_fd=folder))
        if is_folder:
            for entry in os.listdir(opened[0]):  # noqa: PTH208
                _copy_entry(path / entry, opened[0], entry, opened[1])
        else:
            with (
                open(opened[0], "rb", closefd=False) as reader,
                open(opened[1], "wb", closefd=False) as writer,
            ):
                shutil.copyfileobj(reader, writer)
        os.fchmod(opened[1], stat.S_IMODE(status.st_mode))
        os.utime(opened[1], ns=times)
    except OSError as error:
        raise atomic_files.storage_error("copy", str(path), error) from error
    finally:
        for handle in opened:
            os.close(handle)


def remove_path(path: Path, project: Path) -> None:
    """Remove a file, a link or a folder for a migration, with all that is in it; nothing happens
    where it is gone.

    A folder disappears in one step: first it loses its name.
    """
    finish_removal(path, project)
    if not path.is_dir() or path.is_symlink():
        remove_file(path, project)
        return
    rename_path(path, _path_beside(path, _GOING, project), project)
    finish_removal(path, project)


def finish_removal(path: Path, project: Path) -> None:
    """Remove what an interrupted removal of a migration has left of ``path``."""
    if not (going := _path_beside(path, _GOING, project)).is_dir() or going.is_symlink():
        return
    with _open_parent(going, project) as parent:
        try:
            if parent is not None:
                for *_, folder in os.fwalk(going.name, dir_fd=parent):
                    os.fchmod(folder, 0o700)  # what may not be written cannot be emptied
            shutil.rmtree(going if parent is None else going.name, dir_fd=parent)
        except OSError as error:
            raise atomic_files.storage_error("remove", str(going), error) from error


def partial_path(path: Path, project: Path) -> Path:
    """Return where a migration builds what it then gives the name ``path``."""
    return _path_beside(path, _PARTIAL, project)


def _path_beside(path: Path, role: str, project: Path) -> Path:
    """Return a path beside ``path`` by a name that nobody else gives: it is removed unasked."""
    return path.with_name(f"{path.name}.{chapters_folder(project).name}.{role}")


def is_same_content(path: Path, other: Path) -> bool:
    """Tell a migration whether two files, links or folders have the same content."""
    if path.is_symlink() or other.is_symlink():
        return path.is_symlink() and other.is_symlink() and path.readlink() == other.readlink()
    if path.is_dir() and other.is_dir():
        names, other_names = ({entry.name for entry in f.iterdir()} for f in (path, other))
        return names == other_names and all(
            is_same_content(path / name, other / name) for name in names
        )
    return path.is_file() and other.is_file() and read_file(path) == read_file(other)


def _within(path: Path, project: Path) -> str:
    return str(project) if path.is_relative_to(project) else atomic_files.ANYWHERE


@contextmanager
def _open_parent(path: Path, project: Path) -> Iterator[int | None]:
    """Hold the folder of ``path`` open; yield its handle, None where the system has none. Raises
    StorageError where it is behind a link that leads out.
    """
    try:
        parent = confined_folders.open_folder(str(path.parent), _within(path, project))
    except OSError as error:
        raise atomic_files.storage_error("change", str(path), error) from error
    with parent:
        if parent.fd is None and regular_files.HAS_HANDLES:
            parent.fd = os.open(parent.path, os.O_RDONLY | os.O_DIRECTORY)
        yield parent.fd


PREPARED, DONE, UNDOING, UNDONE = "prepared", "done", "undoing", "undone"
# Kinds of chapters: the tree with all that goes with it, mentions in texts, the end of CARL. What
# `synapse session migrate` converts is of the kind `SESSIONS`.
MIGRATE, TEXTS, FINISH = "migrate", "texts", "finish"
TREE_KINDS = (MIGRATE, TEXTS, FINISH)

_VERSION = 1
_LOCK_PATIENCE = 5.0  # seconds to wait for another process
_NOTES_FILE, _STATE_FILE = "journal.json", "state"


@dataclass(frozen=True, slots=True)
class ChapterEntry:
    """A file of a chapter in the journal of a migration. ``before`` and ``after`` are SHA-256
    digests, "" for no file.
    """

    part: str
    path: str
    file: Path
    before: str
    after: str
    private: bool


@dataclass(frozen=True, slots=True)
class Chapter:
    """What a migration has decided to do, kept in ``folder``.

    ``sources`` are the digests of the files that it was made from, or of the tree beside which it
    removes others. ``folders`` are those that are created for it, the outermost first; ``gone``
    what is removed; both are relative to the root. ``fresh``: there was no tree folder before.
    """

    root: Path
    folder: Path
    kind: str
    created: str
    state: str
    entries: tuple[ChapterEntry, ...]
    folders: tuple[str, ...]
    gone: tuple[str, ...]
    fresh: bool
    sources: Mapping[str, str]

    def removed_copy(self, number: int) -> Path:
        """Return the copy of something that is removed."""
        return self.folder / "removed" / str(number)

    def read_copy(self, side: Literal["before", "after"], number: int) -> bytes:
        """Return what the file of an entry held before, or is to hold after. UserError where the
        backup is damaged.
        """
        entry = self.entries[number]
        data = read_file(self.folder / side / str(number))
        if data is None or content_digest(data) != getattr(entry, side):
            raise UserError(
                f"The copy of {entry.path} in {self.folder} is missing or damaged.",
                "Take the file from a backup of your own.",
            )
        return data

    def with_state(self, state: str) -> Chapter:
        """Return the chapter in another state, which is written down."""
        write_file(self.folder / _STATE_FILE, state.encode(), self.root, private=True)
        return replace(self, state=state)


def chapters_folder(root: Path) -> Path:
    """Return the folder of the migration journal's chapters about one project."""
    name = sha256(os.path.realpath(root).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Path(user_folders.config_folder(), "migrations", name)


@contextmanager
def lock_chapters(root: Path) -> Iterator[None]:
    """Keep other processes from the chapters of the migration journal about a project. StorageError
    where one is at work.
    """
    shelf = chapters_folder(root)
    _create_shelf(shelf, root)
    try:
        with atomic_files.FileLock(
            str(shelf / "work"), _LOCK_PATIENCE, within=atomic_files.ANYWHERE, keep=False
        ):
            yield
    finally:
        for folder in (shelf, shelf.parent):
            remove_empty_folder(folder, root)


def read_chapters(root: Path, kinds: Collection[str] = TREE_KINDS) -> list[Chapter]:
    """Return what was migrated in this place, by kind, and not taken back, the first one first.
    Raises UserError.
    """
    chapters = [_read_chapter(root, folder) for folder in _numbered_folders(chapters_folder(root))]
    return [chapter for chapter in chapters if chapter.state != UNDONE and chapter.kind in kinds]


def prepare_chapter(
    root: Path,
    kind: str,
    changes: Iterable[MigrationChange],
    now: float,
    *,
    gone: Sequence[str] = (),
    sources: Sequence[str] = (),
) -> Chapter:
    """Write into the journal what a migration is to do, with a copy of everything that it touches.
    ``sources``: the files that it was made from, or beside which it removes others. What was taken
    back before is forgotten.

    Raises StorageError or UserError; the project is then untouched.
    """
    planned = [change for change in changes if change.action != NONE]
    shelf = chapters_folder(root)
    _create_shelf(shelf, root)
    for chapter in _numbered_folders(shelf):
        if read_file(chapter / _STATE_FILE) == UNDONE.encode():
            remove_path(chapter, root)
    last = max((int(folder.name) for folder in _numbered_folders(shelf)), default=0)
    folder = shelf / f"{last + 1:04d}"
    partial = partial_path(folder, root)
    remove_path(partial, root)
    for place in (partial, partial / "before", partial / "after", partial / "removed"):
        make_folder(place, root, private=True)
    for number, change in enumerate(planned):
        for side, data in (("before", change.before), ("after", change.after)):
            if data is not None:
                write_file(partial / side / str(number), data, root, private=True)
    for number, path in enumerate(gone):
        copy_path(root / path, partial / "removed" / str(number), root)
    # The folders below the root that the changes need and that are not there.
    needed = {
        folder
        for change in planned
        if change.before is None
        for folder in change.file.parents
        if root in folder.parents
    }
    notes = {
        "version": _VERSION,
        "root": str(root),
        "kind": kind,
        "created": format_timestamp(now),
        "fresh": not os.path.lexists(root / TREE_FOLDERS_TREE),
        "folders": [p.relative_to(root).as_posix() for p in sorted(needed) if not p.exists()],
        "gone": list(gone),
        "sources": {path: content_digest(read_file(root / path)) for path in sources},
        "entries": [
            {
                "part": change.part,
                "path": change.path,
                "file": change.file.as_posix().removeprefix(f"{root.as_posix()}/"),
                "before": content_digest(change.before),
                "after": content_digest(change.after),
                "private": change.private,
            }
            for change in planned
        ],
    }
    write_file(partial / _NOTES_FILE, f"{dumps(notes)}\n".encode(), root, private=True)
    write_file(partial / _STATE_FILE, PREPARED.encode(), root, private=True)
    rename_path(partial, folder, root)
    return _read_chapter(root, folder)


def is_in_linked_folder(root: Path, file: Path) -> bool:
    """Return whether a link stands in the place of a folder between a project and a file of it that
    a migration is about.
    """
    place = Path(os.path.realpath(root)) / file.parent.relative_to(root)
    return os.path.realpath(file.parent) != str(place)


def check_links(chapter: Chapter) -> None:
    """Raise UserError where a link has taken the place of a folder of the tree, or of one that
    something is removed from: what it leads to is no part of the migration.
    """
    tree = chapter.root / TREE_FOLDERS_TREE
    # Settings of a client may always have been behind a link. Then they still are.
    files = {
        e.path: e.file
        for e in chapter.entries
        if e.file.is_relative_to(tree)
        or (e.before and e.file.is_relative_to(chapter.root) and not os.path.lexists(e.file))
    }
    files |= {path: chapter.root / path for path in chapter.gone}
    for path, file in files.items():
        if is_in_linked_folder(chapter.root, file):
            raise UserError(
                f"Nothing was changed, because a link leads to {path}.",
                "Remove the link, and put the folder back in its place.",
            )


def carry_out_chapter(chapter: Chapter) -> Chapter:
    """Do what is left to do of a chapter of the migration journal.

    Raises UserError where a file is neither as it was nor as it is to be, and StorageError where
    the disk does not allow it; then the chapter can be carried out again, or taken back.
    """
    check_links(chapter)
    # Everything is as it was when it was planned, or done already.
    for entry in chapter.entries:
        if content_digest(read_file(entry.file)) not in (entry.before, entry.after):
            raise _changed_error(entry.path)
    for number, path in enumerate(chapter.gone):
        place = chapter.root / path
        if os.path.lexists(place) and not is_same_content(place, chapter.removed_copy(number)):
            raise _changed_error(path)
    if chapter.fresh and not os.path.lexists(chapter.root / TREE_FOLDERS_TREE):
        _create_tree(chapter)
    for folder in chapter.folders:
        make_folder(chapter.root / folder, chapter.root)
    for number, entry in enumerate(chapter.entries):
        if content_digest(read_file(entry.file)) == entry.after:
            continue
        if entry.after:
            data = chapter.read_copy("after", number)
            write_file(entry.file, data, chapter.root, private=entry.private)
        else:
            remove_file(entry.file, chapter.root)
    for path in chapter.gone:
        place = chapter.root / path
        remove_path(place, chapter.root)
        for parent in place.parents:
            if parent == chapter.root:
                break
            remove_empty_folder(parent, chapter.root)
    return chapter.with_state(DONE)


def _changed_error(path: str) -> UserError:
    """Return the error for what somebody has changed since the journal of a migration was
    written.
    """
    return UserError(
        f"{path} has changed since the migration was planned, so it was not touched.",
        "Run the command again; `synapse migrate --rollback` takes back what was done so far.",
    )


def _create_tree(chapter: Chapter) -> None:
    """Make the tree folder with all that belongs in it, in one step: no prompt ever sees half of
    it.
    """
    tree = chapter.root / TREE_FOLDERS_TREE
    partial = partial_path(tree, chapter.root)
    remove_path(partial, chapter.root)
    for folder in chapter.folders:
        if folder == TREE_FOLDERS_TREE or folder.startswith(f"{TREE_FOLDERS_TREE}/"):
            make_folder(partial / folder[len(TREE_FOLDERS_TREE) + 1 :], chapter.root)
    for number, entry in enumerate(chapter.entries):
        if entry.file.is_relative_to(tree) and entry.after:
            target = partial / entry.file.relative_to(tree)
            data = chapter.read_copy("after", number)
            write_file(target, data, chapter.root, private=entry.private)
    if os.path.lexists(partial):
        rename_path(partial, tree, chapter.root)


def _create_shelf(shelf: Path, root: Path) -> None:
    for folder in reversed([shelf, *shelf.parents]):
        make_folder(folder, root, private=True)


def _numbered_folders(shelf: Path) -> list[Path]:
    if not shelf.is_dir():
        return []
    return sorted(folder for folder in shelf.iterdir() if folder.name.isdigit())


def _read_chapter(root: Path, folder: Path) -> Chapter:
    """Read a chapter as it was written down; UserError where that cannot be read."""
    try:
        notes = loads((read_file(folder / _NOTES_FILE) or b"").decode())
        state = (read_file(folder / _STATE_FILE) or b"").decode()
        notes = {_VERSION: notes}[notes.pop("version")]  # others are not understood
        entries = tuple(
            ChapterEntry(**{**entry, "file": root / entry["file"]}) for entry in notes["entries"]
        )
        fields = {"root": root, "folder": folder, "state": state, "entries": entries}
        return Chapter(**{**notes, **fields})
    except (atomic_files.StorageError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise UserError(
            f"The notes of a migration in {folder} cannot be read.",
            "Move that folder away; the copies in it can be taken back by hand.",
        ) from error
