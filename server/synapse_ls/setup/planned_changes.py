"""Planned changes of files, shown as diffs and written together: all of them or none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from synapse_ls.formats.managed_block import MARKS_REMEDY
from synapse_ls.storage.atomic_files import (
    StorageError,
    atomic_write,
    make_folders,
    remove_file,
    remove_folder,
    storage_error,
)
from synapse_ls.storage.write_journal import FileWrite, finish_writes, journal_writes
from synapse_ls.text.text_edit import text_diff
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.regular_files import read_whole

CREATE, CHANGE, REMOVE, NONE = "create", "change", "remove", "none"


def file_action(before: bytes | None, after: bytes | None) -> str:
    """Return one of create, change, remove and none; None where there is no file."""
    if before == after:
        return NONE
    if before is None:
        return CREATE
    return REMOVE if after is None else CHANGE


EDITED_TROUBLE, FOREIGN_TROUBLE, BROKEN_TROUBLE, REFUSED_TROUBLE = (
    "edited",
    "foreign",
    "broken",
    "refused",
)


@dataclass(frozen=True, slots=True)
class SyncChange:
    """What synchronisation does to one instruction file, or why it leaves it alone.

    ``before`` and ``after`` are its bytes, None where it does not exist; ``real`` is where
    they are. ``trouble`` is one of `EDITED_TROUBLE` (somebody changed what is ours),
    `FOREIGN_TROUBLE` (somebody else's file is in the place), `BROKEN_TROUBLE` (the marks) and
    `REFUSED_TROUBLE`, or "": with it, nothing is written. ``reason`` is a clause about it.
    ``line`` is where the first difference is, counted from 1.
    """

    path: str
    target: str
    real: Path
    before: bytes | None
    after: bytes | None
    line: int = 1
    trouble: str = ""
    reason: str = ""

    @property
    def action(self) -> str:
        """One of create, change, remove and none."""
        return file_action(self.before, self.after)

    @property
    def is_drift(self) -> bool:
        """Whether the file is not as the tree wants it."""
        return bool(self.trouble) or self.action != NONE

    @property
    def remedy(self) -> str:
        """What to do about the trouble, "" for none."""
        return _REMEDIES.get(self.trouble, "")

    @property
    def status_clause(self) -> str:
        """What is to be said about the file, as a clause of which it is the subject."""
        if self.trouble:
            return f"is left alone: {self.reason}"
        return {
            CREATE: "is missing",
            CHANGE: "does not say what the rules say now",
            REMOVE: "has nothing to say any more",
            NONE: "is up to date",
        }[self.action]

    @property
    def diff(self) -> str:
        """The change as a unified diff, "" for none."""
        if self.action == NONE:
            return ""
        old, new = (_decode_bytes(side) for side in (self.before, self.after))
        before = "/dev/null" if self.before is None else f"a/{self.path}"
        return text_diff(old, new, before, "/dev/null" if self.after is None else f"b/{self.path}")


_REMEDIES = {
    EDITED_TROUBLE: "Take the edit into the tree, or give it up with --force.",
    FOREIGN_TROUBLE: "Move it away, or leave the target out.",
    BROKEN_TROUBLE: MARKS_REMEDY,
    REFUSED_TROUBLE: "Put a file in its place, or leave the target out.",
}


def _decode_bytes(data: bytes | None) -> str:
    return (data or b"").removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def write_changes(root: Path, changes: Iterable[SyncChange]) -> tuple[SyncChange, ...]:
    """Make the changes of instruction files: writes them, and remove those with nothing to say;
    returns the changes that were made.

    What has a trouble is left alone. Raises EditError where one cannot be written or is not
    as planned any more; everything is then as it was before.
    """
    finish_writes()
    planned = [one for one in changes if not one.trouble and one.action != NONE]
    for change in planned:
        if _read_bytes(change.real) != change.before:
            raise EditError(
                f"{change.path} has changed since it was read, so nothing was written.",
                "Run the command again.",
            )
    undo: list[Callable[[], object]] = []
    with journal_writes([one for change in planned for one in _file_writes(root, change)]):
        try:
            for change in planned:
                _write_change(root, change, undo)
        except BaseException as error:
            for step in reversed(undo):
                step()
            if not isinstance(error, StorageError | OSError):
                raise
            known = (
                error
                if isinstance(error, StorageError)
                else storage_error("write", change.path, error)
            )
            raise EditError(f"{known.sentence} Nothing was changed.", known.remedy) from error
    return tuple(planned)


def _file_writes(root: Path, change: SyncChange) -> Iterator[FileWrite]:
    """Yield what becomes of the file and, where it goes, of the link that leads to it."""
    yield FileWrite(str(change.real), change.after, str(root))
    link = root / change.path
    if change.after is None and link.is_symlink():
        yield FileWrite(str(link.absolute()), None, str(root))


def _read_bytes(file: Path) -> bytes | None:
    try:
        return read_whole(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        known = storage_error("read", str(file), error)
        raise EditError(known.sentence, known.remedy) from error


def _write_change(root: Path, change: SyncChange, undo: list[Callable[[], object]]) -> None:
    file, before, within = str(change.real), change.before, str(root)
    if change.after is None:
        remove_file(file, within=within)
        undo.append(lambda: atomic_write(file, before or b"", within=within, durable=True))
        link = root / change.path
        if link.is_symlink():
            target = link.readlink()
            remove_file(str(link), within=within)
            undo.append(lambda: link.symlink_to(target))
        _drop_folders(root, change.real, undo)
        return
    made = make_folders(str(change.real.parent), within=within)
    undo += (partial(remove_folder, folder, within=within) for folder in made)
    atomic_write(file, change.after, within=within, durable=True)
    if before is None:
        undo.append(lambda: remove_file(file, within=within))
    else:
        undo.append(lambda: atomic_write(file, before, within=within, durable=True))


def _drop_folders(root: Path, file: Path, undo: list[Callable[[], object]]) -> None:
    """Remove the folders that have nothing in them any more."""
    for folder in file.parents:
        if root.resolve() not in folder.parents:
            return
        if not remove_folder(str(folder), within=str(root)):  # something else is in it
            return
        undo.append(partial(make_folders, str(folder), within=str(root)))
