"""Read files, write them atomically, and lock them across processes, on POSIX and Windows.

A writer replaces the file by a rename, so a reader sees the old bytes or the new ones. ``within``
is the project of a path: links are followed inside it and into places that the user trusts
(`confined_folders`). With `ANYWHERE` they are followed everywhere: for the user's own folders, and
what a person names on the command line.
"""

from __future__ import annotations

import _stat as stat  # what `stat` gives, without the same in Python before it
import errno
import os
import sys
import time

from synapse_ls.storage import confined_folders
from synapse_ls.text.lazy_import import registered_module
from synapse_ls.text.user_error import UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, TypeVar

    T = TypeVar("T")

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# What stands for a project where a path is the user's own word or lies in the user's own folders:
# links are followed wherever they lead.
ANYWHERE: Final = ""
PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
LOCK_SUFFIX: Final = ".lock"

_TEMP_PREFIX: Final = ".synapse-"
_TEMP_SUFFIX: Final = ".tmp"
_TEMP_BYTES: Final = 8
_TEMP_LENGTH: Final = len(_TEMP_PREFIX) + 2 * _TEMP_BYTES + len(_TEMP_SUFFIX)
_LEFTOVER_AGE: Final = 60.0  # seconds; a live writer needs milliseconds
_CHUNK: Final = 65536

# Without O_BINARY Windows rewrites line ends; without O_NONBLOCK a named pipe blocks its reader.
_BINARY_FLAG: Final = getattr(os, "O_BINARY", 0)
_READ_FLAGS: Final = os.O_RDONLY | _BINARY_FLAG | getattr(os, "O_NONBLOCK", 0)
_CREATE_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY_FLAG
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
# A link or a pipe of that name is none of ours.
_APPEND_FLAGS: Final = (
    os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NO_FOLLOW | getattr(os, "O_NONBLOCK", 0)
)
_LOCK_FLAGS: Final = os.O_RDWR | os.O_CREAT | _BINARY_FLAG | _NO_FOLLOW

# On Windows a file cannot be replaced, nor opened, in the instant another process has it open.
_SHARING_PATIENCE: Final = 1.0 if sys.platform == "win32" else 0.0
_SHORTEST_PAUSE: Final = 0.0005
_LONGEST_PAUSE: Final = 0.016

_MISPLACED: Final = ("there is a file where a folder is needed", "Move that file away.")
_DENIED: Final = ("permission is denied", "Give this user write access to the file and its folder.")
_FULL: Final = ("the disk is full", "Free some space and try again.")
_REASONS: Final = {
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.EROFS: ("the file system is read-only", "Use a folder that can be written."),
    errno.ENOSPC: _FULL,
    getattr(errno, "EDQUOT", errno.ENOSPC): ("the disk quota is used up", _FULL[1]),
    errno.EFBIG: ("the file would be larger than allowed", "Raise the limit on file sizes."),
    errno.ENOENT: ("its folder does not exist", "Create the folder first."),
    errno.ENOTDIR: _MISPLACED,
    errno.EEXIST: _MISPLACED,
    errno.EISDIR: ("there is a folder where a file is needed", "Move that folder away."),
    errno.ELOOP: ("a symbolic link is in the way", "Remove the link."),
    errno.ENAMETOOLONG: ("the path is too long", "Use a shorter path."),
    errno.ENOLCK: ("the file system knows no locks", "Keep the tree on a local disk."),
}

PINS: Final = "pins"  # the role of what follows writes into pinned trees
_swept_folders: Final[set[str]] = set()


def _announce(within: str, *paths: str) -> Callable[[], None] | None:
    """Have the pin of a project follow a change of these paths (of a move or a copy: both); return
    what is to be called when that is done.
    """
    pins = registered_module(PINS) if within else None
    finish: Callable[[], None] | None = pins.begin_write(within, paths) if pins else None
    return finish


