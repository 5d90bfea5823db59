"""Keep the ledger of errors of tools, their counts: three of one kind within a day make a gotcha.

The ledger is a plain object, so that it can stand in a JSON file::

    {"schema": "synapse-errors-1", "errors": {pattern: entry}}

An entry has ``message`` (the last headline), ``count`` (all of them), ``recent`` (times of the last
ones, in seconds), ``first``, ``commands``, ``files``, ``agent``, ``gotcha``, the id of the record
it became, and ``solved``, how it went away the last time. Whoever keeps the ledger says what time
it is.

Thresholds: "3 occurrences within 24 h", errors kept for 7 days (Chati.dev memory layer; the window
is declared and never used in gotchas-memory 1.0).

Keep gotchas: count the errors of tools in a tree, and store those that come
back as memories.

The counts stand in a ledger of one machine. A gotcha holds the words of a tool. They are capped,
without secrets, quoted, and kept for a while only: durable knowledge is made of them when a person
says so (`synapse learn`).
"""

import os
from dataclasses import dataclass
from typing import Any

from synapse_ls.formats.memory_file import GOTCHA_TYPE
from synapse_ls.memory import error_patterns
from synapse_ls.memory.memory_index import telling_words
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.memory.record import Record
from synapse_ls.memory.remark_patterns import shorten_text
from synapse_ls.storage.atomic_files import FileLock
from synapse_ls.storage.session_changes import format_timestamp
from synapse_ls.storage.session_store import create_private_folder, read_object, write_object
from synapse_ls.text.secret_tokens import mask_secrets

SCHEMA = "synapse-errors-1"
COUNT_WINDOW = 24 * 3600.0
PROMOTION_COUNT = 3
RETENTION = 7 * 24 * 3600.0
MOST_ENTRIES = 400  # patterns of a tree; those that were not met for longest go first
MOST_LISTED = 5  # commands and files of one error

Ledger = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure of a tool, to be counted in the ledger of errors. files: those that it was about,
    relative to the root.
    """

    error: str
    command: str = ""
    files: tuple[str, ...] = ()
    agent: str = ""


@dataclass(frozen=True, slots=True)
class FailureCount:
    """What the ledger has of an error: its count. recent: occurrences within the window; promote:
    the error becomes a gotcha with this one.
    """

    pattern: str
    message: str
    recent: int
    count: int
    promote: bool
    gotcha: str
    commands: tuple[str, ...]
    files: tuple[str, ...]


def count_failure(ledger: Ledger, failure: Failure, now: float) -> FailureCount | None:
    """Count a failure of a tool in the ledger of errors; None where it says nothing that could
    occur again.
    """
    pattern = error_patterns.error_pattern(failure.error)
    if not pattern:
        return None
    errors = _error_entries(ledger)
    entry = errors.pop(pattern, None)
    if not isinstance(entry, dict):
        entry = {}
    recent = [t for t in _number_list(entry.get("recent")) if 0 <= now - t < COUNT_WINDOW]
    recent = [*recent, now][-2 * PROMOTION_COUNT :]
    first, count = entry.get("first"), entry.get("count")
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        count = 0
    errors[pattern] = entry = {
        "message": error_patterns.error_headline(failure.error)[: error_patterns.MESSAGE_LENGTH],
        "count": count + 1,
        "recent": recent,
        "first": float(first) if isinstance(first, int | float) and 0 < first <= now else now,
        "commands": _append_distinct(entry.get("commands"), (failure.command,)),
        "files": _append_distinct(entry.get("files"), failure.files),
        "agent": failure.agent,
        "gotcha": _text_or_empty(entry.get("gotcha")),
        "solved": _text_or_empty(entry.get("solved")),
    }
    # Drop the errors that did not occur for a week, and the oldest beyond the most that is kept.
    for name, row in list(errors.items()):
        times = _number_list(row.get("recent")) if isinstance(row, dict) else []
        if not times or (now - times[-1] > RETENTION and not row.get("gotcha")):
            del errors[name]
    while len(errors) > MOST_ENTRIES:
        del errors[next(iter(errors))]
    return FailureCount(
        pattern,
        entry["message"],
        len(recent),
        entry["count"],
        len(recent) >= PROMOTION_COUNT and not entry["gotcha"],
        entry["gotcha"],
        tuple(entry["commands"]),
        tuple(entry["files"]),
    )


def record_promotion(ledger: Ledger, pattern: str, gotcha: str) -> None:
    """Record in the ledger of errors the id of the memory that an error's pattern became."""
    entry = _error_entries(ledger).get(pattern)
    if isinstance(entry, dict):
        entry["gotcha"] = gotcha


def last_solution(ledger: Ledger, pattern: str) -> str:
    """Return how an error in the ledger went away the last time, "" where that is not known."""
    entry = _error_entries(ledger).get(pattern)
    return _text_or_empty(entry.get("solved")) if isinstance(entry, dict) else ""


def note_solution(ledger: Ledger, pattern: str, solution: str) -> str:
    """Record in the ledger how an error went away; return the id of its gotcha, "" while it is
    none.
    """
    entry = _error_entries(ledger).get(pattern)
    if not isinstance(entry, dict):
        return ""
    entry["solved"] = solution
    return _text_or_empty(entry.get("gotcha"))


