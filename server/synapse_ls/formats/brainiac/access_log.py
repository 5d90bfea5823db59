"""This module parses ``logs/access.log``: which memories were read and written, and when (Brainiac
Context Ordering).

A line is ``[time] | ACTION | path``. Lines of JSON with ``time``, ``action`` and ``path`` are read,
too: a path may then hold whatever it likes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.text.fast_json import JsonError, loads
from synapse_ls.text.iso_time import parse_instant
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.parse_result import ParseResult, Problem
from synapse_ls.text.span import Span

ACTIONS = ("READ", "WRITE", "MODIFY")


@dataclass(frozen=True, slots=True)
class MemoryAccess:
    """A MemoryAccess is one line of the access log: ``time`` as it is written, ``action`` one of
    `ACTIONS`, ``path`` with ``/``.
    """

    time: str
    action: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class AccessLog:
    """An AccessLog has the lines of the access log that can be read, in the order of the file."""

    entries: tuple[MemoryAccess, ...]


def parse(text: str) -> ParseResult[AccessLog]:
    """Parses the access log of Brainiac. Never raises. Problem kinds: ``bad-access-line``."""
    entries: list[MemoryAccess] = []
    problems: list[Problem] = []
    for number, (start, end) in enumerate(iter_lines(text)):
        line = text[start:end].strip()
        if not line:
            continue
        found = next(
            _parse_json_line(line, number) if line[0] == "{" else _parse_plain_line(line, number),
            None,
        )
        if found:
            entries.append(found)
        else:
            problems.append(
                Problem(
                    "bad-access-line",
                    Span(start, end),
                    "The line is no access to a memory, so it counts for nothing.",
                    "Write `[2026-01-31T09:30:00Z] | READ | skills/sql.md`.",
                )
            )
    return ParseResult(AccessLog(tuple(entries)), tuple(problems))


def _parse_plain_line(line: str, number: int) -> Iterator[MemoryAccess]:
    time, _, rest = line.partition(" | ")
    action, _, path = rest.partition(" | ")  # a path may have one, too
    yield from _build_access(time.strip().removeprefix("[").removesuffix("]"), action, path, number)


def _parse_json_line(line: str, number: int) -> Iterator[MemoryAccess]:
    try:
        value = loads(line)
    except JsonError:
        return
    if isinstance(value, dict):
        time, action, path = (str(value.get(key, "")) for key in ("time", "action", "path"))
        yield from _build_access(time, action, path, number)


def _build_access(time: str, action: str, path: str, number: int) -> Iterator[MemoryAccess]:
    word = action.strip().upper()
    if parse_instant(time) is not None and word in ACTIONS and path.strip():
        yield MemoryAccess(time, word, path.strip().replace("\\", "/"), number)