class StorageError(UserError):
    """An error about a file that could not be read or written. ``errno`` is the system's code for
    the reason, or 0.
    """

    def __init__(self, sentence: str, remedy: str, errno: int = 0) -> None:
        super().__init__(sentence, remedy)
        self.errno = errno


class LockTimeoutError(StorageError):
    """Another process holds the lock at ``path``, and still did when the time was up."""

    def __init__(self, path: str, waited: float) -> None:
        clause = f"has held {path} for {waited:g} s" if waited else f"holds {path}"
        super().__init__(
            f"Another process {clause}.", "Try again when it is done.", errno.ETIMEDOUT
        )
        self.path = path


def storage_error(action: str, path: str, error: OSError) -> StorageError:
    """Return the error for people: ``action`` is a verb ("write"), ``path`` what it was done to."""
    if isinstance(error, confined_folders.LeadsOutError):
        from synapse_ls.workspace import outside_links

        reason, remedy = outside_links.LEADS_OUT, outside_links.trust_remedy(error.target)
        if outside_links.holds_secrets(error.target):
            reason, remedy = outside_links.HOLDS_SECRETS, outside_links.HOLDS_SECRETS_REMEDY
        elif error.is_of_notes:
            remedy = outside_links.NOTE_REMEDY
            if error.is_inside:
                reason = outside_links.LEADS_NOTES_ELSEWHERE
        return StorageError(f"Cannot {action} {error.filename}: {reason}.", remedy, errno.ELOOP)
    reason, remedy = _REASONS.get(
        error.errno or 0, (error.strerror or str(error), "Look at the folder and try again.")
    )
    # The path itself or a folder above it may be a link to nothing.
    link = path
    while link and not (os.path.islink(link) or os.path.exists(link)):
        link = os.path.dirname(link)
    if error.errno == errno.ENOENT and link and not os.path.exists(link):
        reason = f"{link} is a link to {os.path.realpath(link)}, which does not exist"
        remedy = "Remove the link, or create what it leads to."
    return StorageError(f"Cannot {action} {path}: {reason}.", remedy, error.errno or 0)


def read_bytes(path: str, limit: int, *, within: str) -> bytes | None:
    """Return the bytes of the regular file at ``path``, as the file writer left it; None where
    there is none.

    Raises StorageError if the file cannot be read, has more than ``limit`` bytes, or is behind a
    link that leads out of the project.
    """

    def open_file() -> int:
        if not within:
            return os.open(path, _READ_FLAGS)
        folder, name, _ = _open_target(path, within)
        with folder:
            return os.open(folder.spot(name), _READ_FLAGS | _NO_FOLLOW, dir_fd=folder.fd)

    try:
        fd = _retry_sharing(open_file)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise storage_error("read", path, error) from error
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise _unreadable_error(path, "it is not a regular file", errno.EINVAL)
        # One byte more than allowed tells a file that is too large from one that just fits.
        # What `fd` holds, `most` bytes of it at most.
        most = limit + 1
        parts = []
        while most > 0 and (part := os.read(fd, min(most, _CHUNK))):
            parts.append(part)
            most -= len(part)
        data = b"".join(parts)
    except OSError as error:
        raise storage_error("read", path, error) from error
    finally:
        os.close(fd)
    if len(data) > limit:
        raise _unreadable_error(path, f"it has more than {limit} bytes", errno.EFBIG)
    return data


