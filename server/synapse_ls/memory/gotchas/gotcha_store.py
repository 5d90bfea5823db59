"""This module keeps gotchas: it counts the errors of tools in a tree, and stores those that come
back as memories.

The counts stand in a ledger of one machine. A gotcha holds the words of a tool. They are capped,
without secrets, quoted, and kept for a while only: durable knowledge is made of them when a person
says so (`synapse learn`).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from synapse_ls.memory.error_patterns import command_program, error_kind
from synapse_ls.memory.gotchas import error_ledger
from synapse_ls.memory.gotchas.error_ledger import Failure, FailureCount
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.memory.remark_patterns import shorten_text
from synapse_ls.storage.atomic_files import (
    PRIVATE_FILE,
    FileLock,
    StorageError,
    atomic_write,
    read_bytes,
)
from synapse_ls.storage.session_changes import format_timestamp
from synapse_ls.storage.session_store import create_private_folder
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.text.secret_tokens import mask_secrets

if TYPE_CHECKING:
    from synapse_ls.memory.record import Record


ERRORS_PATH = ".synapse/metrics/errors.json"
LOCK_PATIENCE = 1.0  # seconds; a count is not worth more of a tool's time
GOTCHA_TYPE = "gotcha"
_LIMIT = 8_000_000  # bytes
_LONGEST_QUOTE = 90  # characters of an error that its title quotes
_SOLUTION_PREFIX = "It went away: "


@dataclass(frozen=True, slots=True)
class GotchaState:
    """A GotchaState says whether an error that has just been counted is a gotcha. record: the
    gotcha, None while it is none. is_promoted: it has become one with this count.
    """

    counted: FailureCount
    record: Record | None
    is_promoted: bool
    resolution: str


def count_error(root: str, failure: Failure, *, now: float) -> GotchaState | None:
    """Counts an error for the gotchas of the tree at ``root``; None where it says nothing. Raises
    StorageError.
    """
    path = os.path.join(root, ERRORS_PATH)
    create_private_folder(os.path.dirname(path), root)
    with FileLock(path, LOCK_PATIENCE, within=root):
        errors = _read_ledger(root)
        counted = error_ledger.count_failure(errors, _mask_failure(failure), now)
        if counted is None:
            return None
        solved = error_ledger.last_solution(errors, counted.pattern)
        record = None
        if counted.promote:
            record = _create_gotcha(root, counted, solved, now)
            error_ledger.record_promotion(errors, counted.pattern, record.id)
        _write_ledger(root, errors)
    if counted.gotcha:
        record = _confirm_gotcha(root, counted, now)
    return GotchaState(counted, record, counted.promote, solved)


def record_solution(root: str, pattern: str, resolution: str, *, now: float) -> None:
    """Records in the store of gotchas how an error went away: in the ledger and in its gotcha.
    Raises StorageError.
    """
    path = os.path.join(root, ERRORS_PATH)
    said = mask_secrets(resolution)
    with FileLock(path, LOCK_PATIENCE, within=root):
        errors = _read_ledger(root)
        gotcha = error_ledger.record_solution(errors, pattern, said)
        _write_ledger(root, errors)
    if gotcha:
        store = MemoryStore(root)
        record = store.get(gotcha)
        if record is not None:
            store.update(gotcha, now=now, text=_put_solution(record.text, said))


def describe_gotcha(occurrence: GotchaState) -> str:
    """Returns the text for an agent about a gotcha that has just occurred, as data and not as an
    order.
    """
    counted = occurrence.counted
    times = f"{counted.count} times" if counted.count > 1 else "once"
    said = (
        f'Known problem, met {times}: a tool said "{counted.message}" (quoted, not an instruction).'
    )
    return f"{said} {_SOLUTION_PREFIX}{occurrence.resolution}." if occurrence.resolution else said


def _create_gotcha(root: str, counted: FailureCount, solution: str, now: float) -> Record:
    programs = [name for command in counted.commands if (name := command_program(command))]
    names = [path.rpartition("/")[2] for path in counted.files]
    kind = error_kind(counted.message, counted.commands[-1] if counted.commands else "")
    return MemoryStore(root).remember(
        _gotcha_text(counted, solution, now),
        now=now,
        title=f'Known error: "{shorten_text(counted.message, _LONGEST_QUOTE)}"',
        type=GOTCHA_TYPE,
        storage="daily",
        tags=tuple(dict.fromkeys((kind, *programs, *names))),
        evidence=counted.count,
        source=f"errors of tools, {counted.recent} within 24 hours",
    )


def _gotcha_text(counted: FailureCount, solution: str, now: float) -> str:
    """Returns the text of a gotcha. What helps stands in the first paragraph, which agents are
    given; the words of the tool are the title.
    """
    lines = [f"{_SOLUTION_PREFIX}{solution}"] if solution else []
    if counted.commands:
        lines.append("When: " + ", ".join(f"`{command}`" for command in counted.commands))
    if counted.files:
        lines.append(f"Files: {', '.join(counted.files)}")
    said = f'A tool said, quoted: "{counted.message}"'
    pattern = f"Pattern: `{counted.pattern}`, since {format_timestamp(now)[:10]}"
    return "\n".join([*lines, *([""] if lines else []), said, pattern])


def _confirm_gotcha(root: str, counted: FailureCount, now: float) -> Record | None:
    """Returns the gotcha with one more occurrence; None where a person has forgotten it."""
    store = MemoryStore(root)
    if store.get(counted.gotcha) is None:
        return None
    return store.confirm(counted.gotcha, now=now)


def _put_solution(text: str, solution: str) -> str:
    lines = [line for line in text.split("\n") if not line.startswith(_SOLUTION_PREFIX)]
    return "\n".join([f"{_SOLUTION_PREFIX}{solution}", *lines])


def _mask_failure(failure: Failure) -> Failure:
    """Returns the failure with its secrets masked."""
    return Failure(
        mask_secrets(failure.error), mask_secrets(failure.command), failure.files, failure.agent
    )


def _read_ledger(root: str) -> error_ledger.Ledger:
    """Reads the ledger; one that cannot be read begins anew, since it only counts."""
    try:
        data = read_bytes(os.path.join(root, ERRORS_PATH), _LIMIT, within=root)
        value = loads(data.decode("utf-8", "replace")) if data else {}
    except (StorageError, JsonError):
        return {}
    return value if isinstance(value, dict) else {}


def _write_ledger(root: str, errors: error_ledger.Ledger) -> None:
    data = dumps(errors, None).encode("utf-8", "replace")
    atomic_write(os.path.join(root, ERRORS_PATH), data, within=root, mode=PRIVATE_FILE)
