"""This module keeps the ledger of errors of tools, their counts: three of one kind within a day
make a gotcha.

The ledger is a plain object, so that it can stand in a JSON file::

    {"schema": "synapse-errors-1", "errors": {pattern: entry}}

An entry has ``message`` (the last headline), ``count`` (all of them), ``recent`` (times of the last
ones, in seconds), ``first``, ``commands``, ``files``, ``agent``, ``gotcha``, the id of the record
it became, and ``solved``, how it went away the last time. Whoever keeps the ledger says what time
it is.

Thresholds: "3 occurrences within 24 h", errors kept for 7 days (Chati.dev memory layer; the window
is declared and never used in gotchas-memory 1.0).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from synapse_ls.memory.error_patterns import MESSAGE_LENGTH, error_headline, error_pattern

SCHEMA = "synapse-errors-1"
COUNT_WINDOW = 24 * 3600.0
PROMOTION_COUNT = 3
RETENTION = 7 * 24 * 3600.0
MOST_ENTRIES = 400  # patterns of a tree; those that were not met for longest go first
MOST_LISTED = 5  # commands and files of one error

Ledger = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """A Failure is one failure of a tool, to be counted in the ledger of errors. files: those that
    it was about, relative to the root.
    """

    error: str
    command: str = ""
    files: tuple[str, ...] = ()
    agent: str = ""


@dataclass(frozen=True, slots=True)
class FailureCount:
    """A FailureCount is what the ledger has of an error: its count. recent: occurrences within the
    window; promote: the error becomes a gotcha with this one.
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
    """Counts a failure of a tool in the ledger of errors; None where it says nothing that could
    occur again.
    """
    pattern = error_pattern(failure.error)
    if not pattern:
        return None
    errors = _error_entries(ledger)
    entry = errors.pop(pattern, None)
    if not isinstance(entry, dict):
        entry = {}
    recent = [t for t in _number_list(entry.get("recent")) if 0 <= now - t < COUNT_WINDOW]
    recent = [*recent, now][-2 * PROMOTION_COUNT :]
    errors[pattern] = entry = {
        "message": error_headline(failure.error)[:MESSAGE_LENGTH],
        "count": _positive_count(entry.get("count")) + 1,
        "recent": recent,
        "first": _first_time(entry, now),
        "commands": _append_distinct(entry.get("commands"), (failure.command,)),
        "files": _append_distinct(entry.get("files"), failure.files),
        "agent": failure.agent,
        "gotcha": _text_or_empty(entry.get("gotcha")),
        "solved": _text_or_empty(entry.get("solved")),
    }
    _drop_old_errors(errors, now)
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
    """Records in the ledger of errors the id of the memory that an error's pattern became."""
    entry = _error_entries(ledger).get(pattern)
    if isinstance(entry, dict):
        entry["gotcha"] = gotcha


def last_solution(ledger: Ledger, pattern: str) -> str:
    """Returns how an error in the ledger went away the last time, "" where that is not known."""
    entry = _error_entries(ledger).get(pattern)
    return _text_or_empty(entry.get("solved")) if isinstance(entry, dict) else ""


def record_solution(ledger: Ledger, pattern: str, solution: str) -> str:
    """Records in the ledger how an error went away; returns the id of its gotcha, "" while it is
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


def _drop_old_errors(errors: dict[str, Any], now: float) -> None:
    """Drops the errors that did not occur for a week, and the oldest beyond the most that is kept."""
    for pattern in list(errors):
        entry = errors[pattern]
        recent = _number_list(entry.get("recent")) if isinstance(entry, dict) else []
        if not recent or (now - recent[-1] > RETENTION and not entry.get("gotcha")):
            del errors[pattern]
    while len(errors) > MOST_ENTRIES:
        del errors[next(iter(errors))]


def _first_time(entry: dict[str, Any], now: float) -> float:
    first = entry.get("first")
    return float(first) if isinstance(first, int | float) and 0 < first <= now else now


def _number_list(value: object) -> list[float]:
    found = value if isinstance(value, list) else []
    return [float(t) for t in found if isinstance(t, int | float) and not isinstance(t, bool)]


def _positive_count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _append_distinct(earlier: object, additions: tuple[str, ...]) -> list[str]:
    """Returns the latest distinct texts, the last one last."""
    before = (
        [item for item in earlier if isinstance(item, str)] if isinstance(earlier, list) else []
    )
    fresh = [item for item in additions if item]
    return [*(item for item in before if item not in fresh), *dict.fromkeys(fresh)][-MOST_LISTED:]
