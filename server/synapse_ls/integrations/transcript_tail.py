"""This module reads the last lines of a transcript that a client is writing, without reading the
whole file.

Transcripts grow to hundreds of megabytes, and what a hook asks of them stands near the end.
One turn may leave dozens of lines behind it, some of them very long, so nothing is assumed
about how near: the reading begins small and widens until somebody has found what they look
for.
"""

from __future__ import annotations

import os

from synapse_ls.text.fast_json import loads
from synapse_ls.workspace.regular_files import open_descriptor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final

FIRST_READ: Final = (
    16_384  # bytes of the first read, from the end; each next one is twice as long …
)
WIDEST_READ: Final = 1_048_576  # … up to this
DEEPEST_READ: Final = 8_388_608  # bytes after which an older record says nothing about now
LONGEST_LINE: Final = 4_194_304  # bytes of a line that is given; a longer one is passed over

read = os.read  # the one place where bytes come in


def file_size(path: str) -> int:
    """Returns the size of a transcript that a client is writing, in bytes, 0 where there is none."""
    try:
        return os.stat(path).st_size if path else 0
    except (OSError, ValueError):
        return 0


def lines_backward(path: str, deepest: int = DEEPEST_READ) -> Iterator[bytes]:
    """Yields the lines of a transcript from the last to the first, the empty ones left out.

    The last line may be half written. What is no regular file, or cannot be read, has no
    lines. Only the last ``deepest`` bytes are read; the line that is cut there is left out.
    """
    try:
        descriptor = open_descriptor(path)
    except OSError:
        return
    try:
        size = os.fstat(descriptor).st_size
        yield from _split_backward(descriptor, size, max(0, size - deepest))
    except OSError:
        return
    finally:
        os.close(descriptor)


def _split_backward(descriptor: int, start: int, stop: int) -> Iterator[bytes]:
    step = FIRST_READ
    behind: list[bytes] = []  # the pieces of the line that begins further up, the last piece first
    length = 0
    while start > stop:
        step, size = min(2 * step, WIDEST_READ), min(step, start - stop)
        start -= size
        piece, *lines = _read_piece(descriptor, start, size).split(b"\n")
        if lines:
            last = lines.pop()
            if length + len(last) <= LONGEST_LINE:
                behind.append(last)
                yield from _join_pieces(behind)
            yield from filter(None, reversed(lines))
            behind, length = [], 0
        length += len(piece)
        if length > LONGEST_LINE:
            behind.clear()
        else:
            behind.append(piece)
    if start == 0:
        yield from _join_pieces(behind)


def _join_pieces(pieces: list[bytes]) -> Iterator[bytes]:
    if line := b"".join(reversed(pieces)):
        yield line


def _read_piece(descriptor: int, start: int, size: int) -> bytes:
    """Returns ``size`` bytes from ``start``, fewer where the file has been cut meanwhile."""
    os.lseek(descriptor, start, os.SEEK_SET)
    data = read(descriptor, size)
    while len(data) < size and (more := read(descriptor, size - len(data))):
        data += more
    return data


def parse_record(line: bytes) -> dict[str, Any]:
    """Returns the record that a line at the tail of a transcript holds; an empty one where it holds
    anything else.
    """
    try:
        value = loads(line.decode("utf-8", "replace"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def inner_object(holder: object, *names: str) -> dict[str, Any]:
    """Returns the object inside a record at the tail of a transcript under ``names``, one within
    the other; empty where there is none.
    """
    for name in names:
        holder = holder.get(name) if isinstance(holder, dict) else None
    return holder if isinstance(holder, dict) else {}


def token_count(value: object) -> int:
    """Returns a value at the tail of a transcript as a number of tokens: 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