def atomic_write(
    path: str,
    data: bytes,
    *,
    within: str,
    durable: bool = False,
    mode: int | None = None,
    follow: bool = True,
    source: str = "",
) -> None:
    """Write ``data`` as the whole content of the file at ``path``, all or nothing. ``source``: the
    file in the project that it is taken from, for the observer.

    A symbolic link is written through, or replaced where ``follow`` is false, as in folders that
    only the program writes. ``mode`` are the permission bits (POSIX); without it an existing file
    keeps its own. A file that root replaces stays its owner's.

    A rename alone survives a writer that is killed. Against a power cut, ``durable`` flushes file
    and folder, which took 0.5 instead of 0.2 ms on a virtual disk. Use it for what a person wrote,
    not for what the next prompt rewrites.

    Raises StorageError; the old content then stands and no temporary file is left.
    """
    finish = _announce(within, *((source,) if source else ()), path)
    try:
        folder, name, existing = _open_target(path, within, follow)
        with folder:
            _check_replaceable(path, existing)
            temporary = f"{_TEMP_PREFIX}{os.urandom(_TEMP_BYTES).hex()}{_TEMP_SUFFIX}"
            try:
                _write_new(folder, temporary, data, existing, mode, durable)
                spots, fd = (folder.spot(temporary), folder.spot(name)), folder.fd
                _retry_sharing(lambda: os.replace(*spots, src_dir_fd=fd, dst_dir_fd=fd))
            except BaseException:
                _unlink_quietly(folder, temporary)
                raise
            # Windows can open no folder, and flushes its renames by itself.
            if durable and sys.platform != "win32":
                place = os.curdir if folder.fd is not None else folder.path
                fd = os.open(place, os.O_RDONLY, dir_fd=folder.fd)
                try:
                    os.fsync(fd)
                finally:
                    os.close(fd)
            if folder.path not in _swept_folders:
                _swept_folders.add(folder.path)
                _sweep_folder(folder)
    except OSError as error:
        raise storage_error("write", path, error) from error
    if finish:
        finish()


def make_folders(path: str, *, within: str, mode: int = confined_folders.PLAIN_FOLDER) -> list[str]:
    """Create the folder ``path`` with the parents it lacks; return the paths of those that were
    created, the outermost first. ``mode``: the permission bits of the last. Raises StorageError.
    """
    try:
        return confined_folders.make_folder(path, within, mode)
    except OSError as error:
        raise storage_error("create", path, error) from error


def remove_file(path: str, *, within: str) -> None:
    """Remove the file or the link at ``path``, never what a link leads to. Raises StorageError,
    where there is nothing as well.
    """
    finish = _announce(within, path)
    try:
        folder, name = confined_folders.open_parent(path, within)
        with folder:
            os.unlink(folder.spot(name), dir_fd=folder.fd)
    except OSError as error:
        raise storage_error("remove", path, error) from error
    if finish:
        finish()


def remove_folder(path: str, *, within: str) -> bool:
    """Remove an empty folder; return whether that was done."""
    try:
        folder, name = confined_folders.open_parent(path, within)
        with folder:
            os.rmdir(folder.spot(name), dir_fd=folder.fd)
    except OSError:
        return False
    return True


def move_path(path: str, target: str, *, within: str) -> None:
    """Give a file, a folder or a link another name, in the same file system. Raises
    StorageError.
    """
    finish = _announce(within, path, target)
    try:
        source, old = confined_folders.open_parent(path, within)
        with source:
            folder, new = confined_folders.open_parent(target, within)
            with folder:
                spots = source.spot(old), folder.spot(new)
                os.rename(*spots, src_dir_fd=source.fd, dst_dir_fd=folder.fd)
    except OSError as error:
        raise storage_error("move", path, error) from error
    if finish:
        finish()


def _sweep_folder(folder: confined_folders.ConfinedFolder) -> None:
    """Remove the temporary files that killed writers left in a folder."""
    try:
        names = _list_names(folder)
    except OSError:
        return  # a folder that cannot be listed keeps its litter; that is no reason to fail
    before = time.time() - _LEFTOVER_AGE
    # Of hundreds of files none is a temporary one: the loop over all of them is this one.
    for name in [name for name in names if name.startswith(_TEMP_PREFIX)]:
        if len(name) != _TEMP_LENGTH or not name.endswith(_TEMP_SUFFIX):
            continue
        spot = folder.spot(name)
        try:
            status = os.stat(spot, dir_fd=folder.fd, follow_symlinks=False)
            if status.st_mtime < before:
                os.unlink(spot, dir_fd=folder.fd)
        except OSError:
            continue  # its writer or another sweep was faster, or it is not ours to remove


