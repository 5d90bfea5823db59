"""Counting errors: three of one kind within a day make a gotcha.

The ledger is a plain object, so that it can stand in a JSON file::

    {"schema": "synapse-errors-1", "errors": {pattern: entry}}

An entry has ``message`` (the last headline), ``count`` (all of them), ``recent`` (times of the last
ones, in seconds), ``first``, ``commands``, ``files``, ``agent``, ``gotcha``, the id of the record it
became, and ``solved``, how it went away the last time. Whoever keeps the ledger says what time it is.

Thresholds: "3 occurrences within 24 h", errors kept for 7 days (Chati.dev memory layer; the window is
declared and never used in gotchas-memory 1.0).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from synapse_ls.memory.gotchas.normalise import MESSAGE_LENGTH, headline, pattern_of

SCHEMA = "synapse-errors-1"
WINDOW = 24 * 3600.0
PROMOTED_AT = 3
KEPT = 7 * 24 * 3600.0
ENTRIES = 400  # patterns of a tree; those that were not met for longest go first
LISTED = 5  # commands and files of one error

Ledger = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure of a tool. files: those that it was about, relative to the root."""

    error: str
    command: str = ""
    files: tuple[str, ...] = ()
    agent: str = ""


@dataclass(frozen=True, slots=True)
class Counted:
    """What became of a failure. recent: occurrences within the window; promote: it is a gotcha now."""

    pattern: str
    message: str
    recent: int
    count: int
    promote: bool
    gotcha: str
    commands: tuple[str, ...]
    files: tuple[str, ...]


def count(ledger: Ledger, failure: Failure, now: float) -> Counted | None:
    """Take a failure into ``ledger``; None where it says nothing that could be met again."""
    pattern = pattern_of(failure.error)
    if not pattern:
        return None
    errors = _errors(ledger)
    entry = errors.pop(pattern, None)
    if not isinstance(entry, dict):
        entry = {}
    recent = [t for t in _numbers(entry.get("recent")) if 0 <= now - t < WINDOW]
    recent = [*recent, now][-2 * PROMOTED_AT :]
    errors[pattern] = entry = {
        "message": headline(failure.error)[:MESSAGE_LENGTH],
        "count": _whole(entry.get("count")) + 1,
        "recent": recent,
        "first": _first(entry, now),
        "commands": _with(entry.get("commands"), (failure.command,)),
        "files": _with(entry.get("files"), failure.files),
        "agent": failure.agent,
        "gotcha": _text(entry.get("gotcha")),
        "solved": _text(entry.get("solved")),
    }
    _forget(errors, now)
    return Counted(
        pattern,
        entry["message"],
        len(recent),
        entry["count"],
        len(recent) >= PROMOTED_AT and not entry["gotcha"],
        entry["gotcha"],
        tuple(entry["commands"]),
        tuple(entry["files"]),
    )


def promoted(ledger: Ledger, pattern: str, gotcha: str) -> None:
    """Note the record that a pattern became."""
    entry = _errors(ledger).get(pattern)
    if isinstance(entry, dict):
        entry["gotcha"] = gotcha


def resolution(ledger: Ledger, pattern: str) -> str:
    """How an error went away the last time, "" for not known."""
    entry = _errors(ledger).get(pattern)
    return _text(entry.get("solved")) if isinstance(entry, dict) else ""


def resolved(ledger: Ledger, pattern: str, said: str) -> str:
    """Note how an error went away; the id of its gotcha, "" while it is none."""
    entry = _errors(ledger).get(pattern)
    if not isinstance(entry, dict):
        return ""
    entry["solved"] = said
    return _text(entry.get("gotcha"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _errors(ledger: Ledger) -> dict[str, Any]:
    errors = ledger.get("errors")
    if ledger.get("schema") != SCHEMA or not isinstance(errors, dict):
        ledger.clear()
        errors = {}
        ledger.update(schema=SCHEMA, errors=errors)
    return errors


def _forget(errors: dict[str, Any], now: float) -> None:
    """Drop what was not met for a week, and the oldest beyond what is kept."""
    for pattern in list(errors):
        entry = errors[pattern]
        recent = _numbers(entry.get("recent")) if isinstance(entry, dict) else []
        if not recent or (now - recent[-1] > KEPT and not entry.get("gotcha")):
            del errors[pattern]
    while len(errors) > ENTRIES:
        del errors[next(iter(errors))]


def _first(entry: dict[str, Any], now: float) -> float:
    first = entry.get("first")
    return float(first) if isinstance(first, int | float) and 0 < first <= now else now


def _numbers(value: object) -> list[float]:
    found = value if isinstance(value, list) else []
    return [float(t) for t in found if isinstance(t, int | float) and not isinstance(t, bool)]


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _with(known: object, new: tuple[str, ...]) -> list[str]:
    """The latest distinct texts, the last one last."""
    before = [item for item in known if isinstance(item, str)] if isinstance(known, list) else []
    fresh = [item for item in new if item]
    return [*(item for item in before if item not in fresh), *dict.fromkeys(fresh)][-LISTED:]
