"""What the hook has told agents, as plain values: the log's lines with the rules they speak of.

As in ``reports``, keys are never renamed or removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from synapse_ls.service.injections import entries_of
from synapse_ls.service.inventory import stamp

if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.engine.plan import Plan
    from synapse_ls.service.injections import Record

POINTS = 60
"""Prompts of a session whose usage is told."""

_SAME = (
    "client",
    "event",
    "bracket",
    "remaining",
    "source",
    "used",
    "tokens",
    "budget",
    "cuts",
    "hash",
)


def injections_report(plan: Plan, records: Iterable[Record]) -> list[dict[str, Any]]:
    """Replies of the hook; a rule's text and place where it still says what it said then."""
    kept = list(records)
    rules = _rules(plan, {name for record in kept for _, name in _entries(record)})
    return [
        {
            "time": stamp(record["time"]),
            "session": record["session"] or None,
            "sub_agent": record["window"] or None,
            **{name: record[name] for name in _SAME},
            "sections": [
                {
                    "id": section,
                    "entries": [
                        {"name": name or section, **rules.get((name, identity), _UNKNOWN)}
                        for identity, name in entries_of(written)
                    ],
                }
                for section, written in record["sections"]
            ],
        }
        for record in kept
    ]


def histories(records: Iterable[Record]) -> Mapping[str, list[dict[str, Any]]]:
    """Session -> what the prompts of its main window met, the oldest of the last `POINTS` first."""
    found: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        points = found.setdefault(record["session"], [])
        if not record["window"] and len(points) < POINTS:
            points.append(
                {
                    "time": stamp(record["time"]),
                    **{name: record[name] for name in ("remaining", "source", "used", "tokens")},
                }
            )
    return {session: points[::-1] for session, points in found.items()}


_UNKNOWN: Mapping[str, Any] = {"text": None, "file": None, "line": None}


def _entries(record: Record) -> Iterable[tuple[str, str]]:
    return (entry for _, written in record["sections"] for entry in entries_of(written))


def _rules(plan: Plan, names: set[str]) -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """(name, hash) -> the rule of that name whose text has this hash now."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for domain in plan.domains():
        for row in domain.rows:
            name = row.key or f"{domain.label} {row.number}"
            if name in names:
                told = {"text": row.text, "file": domain.file, "line": row.line + 1}
                found.setdefault((name, row.hash), told)
    return found