def _list_names(folder: confined_folders.ConfinedFolder) -> list[str]:
    if folder.fd is None:
        return os.listdir(folder.path)
    fd = os.open(os.curdir, os.O_RDONLY, dir_fd=folder.fd)
    try:
        return os.listdir(fd)
    finally:
        os.close(fd)


class FileLock:
    """A lock across processes: one holder at a time has the right to change the file at ``path``.

    The lock is on a sibling, ``{path}.lock``, and the system releases it when the holder dies. The
    sibling stays; with ``keep=False`` the last act of the holder is to remove it. ``timeout`` is in
    seconds. One thread must not enter a lock it holds. Raises LockTimeoutError when the time is up,
    and StorageError when the sibling cannot be opened.
    """

    def __init__(self, path: str, timeout: float, *, within: str, keep: bool = True) -> None:
        self.path = path + LOCK_SUFFIX
        self.within = within
        self.timeout = timeout
        self.keep = keep
        self._fd = -1
        self._folder = confined_folders.ConfinedFolder("")

    def __enter__(self) -> FileLock:
        try:
            self._folder, _ = confined_folders.open_parent(self.path, self.within)
        except OSError as error:
            raise storage_error("lock", self.path, error) from error
        try:
            self._acquire()
        except BaseException:
            self._folder.__exit__()
            raise
        return self

    def _acquire(self) -> None:
        deadline = time.monotonic() + self.timeout
        pause = _SHORTEST_PAUSE
        while not self._try_acquire():
            left = deadline - time.monotonic()
            if left <= 0:
                raise LockTimeoutError(self.path, self.timeout)
            time.sleep(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE)

    def __exit__(self, *_error: object) -> None:
        with self._folder as folder:
            _release_lock(self._fd, folder, os.path.basename(self.path), self.keep)
        self._fd = -1

    def _try_acquire(self) -> bool:
        folder, name = self._folder, os.path.basename(self.path)
        try:
            fd = os.open(folder.spot(name), _LOCK_FLAGS, PRIVATE_FILE, dir_fd=folder.fd)
            try:
                # Windows removes no file that is open.
                if _acquire_lock(fd) and (sys.platform == "win32" or _is_current(fd, folder, name)):
                    self._fd = fd
                    return True
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)
        except OSError as error:
            raise storage_error("lock", self.path, error) from error
        return False


if sys.platform == "win32":

    def _acquire_lock(fd: int) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def _release_lock(
        fd: int, folder: confined_folders.ConfinedFolder, name: str, keep: bool
    ) -> None:
        msvcrt.locking(fd, msvcrt.LK_UNLCK, 1)
        os.close(fd)
        if not keep:
            _unlink_quietly(folder, name)  # fails, rightly, while another process has it open

