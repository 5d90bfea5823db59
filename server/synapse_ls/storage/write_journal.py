"""Make the writing of several files one transaction, whatever becomes of the process that does it:
all of them, or none.

What is about to be written is noted in the user's configuration folder first, and a second process
waits until the first one has ended. Where the notes are still there then, it writes what was left
to write. Nothing is read from a project that could tell where to write, nor is anything believed
that another user may write.
"""

import contextlib
import os
import time
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from synapse_ls.storage.atomic_files import (
    ANYWHERE,
    LOCK_SUFFIX,
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    FileLock,
    StorageError,
    atomic_write,
    make_folders,
    move_path,
    remove_file,
    remove_folder,
    remove_leftovers,
    remove_leftovers_of,
    remove_quietly,
)
from synapse_ls.storage.program_start import start_process
from synapse_ls.text.fast_json import dumps, loads
from synapse_ls.workspace import user_folders
from synapse_ls.workspace.regular_files import read_whole
from synapse_ls.workspace.trusted_places import is_own

_FOLDER = "unfinished"
_PATIENCE = 60.0  # seconds that the second process waits for the first one
_PAUSE = 0.02  # seconds between two looks
_ATTEMPTS = 5  # to lock a journal, while other processes remove the folder that is empty
_LINK = "link:"  # what the digest of a symbolic link begins with


@dataclass(frozen=True, slots=True)
class FileWrite:
    """What becomes of one file: ``after`` are its bytes, None where it goes. within: the project
    that it is in, or `ANYWHERE`.

    moved_from: the file or the folder that takes the name ``path`` first, "" for none; with it,
    None for ``after`` keeps the content. folders: those that go with a file that goes, unless
    something else is in them, the outermost first; None for the one that it is in.
    """

    path: str
    after: bytes | None
    within: str
    moved_from: str = ""
    folders: tuple[str, ...] | None = None


@contextlib.contextmanager
def journal_writes(writes: Sequence[FileWrite]) -> Iterator[None]:
    """Note ``writes`` in the journal, which are done inside; a process that is killed there has
    them done by another one.

    One that ends otherwise, with an error, takes back what it did. Where nothing can be noted, as
    without a home, the writes are done without.
    """
    path = os.path.join(_journal_folder(), os.urandom(8).hex())
    with contextlib.ExitStack() as stack:
        try:
            # One file is written in one step anyway, unless folders go with it.
            if len(writes) > 1 or any(write.folders for write in writes):
                stack.callback(_remove_folders)
                stack.enter_context(_lock_journal(path))
                stack.callback(remove_quietly, path, within=ANYWHERE)
                start_process(__name__, path, str(os.getpid()))
                listed = []
                for write in writes:
                    after = write.after
                    encoded = None if after is None else b2a_base64(after, newline=False).decode()
                    before = _content_digest(write.moved_from or write.path)
                    listed.append({**asdict(write), "after": encoded, "before": before})
                notes = dumps({"writer": os.getpid(), "writes": listed}).encode(
                    "utf-8", "surrogatepass"
                )
                atomic_write(path, notes, within=ANYWHERE, durable=True, mode=PRIVATE_FILE)
        except (OSError, StorageError):
            remove_quietly(path, within=ANYWHERE)
        yield


@contextlib.contextmanager
def _lock_journal(path: str) -> Iterator[None]:
    """Hold the lock of the journal at ``path``, in a folder that is made for it. Another process
    may remove that folder before the lock is in it. Raises OSError and StorageError.
    """
    with contextlib.ExitStack() as stack:
        for left in reversed(range(_ATTEMPTS)):
            try:
                make_folders(_journal_folder(), within=ANYWHERE, mode=PRIVATE_FOLDER)
                stack.enter_context(FileLock(path, 0.0, within=ANYWHERE, keep=False))
                break
            except (OSError, StorageError):
                if not left:
                    raise
        yield


