"""This module keeps the journal of a migration: a backup first, then the changes, each step such
that it can be done again.

What is about to happen is written down as a *chapter* in the user's configuration folder, with
every file as it is and as it will be (ADR-001 R6). A chapter appears in one step; from then on
whatever interrupts the work, the next run can finish it or take it back, because the disk itself
says how far it came. Nothing is read from the project that could tell where to write.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from synapse_ls.setup.file_action import NONE
from synapse_ls.setup.migrate import disk_operations
from synapse_ls.setup.migrate.migration_change import MigrationChange
from synapse_ls.storage.atomic_files import ANYWHERE, FileLock, StorageError
from synapse_ls.storage.session_changes import format_timestamp
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.workspace import user_folders
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.tree_folders import TREE

PREPARED, DONE, UNDOING, UNDONE = "prepared", "done", "undoing", "undone"
MIGRATE, TEXTS, FINISH = "migrate", "texts", "finish"
"""Kinds of chapters: the tree with all that goes with it, mentions in texts, the end of CARL."""

_VERSION = 1
_LOCK_PATIENCE = 5.0  # seconds to wait for another process
_NOTES_FILE, _STATE_FILE = "journal.json", "state"
_PARTIAL = ".partial"


@dataclass(frozen=True, slots=True)
class ChapterEntry:
    """A ChapterEntry is a file of a chapter in the journal of a migration. ``before`` and ``after``
    are SHA-256 digests, "" for no file.
    """

    part: str
    path: str
    file: Path
    before: str
    after: str
    private: bool


@dataclass(frozen=True, slots=True)
class Chapter:
    """A Chapter is what a migration has decided to do, kept in ``folder``.

    ``sources`` are the digests of the files that it was made from, or of the tree beside which it
    removes others. ``folders`` are those that are created for it, the outermost first; ``gone`` what
    is removed; both are relative to the root. ``fresh``: there was no tree folder before.
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

    def content_before(self, number: int) -> bytes:
        """Returns what the file of an entry held before. EditError where the backup is damaged."""
        return self._read_copy("before", number, self.entries[number].before)

    def content_after(self, number: int) -> bytes:
        """Returns what the file of an entry is to hold."""
        return self._read_copy("after", number, self.entries[number].after)

    def removed_copy(self, number: int) -> Path:
        """Returns the copy of something that is removed."""
        return self.folder / "removed" / str(number)

    def copy_path(self, side: str, number: int) -> Path:
        """Returns where the content of an entry is kept; ``side`` is "before" or "after"."""
        return self.folder / side / str(number)

    def _read_copy(self, side: str, number: int, wanted: str) -> bytes:
        data = disk_operations.read_file(self.copy_path(side, number))
        if data is None or content_digest(data) != wanted:
            raise EditError(
                f"The copy of {self.entries[number].path} in {self.folder} is missing or damaged.",
                "Take the file from a backup of your own.",
            )
        return data

    def with_state(self, state: str) -> Chapter:
        """Returns the chapter in another state, which is written down."""
        disk_operations.write_file(
            self.folder / _STATE_FILE, state.encode(), self.root, private=True
        )
        return replace(self, state=state)


def content_digest(data: bytes | None) -> str:
    """Returns the hash of a file's content that the journal of a migration has, "" where there is
    no file.
    """
    return "" if data is None else sha256(data).hexdigest()