else:

    def _acquire_lock(fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release_lock(
        fd: int, folder: confined_folders.ConfinedFolder, name: str, keep: bool
    ) -> None:
        if not keep:
            _unlink_quietly(folder, name)
        os.close(fd)


def _is_current(fd: int, folder: confined_folders.ConfinedFolder, name: str) -> bool:
    """Return whether ``fd`` is still the file of that name: the holder before us may have removed
    it.
    """
    try:
        return os.path.samestat(os.fstat(fd), os.stat(folder.spot(name), dir_fd=folder.fd))
    except FileNotFoundError:
        return False


def _open_target(
    path: str, within: str, follow: bool = True
) -> tuple[confined_folders.ConfinedFolder, str, os.stat_result | None]:
    """Open the folder of the file that a write to ``path`` replaces, behind a link the folder of
    its target; return it with the file's name, and its status if it exists. Without ``follow`` a
    link counts as nothing, which the write replaces. In a project none leads to secrets.
    """
    folder, name = confined_folders.open_parent(path, within)
    try:
        existing = _status_of(folder, name)
        if existing is None or not stat.S_ISLNK(existing.st_mode):
            return folder, name, existing
        if not follow:
            return folder, name, None
        # The handle of its folder names the place that the link starts from.
        real = os.path.realpath(os.path.join(folder.path, name))
    except BaseException:
        folder.__exit__()
        raise
    folder.__exit__()
    from synapse_ls.workspace.outside_links import holds_secrets  # which few files need

    if within and (holds_secrets(real) or os.path.basename(real).lower() == ".git"):
        raise confined_folders.LeadsOutError(path, real, within)
    parent, name = os.path.split(real)
    try:
        folder = confined_folders.open_folder(parent, within, route=path)
    except confined_folders.LeadsOutError:
        raise confined_folders.LeadsOutError(path, real, within) from None
    try:
        return folder, name, _status_of(folder, name)
    except BaseException:
        folder.__exit__()
        raise


def _status_of(folder: confined_folders.ConfinedFolder, name: str) -> os.stat_result | None:
    try:
        return os.stat(folder.spot(name), dir_fd=folder.fd, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _check_replaceable(path: str, existing: os.stat_result | None) -> None:
    if existing is None or stat.S_ISREG(existing.st_mode):
        return
    if stat.S_ISDIR(existing.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if stat.S_ISLNK(existing.st_mode):  # put there in this moment, or a loop
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    raise OSError(errno.EINVAL, "it is not a regular file", path)


def _unlink_quietly(folder: confined_folders.ConfinedFolder, name: str) -> None:
    try:
        os.unlink(folder.spot(name), dir_fd=folder.fd)
    except OSError:
        return


def _write_new(
    folder: confined_folders.ConfinedFolder,
    name: str,
    data: bytes,
    existing: os.stat_result | None,
    mode: int | None,
    durable: bool,
) -> None:
    """Create the file ``name`` with ``data``, never readable by more people than the file it will
    replace.
    """
    wanted = stat.S_IMODE(existing.st_mode) if mode is None and existing else mode
    rights = 0o666 if wanted is None else PRIVATE_FILE
    fd = os.open(folder.spot(name), _CREATE_FLAGS, rights, dir_fd=folder.fd)
    try:
        if sys.platform != "win32":
            if existing is not None and os.geteuid() == 0:
                # Give a file that root writes to the user whose file it replaces.
                try:  # noqa: SIM105 - contextlib takes longer to load than this to do
                    os.fchown(fd, existing.st_uid, existing.st_gid)
                except PermissionError:
                    pass  # a container or a network share, where root may not: the content counts
            if wanted is not None and wanted != PRIVATE_FILE:
                os.fchmod(fd, wanted)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
        if durable:
            os.fsync(fd)
    finally:
        os.close(fd)


def _unreadable_error(path: str, reason: str, code: int) -> StorageError:
    return StorageError(f"Cannot read {path}: {reason}.", "Move it away.", code)


def _retry_sharing(operation: Callable[[], T]) -> T:
    """Return the result of ``operation``, tried again while another process has the file open."""
    deadline = time.monotonic() + _SHARING_PATIENCE
    while True:
        try:
            return operation()
        except PermissionError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_LONGEST_PAUSE)


def append_line(path: str, data: bytes, limit: int) -> None:
    """Append ``data`` to a log file that only its user reads; beyond ``limit`` bytes the file
    starts anew.

    Its predecessor stays beside it, as ``{path}.1``. Raises OSError where that is not possible.
    """
    descriptor = os.open(path, _APPEND_FLAGS, PRIVATE_FILE)
    try:
        ours = os.fstat(descriptor)
        full = ours.st_size > limit
        if not full:
            os.write(descriptor, data)
    finally:
        os.close(descriptor)
    if full:
        # Another process may have been first: then this file is the predecessor already.
        if os.stat(path).st_ino == ours.st_ino:
            os.replace(path, f"{path}.1")
        append_line(path, data, limit)


def remove_quietly(path: str, *, within: str) -> None:
    """Remove a file that a writer does not need any more; where that fails, it is only litter."""
    try:
        remove_file(path, within=within)
    except StorageError:
        return