def finish_writes() -> None:
    """Do the writes of the journal that killed processes, and those that waited for them, have left
    to do.
    """
    try:
        names = os.listdir(_journal_folder())
    except OSError:
        return
    for name in sorted({name.removesuffix(LOCK_SUFFIX) for name in names}):
        if not name.startswith("."):
            _finish_journal(os.path.join(_journal_folder(), name))
    remove_leftovers(_journal_folder(), time.time())
    _remove_folders()


def main(path: str, writer: str) -> None:
    """Wait for the process ``writer``, which holds the journal at ``path``, and do what it has left
    to do.
    """
    until = time.monotonic() + _PATIENCE
    while os.path.lexists(path + LOCK_SUFFIX) and time.monotonic() < until:
        _finish_journal(path)
        time.sleep(_PAUSE)
    remove_leftovers_of(_journal_folder(), int(writer), within=ANYWHERE)
    _remove_folders()


_MOST_COMPARED = 1 << 30  # bytes of a file whose content is compared


def _journal_folder() -> str:
    return os.path.join(user_folders.config_folder(), _FOLDER)


def _remove_folders() -> None:
    """Remove the folder of the journals, and the one that it is in, where nothing else is there."""
    if remove_folder(_journal_folder(), within=ANYWHERE):
        remove_folder(user_folders.config_folder(), within=ANYWHERE)


def _finish_journal(path: str) -> None:
    """Do what is left of a journal, unless the process that wrote it is still at it."""
    with (
        contextlib.suppress(OSError, StorageError),
        FileLock(path, 0.0, within=ANYWHERE, keep=False),
    ):
        journal = _read_journal(path)
        if journal is None:
            return
        writer, writes = journal
        for write, before in writes:
            # Move what has not moved yet.
            source, target = write.moved_from, write.path
            if source and os.path.lexists(source) and not os.path.lexists(target):
                make_folders(os.path.dirname(target), within=write.within)
                move_path(source, target, within=write.within)
            # What somebody has written in between stays.
            if _content_digest(write.path) == before:
                _write_file(write)
            if write.folders and not os.path.lexists(write.path):
                # The innermost first, up to one that has something in it.
                for folder in filter(os.path.lexists, reversed(write.folders)):
                    if not remove_folder(folder, within=write.within):
                        break
            remove_leftovers_of(os.path.dirname(write.path), writer, within=write.within)
        remove_quietly(path, within=ANYWHERE)
    _remove_folders()


def _read_journal(path: str) -> tuple[int, list[tuple[FileWrite, str]]] | None:
    """Return the process that wrote the notes, and each write with the digest of its file before; 0
    and nothing where there are no notes, None where others may write them: they could tell where to
    write what.
    """
    writes = []
    try:
        with open(path, "rb") as file:
            folders = (user_folders.config_folder(), _journal_folder())
            if not all(map(is_own, (os.fstat(file.fileno()), *map(os.stat, folders)))):
                return None
            notes = loads(file.read().decode("utf-8", "surrogatepass"))
        for note in notes["writes"]:
            after = note["after"]
            content = None if after is None else a2b_base64(after)
            listed = note.get("folders")
            made = None if listed is None else tuple(map(str, listed))
            write = FileWrite(note["path"], content, note["within"], note["moved_from"], made)
            writes.append((write, note["before"]))
        return int(notes["writer"]), writes
    except (OSError, ValueError, TypeError, KeyError):
        return 0, []


def _content_digest(path: str) -> str:
    """Return the digest of a file, "" where there is none; of a link, where it leads."""
    from hashlib import sha256  # only here: it loads OpenSSL, and a server seldom writes

    try:
        if os.path.islink(path):
            return _LINK + os.readlink(path)
        return sha256(read_whole(path, _MOST_COMPARED)).hexdigest()
    except OSError:
        return ""


def _write_file(write: FileWrite) -> None:
    folder = os.path.dirname(write.path)
    if write.after is None and write.moved_from:
        return
    if write.after is None:
        remove_file(write.path, within=write.within)
        if write.folders is None:
            remove_folder(folder, within=write.within)  # unless something else is in it
        return
    make_folders(folder, within=write.within)
    atomic_write(write.path, write.after, within=write.within, durable=True)
