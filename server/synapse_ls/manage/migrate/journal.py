"""A migration on disk: a backup first, then the changes, each step such that it can be done again.

What is about to happen is written down as a *chapter* in the user's configuration folder, with every
file as it is and as it will be (ADR-001 R6). A chapter appears in one step; from then on whatever
interrupts the work, the next run can finish it or take it back, because the disk itself says how
far it came. Nothing is read from the project that could tell where to write.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from synapse_ls.manage.difference import NONE
from synapse_ls.manage.migrate import disk
from synapse_ls.manage.migrate.change import Change
from synapse_ls.manage.plan import ManageError
from synapse_ls.service import trust
from synapse_ls.sessions.changes import timestamp
from synapse_ls.sessions.files import Lock, SessionError
from synapse_ls.text.json import JsonError, dumps, loads
from synapse_ls.workspace.folders import TREE

PREPARED, DONE, UNDOING, UNDONE = "prepared", "done", "undoing", "undone"
MIGRATE, TEXTS, FINISH = "migrate", "texts", "finish"
"""Kinds of chapters: the tree with all that goes with it, mentions in texts, the end of CARL."""

_VERSION = 1
_PATIENCE = 5.0  # seconds to wait for another process
_NOTES, _STATE = "journal.json", "state"
_PARTIAL = ".partial"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a chapter. ``before`` and ``after`` are SHA-256 digests, "" for no file."""

    part: str
    path: str
    file: Path
    before: str
    after: str
    private: bool


@dataclass(frozen=True, slots=True)
class Chapter:
    """What was decided to be done, kept in ``folder``.

    ``sources`` are the digests of the files that it was made from. ``folders`` are those that are created for it, the outermost first; ``gone`` what is removed;
    both are relative to the root. ``fresh``: there was no tree folder before.
    """

    root: Path
    folder: Path
    kind: str
    created: str
    state: str
    entries: tuple[Entry, ...]
    folders: tuple[str, ...]
    gone: tuple[str, ...]
    fresh: bool
    sources: Mapping[str, str]

    def before(self, number: int) -> bytes:
        """What the file of an entry held before. ManageError where the backup is damaged."""
        return self._kept("before", number, self.entries[number].before)

    def after(self, number: int) -> bytes:
        """What it is to hold."""
        return self._kept("after", number, self.entries[number].after)

    def removed(self, number: int) -> Path:
        """The copy of something that is removed."""
        return self.folder / "removed" / str(number)

    def place(self, side: str, number: int) -> Path:
        """Where the content of an entry is kept; ``side`` is "before" or "after"."""
        return self.folder / side / str(number)

    def _kept(self, side: str, number: int, wanted: str) -> bytes:
        data = disk.read(self.place(side, number))
        if data is None or digest(data) != wanted:
            raise ManageError(
                f"The copy of {self.entries[number].path} in {self.folder} is missing or damaged.",
                "Take the file from a backup of your own.",
            )
        return data

    def marked(self, state: str) -> Chapter:
        """The chapter in another state, which is written down."""
        disk.write(self.folder / _STATE, state.encode(), private=True)
        return replace(self, state=state)


def digest(data: bytes | None) -> str:
    """The hash of a file's content, "" where there is no file."""
    return "" if data is None else sha256(data).hexdigest()


