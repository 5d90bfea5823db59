"""The last lines of a file that another program is writing, without reading the file.

Transcripts grow to hundreds of megabytes, and what a hook asks of them stands near the end. One
turn may leave dozens of lines behind it, some of them very long, so nothing is assumed about how
near: the reading begins small and widens until somebody has found what they look for.
"""

from __future__ import annotations

import os
from stat import S_ISREG

from synapse_ls.text.json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final

FIRST: Final = 65_536  # bytes of the first read, from the end; each next one is twice as long …
WIDEST: Final = 1_048_576  # … up to this
DEEPEST: Final = 8_388_608  # bytes after which an older record says nothing about now
LONGEST: Final = 4_194_304  # bytes of a line that is given; a longer one is passed over

_FLAGS: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)

read = os.read  # the one place where bytes come in


def lines_backward(path: str, deepest: int = DEEPEST) -> Iterator[bytes]:
    """The lines of a file from the last to the first, the empty ones left out.

    The last line may be half written. What is no regular file, or cannot be read, has no lines;
    ``deepest`` bytes before its end a file begins, and so the line that is cut there is left out.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return
    try:
        status = os.fstat(descriptor)
        if S_ISREG(status.st_mode):
            yield from _backward(descriptor, status.st_size, max(0, status.st_size - deepest))
    except OSError:
        return
    finally:
        os.close(descriptor)


def _backward(descriptor: int, start: int, stop: int) -> Iterator[bytes]:
    step = FIRST
    behind: list[bytes] = []  # the pieces of the line that begins further up, the last piece first
    length = 0
    while start > stop:
        step, size = min(2 * step, WIDEST), min(step, start - stop)
        start -= size
        piece, *lines = _read(descriptor, start, size).split(b"\n")
        if lines:
            last = lines.pop()
            if length + len(last) <= LONGEST:
                behind.append(last)
                yield from _line(behind)
            yield from filter(None, reversed(lines))
            behind, length = [], 0
        length += len(piece)
        if length > LONGEST:
            behind.clear()
        else:
            behind.append(piece)
    if start == 0:
        yield from _line(behind)


def _line(pieces: list[bytes]) -> Iterator[bytes]:
    if line := b"".join(reversed(pieces)):
        yield line


def _read(descriptor: int, start: int, size: int) -> bytes:
    """``size`` bytes from ``start``, fewer where the file has been cut meanwhile."""
    os.lseek(descriptor, start, os.SEEK_SET)
    data = read(descriptor, size)
    while len(data) < size and (more := read(descriptor, size - len(data))):
        data += more
    return data


def record(line: bytes) -> dict[str, Any]:
    """The object that ``line`` holds; an empty one where it holds anything else."""
    try:
        value = loads(line.decode("utf-8", "replace"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def table(holder: object, *names: str) -> dict[str, Any]:
    """The object inside ``holder`` under ``names``, one within the other; empty where there is none."""
    for name in names:
        holder = holder.get(name) if isinstance(holder, dict) else None
    return holder if isinstance(holder, dict) else {}


def count(value: object) -> int:
    """``value`` as a number of tokens: 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