def chapters_folder(root: Path) -> Path:
    """Returns the folder of the migration journal's chapters about one project."""
    name = sha256(os.path.realpath(root).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Path(user_folders.config_folder(), "migrations", name)


@contextmanager
def lock_chapters(root: Path) -> Iterator[None]:
    """Keeps other processes from the chapters of the migration journal about a project.
    StorageError where one is at work.
    """
    shelf = chapters_folder(root)
    _create_shelf(shelf, root)
    try:
        with FileLock(str(shelf / "work"), _LOCK_PATIENCE, within=ANYWHERE, keep=False):
            yield
    finally:
        for folder in (shelf, shelf.parent):
            disk_operations.remove_empty_folder(folder, root)


def read_chapters(root: Path) -> list[Chapter]:
    """Returns the migrations in the journal of this place that were not taken back, the first one
    first. Raises EditError.
    """
    found = [_read_chapter(root, folder) for folder in _numbered_folders(chapters_folder(root))]
    return [chapter for chapter in found if chapter.state != UNDONE]


def prepare_chapter(
    root: Path,
    kind: str,
    changes: Iterable[MigrationChange],
    now: float,
    *,
    gone: Sequence[str] = (),
    sources: Sequence[str] = (),
) -> Chapter:
    """Writes into the journal what a migration is to do, with a copy of everything that it touches.
    ``sources``: the files that it was made from, or beside which it removes others. What was taken
    back before is forgotten.

    Raises StorageError or EditError; the project is then untouched.
    """
    planned = [change for change in changes if change.action != NONE]
    shelf = chapters_folder(root)
    _create_shelf(shelf, root)
    for chapter in _numbered_folders(shelf):
        if disk_operations.read_file(chapter / _STATE_FILE) == UNDONE.encode():
            disk_operations.remove_path(chapter, root)
    folder = shelf / _next_number(shelf)
    partial = folder.with_name(folder.name + _PARTIAL)
    disk_operations.remove_path(partial, root)
    for place in (partial, partial / "before", partial / "after", partial / "removed"):
        disk_operations.make_folder(place, root, private=True)
    for number, change in enumerate(planned):
        for side, data in (("before", change.before), ("after", change.after)):
            if data is not None:
                disk_operations.write_file(partial / side / str(number), data, root, private=True)
    for number, path in enumerate(gone):
        disk_operations.copy_path(root / path, partial / "removed" / str(number), root)
    notes = {
        "version": _VERSION,
        "root": str(root),
        "kind": kind,
        "created": format_timestamp(now),
        "fresh": not disk_operations.path_exists(root / TREE),
        "folders": list(_new_folders(root, planned)),
        "gone": list(gone),
        "sources": {
            path: content_digest(disk_operations.read_file(root / path)) for path in sources
        },
        "entries": [_entry_notes(root, change) for change in planned],
    }
    disk_operations.write_file(
        partial / _NOTES_FILE, f"{dumps(notes)}\n".encode(), root, private=True
    )
    disk_operations.write_file(partial / _STATE_FILE, PREPARED.encode(), root, private=True)
    disk_operations.rename_path(partial, folder, root)
    return _read_chapter(root, folder)


def carry_out_chapter(chapter: Chapter) -> Chapter:
    """Does what is left to do of a chapter of the migration journal.

    Raises EditError where a file is neither as it was nor as it is to be, and StorageError where
    the disk does not allow it; then the chapter can be carried out again, or taken back.
    """
    _check_unchanged(chapter)
    if chapter.fresh and not disk_operations.path_exists(chapter.root / TREE):
        _create_tree(chapter)
    for folder in chapter.folders:
        disk_operations.make_folder(chapter.root / folder, chapter.root)
    for number, entry in enumerate(chapter.entries):
        if content_digest(disk_operations.read_file(entry.file)) == entry.after:
            continue
        if entry.after:
            disk_operations.write_file(
                entry.file, chapter.content_after(number), chapter.root, private=entry.private
            )
        else:
            disk_operations.remove_file(entry.file, chapter.root)
    for path in chapter.gone:
        place = chapter.root / path
        disk_operations.remove_path(place, chapter.root)
        for parent in place.parents:
            if parent == chapter.root:
                break
            disk_operations.remove_empty_folder(parent, chapter.root)
    return chapter.with_state(DONE)


def _check_unchanged(chapter: Chapter) -> None:
    """Raises EditError unless everything is as it was when it was planned, or done already."""
    for entry in chapter.entries:
        if content_digest(disk_operations.read_file(entry.file)) not in (entry.before, entry.after):
            raise changed_error(entry.path)
    for number, path in enumerate(chapter.gone):
        place = chapter.root / path
        if disk_operations.path_exists(place) and not disk_operations.is_same_content(
            place, chapter.removed_copy(number)
        ):
            raise changed_error(path)


def changed_error(path: str) -> EditError:
    """Returns the error for what somebody has changed since the journal of a migration was written."""
    return EditError(
        f"{path} has changed since the migration was planned, so it was not touched.",
        "Run the command again; `synapse migrate --rollback` takes back what was done so far.",
    )


def _create_tree(chapter: Chapter) -> None:
    """Makes the tree folder with all that belongs in it, in one step: no prompt ever sees half of
    it.
    """
    tree = chapter.root / TREE
    partial = tree.with_name(tree.name + _PARTIAL)
    disk_operations.remove_path(partial, chapter.root)
    for folder in chapter.folders:
        if folder == TREE or folder.startswith(f"{TREE}/"):
            disk_operations.make_folder(partial / folder[len(TREE) + 1 :], chapter.root)
    for number, entry in enumerate(chapter.entries):
        if entry.file.is_relative_to(tree) and entry.after:
            target = partial / entry.file.relative_to(tree)
            disk_operations.write_file(
                target, chapter.content_after(number), chapter.root, private=entry.private
            )
    if disk_operations.path_exists(partial):
        disk_operations.rename_path(partial, tree, chapter.root)


def _create_shelf(shelf: Path, root: Path) -> None:
    for folder in reversed([shelf, *shelf.parents]):
        disk_operations.make_folder(folder, root, private=True)


def _next_number(shelf: Path) -> str:
    return f"{max((int(folder.name) for folder in _numbered_folders(shelf)), default=0) + 1:04d}"


def _numbered_folders(shelf: Path) -> list[Path]:
    """Returns the folders of chapters, in order."""
    if not shelf.is_dir():
        return []
    return sorted(folder for folder in shelf.iterdir() if folder.name.isdigit())


def _new_folders(root: Path, changes: Iterable[MigrationChange]) -> Iterator[str]:
    """Yields the folders below the root that the changes need and that are not there."""
    needed: set[Path] = set()
    for change in changes:
        if change.before is None and change.file.is_relative_to(root):
            needed.update(p for p in change.file.parents if p.is_relative_to(root) and p != root)
    for folder in sorted(needed):
        if not folder.exists():
            yield folder.relative_to(root).as_posix()


def _entry_notes(root: Path, change: MigrationChange) -> dict[str, Any]:
    inside = change.file.is_relative_to(root)
    return {
        "part": change.part,
        "path": change.path,
        "file": change.file.relative_to(root).as_posix() if inside else str(change.file),
        "before": content_digest(change.before),
        "after": content_digest(change.after),
        "private": change.private,
    }


def _read_chapter(root: Path, folder: Path) -> Chapter:
    """Reads a chapter as it was written down; EditError where that cannot be read."""
    try:
        notes = loads((disk_operations.read_file(folder / _NOTES_FILE) or b"").decode())
        state = (disk_operations.read_file(folder / _STATE_FILE) or b"").decode()
        notes = {_VERSION: notes}[notes["version"]]  # notes of another version are not understood
        return Chapter(
            root=root,
            folder=folder,
            kind=str(notes["kind"]),
            created=str(notes["created"]),
            state=state,
            entries=tuple(_read_entry(root, entry) for entry in notes["entries"]),
            folders=tuple(map(str, notes["folders"])),
            gone=tuple(map(str, notes["gone"])),
            fresh=bool(notes["fresh"]),
            sources={str(path): str(found) for path, found in notes["sources"].items()},
        )
    except (JsonError, StorageError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EditError(
            f"The notes of a migration in {folder} cannot be read.",
            "Move that folder away; the copies in it can be taken back by hand.",
        ) from error


def _read_entry(root: Path, notes: dict[str, Any]) -> ChapterEntry:
    return ChapterEntry(
        part=str(notes["part"]),
        path=str(notes["path"]),
        file=root / str(notes["file"]),
        before=str(notes["before"]),
        after=str(notes["after"]),
        private=bool(notes["private"]),
    )
