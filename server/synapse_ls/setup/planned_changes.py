"""Planned changes of files: shown as diffs, and written, each whole; an error undoes them all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from synapse_ls.storage import atomic_files
from synapse_ls.text.text_edit import text_diff
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.regular_files import read_whole

CREATE, CHANGE, REMOVE, NONE = "create", "change", "remove", "none"
# An action -> what is said of a file once it is done.
DONE_WORDS = {CREATE: "created", CHANGE: "changed", REMOVE: "removed", NONE: "unchanged"}

_BOM = b"\xef\xbb\xbf"

_Undo = list[Callable[[], object]]


@dataclass(frozen=True, slots=True)
class FileChange:
    """The planned change of one file, as bytes; None where it does not exist.

    path: the file as people know it, relative to the root or with ``~``. within: the project that
    it must not leave; the user's own files may be links to anywhere. folders: those that go with
    it, the outermost first, as far as nothing else is in them. link: one to the file that goes with
    it.
    """

    path: str
    file: Path
    before: bytes | None
    after: bytes | None
    within: str = field(default=atomic_files.ANYWHERE, kw_only=True)
    folders: tuple[str, ...] = field(default=(), kw_only=True)
    link: Path | None = field(default=None, kw_only=True)

    @property
    def action(self) -> str:
        """One of create, change, remove and none."""
        if self.before == self.after:
            return NONE
        if self.before is None:
            return CREATE
        return REMOVE if self.after is None else CHANGE

    @property
    def diff(self) -> str:
        """The change as a unified diff, "" for none."""
        if self.action == NONE:
            return ""
        old = "/dev/null" if self.before is None else f"a/{self.path}"
        new = "/dev/null" if self.after is None else f"b/{self.path}"
        return text_diff(file_text(self.before), file_text(self.after), old, new)

    def check_unchanged(self) -> None:
        """Raise UserError where the file is not as it was when the change was planned."""
        try:
            data = read_whole(self.file)
        except FileNotFoundError:
            data = None
        except OSError as error:
            unreadable = atomic_files.storage_error("read", self.path, error)
            raise UserError(unreadable.sentence, unreadable.remedy) from error
        if data != self.before:
            raise UserError(
                f"{self.path} has changed since it was read, so nothing was written.",
                "Run the command again.",
            )


def file_text(data: bytes | None) -> str:
    """Return the text of a file, for people; "" where it does not exist."""
    return (data or b"").removeprefix(_BOM).decode("utf-8", "replace")


def write_files(changes: Sequence[FileChange]) -> None:
    """Make all changes of files.

    Raises UserError where one cannot be written, or is not as planned any more; then none is made.
    A process that is killed leaves each file as it was or as it will be.
    """
    for change in changes:
        change.check_unchanged()
    undo: _Undo = []
    path = ""
    try:
        for change in changes:
            path = change.path
            if change.after is None:
                _remove_file(change, undo)
            else:
                _write_file(change, change.after, undo)
    except BaseException as error:
        for step in reversed(undo):
            step()
        if not isinstance(error, atomic_files.StorageError | OSError):
            raise
        if isinstance(error, OSError):
            error = atomic_files.storage_error("write", path, error)
        raise UserError(f"{error.sentence} Nothing was changed.", error.remedy) from error


def _write_file(change: FileChange, after: bytes, undo: _Undo) -> None:
    """Write a file, in folders that are made for it, and note how to take that back."""
    file, before, within = str(change.file), change.before, change.within
    folders = atomic_files.make_folders(str(change.file.parent), within=within)
    undo += (partial(atomic_files.remove_folder, folder, within=within) for folder in folders)
    atomic_files.atomic_write(file, after, within=within, durable=True)
    if before is None:
        undo.append(lambda: atomic_files.remove_file(file, within=within))
    else:
        undo.append(lambda: atomic_files.atomic_write(file, before, within=within, durable=True))


def _remove_file(change: FileChange, undo: _Undo) -> None:
    """Remove a file (of a link the link alone), the link to it and its folders, and note how to
    take that back.
    """
    file, within = str(change.file), change.within
    before = change.before or b""
    links = [place for place in (change.file, change.link) if place and place.is_symlink()]
    if change.file not in links:
        atomic_files.remove_file(file, within=within)
        undo.append(lambda: atomic_files.atomic_write(file, before, within=within, durable=True))
    for link in links:
        restore = partial(_put_back, link, link.readlink())
        atomic_files.remove_file(str(link), within=within)
        undo.append(restore)
    for folder in reversed(change.folders):
        if not atomic_files.remove_folder(folder, within=within):
            break
        undo.append(partial(atomic_files.make_folders, folder, within=within))


def _put_back(link: Path, destination: Path) -> None:
    link.symlink_to(destination)
