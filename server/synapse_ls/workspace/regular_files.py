"""Open regular files only, for reading, and take stamps that show changes.

A named pipe would block, a device may have effects. Every file of a project or client is read
through this; a refusal is an OSError with a reason.
"""

from __future__ import annotations

import _stat as stat  # what `stat` gives, without the same in Python before it
import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO, Final

    AnyPath = str | os.PathLike[str]

# A larger file of settings or of a tree is not read: clients write some hundred kilobytes.
SETTINGS_BYTES: Final = 16_000_000

# Not blocking, for a named pipe that takes a file's place after it was looked at; binary for
# Windows.
_FLAGS = os.O_RDONLY
for _name in ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK"):
    _FLAGS |= getattr(os, _name, 0)

HAS_HANDLES: Final = {os.open, os.stat, os.mkdir, os.rename, os.unlink} <= os.supports_dir_fd
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
# A folder that may be entered and not listed is opened as a mere place where that exists.
_FOLDER_FLAGS: Final = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)

_OPENED: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
_SORTS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class NotRegularError(OSError):
    """Something else stands where a file is wanted; ``mode`` is that of
    its status.
    """

    def __init__(self, path: str, mode: int) -> None:
        reason = f"this is {describe_mode(mode)} and not a file"
        super().__init__(errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL, reason, path)
        self.mode = mode


class LinkedError(OSError):
    """A link is on the way to a file that is read by its real path."""


def describe_mode(mode: int) -> str:
    """Return what stands in the place of a regular file, by its mode, as "a named pipe"."""
    return next((name for test, name in _SORTS if test(mode)), "something that is no file")


def real_path(path: str) -> str:
    """Return the real path of a file that is to be opened; of one that no file can have, as it is
    spelled.
    """
    return os.path.realpath(path) if is_possible(path) else os.path.abspath(path)


def is_possible(path: str) -> bool:
    """Check whether a file can have this path: it has neither a NUL nor half a character."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def open_descriptor(path: AnyPath, *, within: str = "") -> int:
    """Return a descriptor of the regular file at ``path``, a link's target's too. Raises OSError,
    for a path that no file can have as for one at which nothing is.

    within: a folder from which this is the real path, which was judged. So that nothing else is
    read, no link that somebody puts on the way meanwhile is followed (`LinkedError`).
    """
    spelled = os.fspath(path)
    if not is_possible(spelled):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), spelled)
    name, handle, is_linked = spelled, None, False
    if within and HAS_HANDLES:
        above, name = os.path.split(spelled)
        handle = walk_folders(within, above[len(within) :].split(os.sep))
        is_linked = handle is None
    elif within:
        is_linked = os.path.realpath(spelled) != os.path.abspath(spelled)
    try:
        # Opening a device may already do something, so it is looked at first. And a link that leads
        # nowhere is the error that it always is.
        place = spelled if is_linked else name
        mode = os.stat(place, dir_fd=handle, follow_symlinks=handle is None).st_mode
        if is_linked or stat.S_ISLNK(mode):
            raise LinkedError(errno.EMLINK, "a link is on the way to it", spelled)
        _check_mode(spelled, mode)
        descriptor = os.open(name, _FLAGS | (_NO_LINK if within else 0), dir_fd=handle)
    finally:
        if handle is not None:
            os.close(handle)
    try:
        _check_mode(spelled, os.fstat(descriptor).st_mode)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def walk_folders(base: str, names: Iterable[str]) -> int | None:
    """Return a handle of the folder that ``names`` lead to; None where one of them is a link."""
    fd = os.open(base, _FOLDER_FLAGS)
    try:
        for name in filter(None, names):
            below = os.open(name, _FOLDER_FLAGS | _NO_LINK, dir_fd=fd)
            os.close(fd)
            fd = below
    except OSError as error:
        # Systems differ in what they say of a link.
        linked = error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)
        try:
            os.readlink(name, dir_fd=fd)
        except OSError:
            linked = False
        os.close(fd)
        if linked:
            return None
        raise
    return fd


def open_stream(path: AnyPath, *, within: str = "") -> BinaryIO:
    """Return the regular file at ``path`` as a stream of bytes. Raises OSError."""
    return os.fdopen(open_descriptor(path, within=within), "rb")


def open_named_stream(path: AnyPath) -> BinaryIO:
    """Return what a person names on a command line as a stream of bytes: a regular file, or what a
    shell has opened for the command (``<(…)``). Raises OSError.
    """
    return open(path, "rb") if os.fspath(path).startswith(_OPENED) else open_stream(path)


def read_beginning(path: AnyPath, limit: int, *, within: str = "") -> bytes:
    """Return the first ``limit`` bytes of the regular file at ``path``. Raises OSError."""
    descriptor = open_descriptor(path, within=within)
    try:
        parts: list[bytes] = []
        # A file may grow while it is read, or hide its size.
        while limit and (part := os.read(descriptor, limit)):
            parts.append(part)
            limit -= len(part)
    finally:
        os.close(descriptor)
    return b"".join(parts)


def read_whole(path: AnyPath, limit: int = SETTINGS_BYTES, *, within: str = "") -> bytes:
    """Return the bytes of the regular file at ``path``. Raises OSError, for one of more than
    ``limit`` bytes too. within: as in `open_descriptor`.
    """
    data = read_beginning(path, limit + 1, within=within)
    if len(data) > limit:
        raise OSError(errno.EFBIG, f"it has more than {limit:,} bytes", os.fspath(path))
    return data


def _check_mode(path: str, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise NotRegularError(path, mode)


# Modification time in nanoseconds, size in bytes (`FOLDER` for a folder's), inode.
Stamp = tuple[int, int, int]

FOLDER = -1


def stamp_of_status(status: os.stat_result) -> Stamp:
    """Return the stamp in a result of ``os.stat``."""
    return make_stamp(status.st_mode, status.st_mtime_ns, status.st_size, status.st_ino)


def make_stamp(mode: int, modified: int, size: int, inode: int) -> Stamp:
    """Return the stamp of parts of an ``os.stat`` result. A folder's size means nothing and is left
    out.
    """
    return (modified, FOLDER if mode & 0o170000 == 0o040000 else size, inode)


def take_stamp(path: str) -> Stamp | None:
    """Return the stamp of what ``path`` leads to; None where nothing can be reached."""
    try:
        return stamp_of_status(os.stat(path))
    except (OSError, ValueError):
        return None


def take_change_stamp(path: str) -> Stamp | None:
    """Return the stamp of a file or folder outside of a tree, or None as `take_stamp` does. Its
    time is that of the last change of content, owner or rights, which nobody can put back; Windows
    does not say that one.
    """
    try:
        now = os.stat(path)
    except (OSError, ValueError):
        return None
    changed = now.st_mtime_ns if os.name == "nt" else now.st_ctime_ns
    return make_stamp(now.st_mode, changed, now.st_size, now.st_ino)