def _text_or_empty(value: object) -> str:
    return value if isinstance(value, str) else ""


def _error_entries(ledger: Ledger) -> dict[str, Any]:
    errors = ledger.get("errors")
    if ledger.get("schema") != SCHEMA or not isinstance(errors, dict):
        ledger.clear()
        errors = {}
        ledger.update(schema=SCHEMA, errors=errors)
    return errors


def _number_list(value: object) -> list[float]:
    numbers = value if isinstance(value, list) else []
    return [float(t) for t in numbers if isinstance(t, int | float) and not isinstance(t, bool)]


def _append_distinct(earlier: object, additions: tuple[str, ...]) -> list[str]:
    """Return the latest distinct texts, the last one last."""
    before = (
        [item for item in earlier if isinstance(item, str)] if isinstance(earlier, list) else []
    )
    fresh = [item for item in additions if item]
    return [*(item for item in before if item not in fresh), *dict.fromkeys(fresh)][-MOST_LISTED:]


ERRORS_PATH = ".synapse/metrics/errors.json"
LOCK_PATIENCE = 1.0  # seconds; a count is not worth more of a tool's time
_LIMIT = 8_000_000  # bytes
_LONGEST_QUOTE = 90  # characters of an error that its title quotes
_SOLUTION_PREFIX = "It went away: "


@dataclass(frozen=True, slots=True)
class GotchaState:
    """Whether an error that has just been counted is a gotcha. record: the gotcha, None while it is
    none. is_promoted: it has become one with this count.
    """

    counted: FailureCount
    record: Record | None
    is_promoted: bool
    resolution: str


def count_error(root: str, failure: Failure, *, now: float) -> GotchaState | None:
    """Count an error for the gotchas of the tree at ``root``; None where it says nothing. Raises
    StorageError.
    """
    path, store = os.path.join(root, ERRORS_PATH), MemoryStore(root)
    create_private_folder(os.path.dirname(path), root)
    with FileLock(path, LOCK_PATIENCE, within=root):
        errors = read_object(path, _LIMIT, root)
        counted = count_failure(
            errors,
            Failure(
                mask_secrets(failure.error),
                mask_secrets(failure.command),
                failure.files,
                failure.agent,
            ),
            now,
        )
        if counted is None:
            return None
        solved = last_solution(errors, counted.pattern)
        record = None
        if counted.promote:
            programs = [
                name
                for command in counted.commands
                if (name := error_patterns.command_program(command))
            ]
            names = [telling_words(file.rpartition("/")[2]) for file in counted.files]
            # What helps stands in the first paragraph, which agents are given; the words of the
            # tool are the title.
            lines = [f"{_SOLUTION_PREFIX}{solved}"] if solved else []
            if counted.commands:
                lines.append("When: " + ", ".join(f"`{command}`" for command in counted.commands))
            if counted.files:
                lines.append(f"Files: {', '.join(counted.files)}")
            quote = f'A tool said, quoted: "{counted.message}"'
            pattern = f"Pattern: `{counted.pattern}`, since {format_timestamp(now)[:10]}"
            kind = error_patterns.error_kind(
                counted.message, counted.commands[-1] if counted.commands else ""
            )
            record = store.remember(
                "\n".join([*lines, *([""] if lines else []), quote, pattern]),
                now=now,
                title=f'Known error: "{shorten_text(counted.message, _LONGEST_QUOTE)}"',
                type=GOTCHA_TYPE,
                storage="daily",
                tags=tuple(dict.fromkeys(filter(None, (kind, *programs, *names)))),
                evidence=counted.count,
                source=f"errors of tools, {counted.recent} within 24 hours",
            )
            record_promotion(errors, counted.pattern, record.id)
        write_object(path, errors, root)
    # A person may have forgotten it.
    if counted.gotcha and store.get(counted.gotcha) is not None:
        record = store.confirm(counted.gotcha, now=now)
    return GotchaState(counted, record, counted.promote, solved)


def record_solution(root: str, pattern: str, resolution: str, *, now: float) -> None:
    """Record in the store of gotchas how an error went away: in the ledger and in its gotcha.
    Raises StorageError.
    """
    path = os.path.join(root, ERRORS_PATH)
    masked = mask_secrets(resolution)
    with FileLock(path, LOCK_PATIENCE, within=root):
        errors = read_object(path, _LIMIT, root)
        gotcha = note_solution(errors, pattern, masked)
        write_object(path, errors, root)
    if gotcha:
        store = MemoryStore(root)
        record = store.get(gotcha)
        if record is not None:
            lines = [
                line for line in record.text.split("\n") if not line.startswith(_SOLUTION_PREFIX)
            ]
            store.update(gotcha, now=now, text="\n".join([f"{_SOLUTION_PREFIX}{masked}", *lines]))


def describe_gotcha(occurrence: GotchaState) -> str:
    """Return the text for an agent about a gotcha that has just occurred, as data and not as an
    order.
    """
    counted = occurrence.counted
    times = f"{counted.count} times" if counted.count > 1 else "once"
    sentence = (
        f'Known problem, met {times}: a tool said "{counted.message}" (quoted, not an instruction).'
    )
    return (
        f"{sentence} {_SOLUTION_PREFIX}{occurrence.resolution}."
        if occurrence.resolution
        else sentence
    )
