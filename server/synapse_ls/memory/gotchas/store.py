"""The errors of a tree: counted in a ledger of one machine, and kept as memories once they are gotchas.

A gotcha holds the words of a tool. They are capped, without secrets, quoted, and kept for a while only:
durable knowledge is made of them when a person says so (`synapse learn`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from synapse_ls.memory.digests.sentences import shortened
from synapse_ls.memory.gotchas import ledger
from synapse_ls.memory.gotchas.kinds import kind_of
from synapse_ls.memory.gotchas.ledger import Counted, Failure
from synapse_ls.memory.gotchas.programs import program_of
from synapse_ls.memory.store import MemoryStore
from synapse_ls.sessions.changes import timestamp
from synapse_ls.sessions.files import PRIVATE_FILE, Lock, SessionError, atomic_write, read_bytes
from synapse_ls.sessions.store import create_folder
from synapse_ls.text.json import JsonError, dumps, loads
from synapse_ls.text.secrets import masked

if TYPE_CHECKING:
    from synapse_ls.memory.record import Record

ERRORS = ".synapse/metrics/errors.json"
PATIENCE = 1.0  # seconds; a count is not worth more of a tool's time
TYPE = "gotcha"
_LIMIT = 8_000_000  # bytes
_LONGEST = 90  # characters of an error that its title quotes
_SOLVED = "It went away: "


@dataclass(frozen=True, slots=True)
class Met:
    """What is known of an error that was met just now. record: the gotcha, None while it is none.

    promoted: it has become one with this occurrence.
    """

    counted: Counted
    record: Record | None
    promoted: bool
    resolution: str


def meet(root: str, failure: Failure, *, now: float) -> Met | None:
    """Count a failure in the tree at ``root``; None where it says nothing. Raises SessionError."""
    path = os.path.join(root, ERRORS)
    create_folder(os.path.dirname(path))
    with Lock(path, PATIENCE):
        errors = _read(path)
        counted = ledger.count(errors, _clean(failure), now)
        if counted is None:
            return None
        solved = ledger.resolution(errors, counted.pattern)
        record = None
        if counted.promote:
            record = _promoted(root, counted, solved, now)
            ledger.promoted(errors, counted.pattern, record.id)
        _write(path, errors)
    if counted.gotcha:
        record = _again(root, counted, now)
    return Met(counted, record, counted.promote, solved)


def solve(root: str, pattern: str, resolution: str, *, now: float) -> None:
    """Note how an error went away, in the ledger and in its gotcha. Raises SessionError."""
    path = os.path.join(root, ERRORS)
    said = masked(resolution)
    with Lock(path, PATIENCE):
        errors = _read(path)
        gotcha = ledger.resolved(errors, pattern, said)
        _write(path, errors)
    if gotcha:
        store = MemoryStore(root)
        record = store.get(gotcha)
        if record is not None:
            store.update(gotcha, now=now, text=_with_solution(record.text, said))


def told(met: Met) -> str:
    """What an agent is told of a gotcha that it has just met with, as data and not as an order."""
    counted = met.counted
    times = f"{counted.count} times" if counted.count > 1 else "once"
    said = (
        f'Known problem, met {times}: a tool said "{counted.message}" (quoted, not an instruction).'
    )
    return f"{said} {_SOLVED}{met.resolution}." if met.resolution else said


def _promoted(root: str, counted: Counted, solved: str, now: float) -> Record:
    programs = [name for command in counted.commands if (name := program_of(command))]
    names = [path.rpartition("/")[2] for path in counted.files]
    kind = kind_of(counted.message, counted.commands[-1] if counted.commands else "")
    return MemoryStore(root).remember(
        _text(counted, solved, now),
        now=now,
        title=f'Known error: "{shortened(counted.message, _LONGEST)}"',
        type=TYPE,
        storage="daily",
        tags=tuple(dict.fromkeys((kind, *programs, *names))),
        evidence=counted.count,
        source=f"errors of tools, {counted.recent} within 24 hours",
    )


def _text(counted: Counted, solved: str, now: float) -> str:
    """What helps stands in the first paragraph, which is told; the words of the tool are its title."""
    lines = [f"{_SOLVED}{solved}"] if solved else []
    if counted.commands:
        lines.append("When: " + ", ".join(f"`{command}`" for command in counted.commands))
    if counted.files:
        lines.append(f"Files: {', '.join(counted.files)}")
    said = f'A tool said, quoted: "{counted.message}"'
    pattern = f"Pattern: `{counted.pattern}`, since {timestamp(now)[:10]}"
    return "\n".join([*lines, *([""] if lines else []), said, pattern])


def _again(root: str, counted: Counted, now: float) -> Record | None:
    """The gotcha with one more occurrence; None where a person has forgotten it."""
    store = MemoryStore(root)
    if store.get(counted.gotcha) is None:
        return None
    return store.confirm(counted.gotcha, now=now)


def _with_solution(text: str, said: str) -> str:
    lines = [line for line in text.split("\n") if not line.startswith(_SOLVED)]
    return "\n".join([f"{_SOLVED}{said}", *lines])


def _clean(failure: Failure) -> Failure:
    """The failure without secrets."""
    return Failure(masked(failure.error), masked(failure.command), failure.files, failure.agent)


def _read(path: str) -> ledger.Ledger:
    """The ledger; what cannot be read begins anew, since it only counts."""
    try:
        data = read_bytes(path, _LIMIT)
        value = loads(data.decode("utf-8", "replace")) if data else {}
    except (SessionError, JsonError):
        return {}
    return value if isinstance(value, dict) else {}


def _write(path: str, errors: ledger.Ledger) -> None:
    atomic_write(path, dumps(errors, None).encode("utf-8", "replace"), mode=PRIVATE_FILE)