def book(root: Path) -> Path:
    """The folder of the chapters about one project."""
    name = sha256(os.path.realpath(root).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Path(trust.folder(), "migrations", name)


@contextmanager
def alone(root: Path) -> Iterator[None]:
    """Keep other processes from the chapters of a project. SessionError where one is at work."""
    shelf = book(root)
    _make_shelf(shelf)
    try:
        with Lock(str(shelf / "work"), _PATIENCE, keep=False):
            yield
    finally:
        for folder in (shelf, shelf.parent):
            disk.remove_empty(folder)


def chapters(root: Path) -> list[Chapter]:
    """The chapters that were not taken back, the first one first. Raises ManageError."""
    found = [_read(root, folder) for folder in _numbered(book(root))]
    return [chapter for chapter in found if chapter.state != UNDONE]


def interrupted(root: Path) -> Chapter | None:
    """The chapter that was begun and neither finished nor taken back."""
    return next((c for c in chapters(root) if c.state in (PREPARED, UNDOING)), None)


def prepare(
    root: Path,
    kind: str,
    changes: Iterable[Change],
    now: float,
    *,
    gone: Sequence[str] = (),
    sources: Sequence[str] = (),
) -> Chapter:
    """Write down what is to be done, with a copy of everything that it touches. ``sources``: the
    files that it was made from. What was taken back before is forgotten.

    Raises SessionError or ManageError; the project is then untouched.
    """
    planned = [change for change in changes if change.action != NONE]
    shelf = book(root)
    _make_shelf(shelf)
    for chapter in _numbered(shelf):
        if disk.read(chapter / _STATE) == UNDONE.encode():
            disk.remove(chapter)
    folder = shelf / _next_number(shelf)
    partial = folder.with_name(folder.name + _PARTIAL)
    disk.remove(partial)
    for place in (partial, partial / "before", partial / "after", partial / "removed"):
        disk.make_folder(place, private=True)
    for number, change in enumerate(planned):
        for side, data in (("before", change.before), ("after", change.after)):
            if data is not None:
                disk.write(partial / side / str(number), data, private=True)
    for number, path in enumerate(gone):
        disk.copy(root / path, partial / "removed" / str(number))
    notes = {
        "version": _VERSION,
        "root": str(root),
        "kind": kind,
        "created": timestamp(now),
        "fresh": not disk.is_there(root / TREE),
        "folders": list(_new_folders(root, planned)),
        "gone": list(gone),
        "sources": {path: digest(disk.read(root / path)) for path in sources},
        "entries": [_noted(root, change) for change in planned],
    }
    disk.write(partial / _NOTES, f"{dumps(notes)}\n".encode(), private=True)
    disk.write(partial / _STATE, PREPARED.encode(), private=True)
    disk.rename(partial, folder)
    return _read(root, folder)


def carry_out(chapter: Chapter) -> Chapter:
    """Do what is left to do of a chapter.

    Raises ManageError where a file is neither as it was nor as it is to be, and SessionError where
    the disk does not allow it; then the chapter can be carried out again, or taken back.
    """
    _check(chapter)
    if chapter.fresh and not disk.is_there(chapter.root / TREE):
        _make_tree(chapter)
    for folder in chapter.folders:
        disk.make_folder(chapter.root / folder)
    for number, entry in enumerate(chapter.entries):
        if digest(disk.read(entry.file)) == entry.after:
            continue
        if entry.after:
            disk.write(entry.file, chapter.after(number), private=entry.private)
        else:
            disk.unlink(entry.file)
    for path in chapter.gone:
        place = chapter.root / path
        disk.remove(place)
        for parent in place.parents:
            if parent == chapter.root:
                break
            disk.remove_empty(parent)
    return chapter.marked(DONE)


def _check(chapter: Chapter) -> None:
    """Raise ManageError unless everything is as it was when it was planned, or done already."""
    for entry in chapter.entries:
        if digest(disk.read(entry.file)) not in (entry.before, entry.after):
            raise changed(entry.path)
    for number, path in enumerate(chapter.gone):
        place = chapter.root / path
        if disk.is_there(place) and not disk.is_same(place, chapter.removed(number)):
            raise changed(path)


def changed(path: str) -> ManageError:
    """The error for what somebody has changed in between."""
    return ManageError(
        f"{path} has changed since the migration was planned, so it was not touched.",
        "Run the command again; `synapse migrate --rollback` takes back what was done so far.",
    )


def _make_tree(chapter: Chapter) -> None:
    """The tree folder with all that belongs in it, in one step: no prompt ever sees half of it."""
    tree = chapter.root / TREE
    partial = tree.with_name(tree.name + _PARTIAL)
    disk.remove(partial)
    for folder in chapter.folders:
        if folder == TREE or folder.startswith(f"{TREE}/"):
            disk.make_folder(partial / folder[len(TREE) + 1 :])
    for number, entry in enumerate(chapter.entries):
        if entry.file.is_relative_to(tree) and entry.after:
            target = partial / entry.file.relative_to(tree)
            disk.write(target, chapter.after(number), private=entry.private)
    if disk.is_there(partial):
        disk.rename(partial, tree)


def _make_shelf(shelf: Path) -> None:
    for folder in reversed([shelf, *shelf.parents]):
        disk.make_folder(folder, private=True)


def _next_number(shelf: Path) -> str:
    return f"{max((int(folder.name) for folder in _numbered(shelf)), default=0) + 1:04d}"


def _numbered(shelf: Path) -> list[Path]:
    """The folders of chapters, in order."""
    if not shelf.is_dir():
        return []
    return sorted(folder for folder in shelf.iterdir() if folder.name.isdigit())


def _new_folders(root: Path, changes: Iterable[Change]) -> Iterator[str]:
    """The folders below the root that the changes need and that are not there."""
    needed: set[Path] = set()
    for change in changes:
        if change.before is None and change.file.is_relative_to(root):
            needed.update(p for p in change.file.parents if p.is_relative_to(root) and p != root)
    for folder in sorted(needed):
        if not folder.exists():
            yield folder.relative_to(root).as_posix()


def _noted(root: Path, change: Change) -> dict[str, Any]:
    inside = change.file.is_relative_to(root)
    return {
        "part": change.part,
        "path": change.path,
        "file": change.file.relative_to(root).as_posix() if inside else str(change.file),
        "before": digest(change.before),
        "after": digest(change.after),
        "private": change.private,
    }


def _read(root: Path, folder: Path) -> Chapter:
    """A chapter as it was written down; ManageError where that cannot be read."""
    try:
        notes = loads((disk.read(folder / _NOTES) or b"").decode())
        state = (disk.read(folder / _STATE) or b"").decode()
        notes = {_VERSION: notes}[notes["version"]]  # notes of another version are not understood
        return Chapter(
            root=root,
            folder=folder,
            kind=str(notes["kind"]),
            created=str(notes["created"]),
            state=state,
            entries=tuple(_entry(root, entry) for entry in notes["entries"]),
            folders=tuple(map(str, notes["folders"])),
            gone=tuple(map(str, notes["gone"])),
            fresh=bool(notes["fresh"]),
            sources={str(path): str(found) for path, found in notes["sources"].items()},
        )
    except (JsonError, SessionError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ManageError(
            f"The notes of a migration in {folder} cannot be read.",
            "Move that folder away; the copies in it can be taken back by hand.",
        ) from error


def _entry(root: Path, noted: dict[str, Any]) -> Entry:
    return Entry(
        part=str(noted["part"]),
        path=str(noted["path"]),
        file=root / str(noted["file"]),
        before=str(noted["before"]),
        after=str(noted["after"]),
        private=bool(noted["private"]),
    )
