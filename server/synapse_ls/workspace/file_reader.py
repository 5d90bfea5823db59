"""Read one file safely: only regular files, of a bounded size, that look like text."""

import codecs
import errno
import os
import stat
from typing import NamedTuple

from synapse_ls.text.decoding import DecodedText, decode_text
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import outside_links, tree_folders
from synapse_ls.workspace.regular_files import (
    LinkedError,
    NotRegularError,
    describe_mode,
    open_stream,
)

# A larger file is not read: rules of this size could never be injected.
MAX_BYTES = 2_000_000

_SAMPLE_BYTES = 8192  # bytes that decide whether a file is binary
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class RefusedError(UserError):
    """A file was not read; ``kind`` is that of a load note."""

    def __init__(self, kind: str, sentence: str, remedy: str = "") -> None:
        super().__init__(sentence, remedy)
        self.kind = kind


class LinkedFileError(RefusedError):
    """A file was not read, because a link is on the way that was not when it was judged."""


class FileContent(NamedTuple):
    """What was read, and the file's status from before it was read."""

    decoded: DecodedText
    status: os.stat_result


def read_file(path: str, *, within: str = "") -> FileContent | None:
    """Return the text of a file; None where there is no file. within: as in `open_descriptor`.

    `RefusedError` with kind "not-a-file", "too-large", "binary", "link-loop" or "unreadable".
    """
    try:
        with open_stream(path, within=within) as stream:
            status = os.fstat(stream.fileno())
            # No more than shows that it is too much: a file may grow, or hide its size.
            data = b"" if status.st_size > MAX_BYTES else stream.read(MAX_BYTES + 1)
    except NotRegularError as error:
        raise not_a_file_error(error.mode) from error
    except LinkedError as error:
        raise LinkedFileError("unreadable", "It is not read: a link is on the way.") from error
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return None
        raise refusal_of_error(error) from error
    if max(status.st_size, len(data)) > MAX_BYTES:
        raise too_large_error()
    if _is_binary(data):
        raise RefusedError("binary", "The file is not read, because it is binary and not text.")
    return FileContent(decode_text(data), status)


def read_inside(root: str, path: str) -> FileContent | None:
    """Return the text of a file of the project, at ``path`` relative to its root, as `read_file`
    does. Raises RefusedError, of the kind "outside" for what `find_refusal` has a reason against.
    """
    real = os.path.realpath(os.path.join(root, path))
    if refusal := outside_links.find_refusal(root, path, real):
        raise RefusedError("outside", f"It is not read: {refusal[0]}.", refusal[1])
    return read_file(real, within=os.sep)


def is_world_writable(status: os.stat_result) -> bool:
    """Check whether every user may write to a file that was read.

    A text that everybody may also execute is on a file system that has no modes of its own
    (FAT, NTFS, a folder shared with a guest), as is any file on Windows.
    """
    mode = stat.S_IMODE(status.st_mode)
    return os.name == "posix" and bool(mode & stat.S_IWOTH) and mode & 0o777 != 0o777


def refusal_of_error(error: OSError) -> RefusedError:
    """Return an error of the operating system while a file was read as a refusal with a
    sentence.
    """
    if error.errno == errno.ELOOP:
        return RefusedError("link-loop", "The link leads back to itself, so nothing is read.")
    why = (error.strerror or type(error).__name__).lower()
    return RefusedError("unreadable", f"It cannot be read: {why}.")


def not_a_file_error(mode: int) -> RefusedError:
    """Return the refusal to read something that is no regular file."""
    what = f"Nothing is read, because this is {describe_mode(mode)} and not a file."
    return RefusedError("not-a-file", what)


def too_large_error() -> RefusedError:
    """Return the refusal to read a file that has more than `MAX_BYTES`."""
    return RefusedError(
        "too-large", f"The file is not read, because it has more than {MAX_BYTES // 10**6} MB."
    )


def _is_binary(data: bytes) -> bool:
    """Check whether a tenth of the beginning can be no text. One stray NUL does not make a file
    binary.
    """
    sample = data[:_SAMPLE_BYTES]
    if 0 not in sample or sample.startswith(_UTF16_MARKS):
        return False
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return (controls + sample.decode(errors="replace").count("\ufffd")) * 10 > len(sample)


def read_configuration_file(root: str) -> FileContent | None:
    """Return the text of the configuration of the tree in ``root``; None where there is none.

    Raises RefusedError for what is in its place and cannot be read, a link that leads nowhere or
    out of the project too. A tree that is behind such a link itself is not served, and has none.
    """
    outside = outside_links.find_outside_link(root, tree_folders.CONFIG)
    if outside and outside[0] != tree_folders.CONFIG:
        return None
    content = read_inside(root, tree_folders.CONFIG)
    if content is None and os.path.lexists(os.path.join(root, tree_folders.CONFIG)):
        raise RefusedError("broken-link", "The link leads to nothing, so nothing is read.")
    return content
