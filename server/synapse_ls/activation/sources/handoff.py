"""What another agent has left for this one: ``handoffs/handoff-*.yaml`` beside the states of workflows.

The latest that is addressed to the agent counts, whether it was taken over or not: an older one says
what was true before. All of it is what a model wrote, so it is told in short, and as its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from synapse_ls.activation.files import Files
from synapse_ls.activation.loaders import Slot, UnavailableError
from synapse_ls.activation.quoted import quoted
from synapse_ls.text.iso import instant
from synapse_ls.workspace.naming import same_id
from synapse_ls.workspace.stamps import take

DECISIONS, FILES, BLOCKERS = 5, 10, 3
"""How many the format allows; the others are counted."""

LOOKED_AT = 50
"""Hand-offs that are looked at, those that changed last; the framework keeps three."""

_SAID = ("last_command", "story", "story_status", "task", "branch", "next_action")
_FOLDER = "handoffs"
_SUFFIXES = (".yaml", ".yml")
_EPOCH = {10: 1, 13: 1000}  # digits of a number of seconds, or of milliseconds
_TIME = re.compile(r"(\d{4}-?\d\d-?\d\d)(?:[T_-](\d\d)[:_-]?(\d\d)(?:[:_-]?(\d\d))?)?")
_NAME = re.compile(r"handoff-(.+?)-to-(.+?)(?:-(\d[\dTtZz.:_-]*))?\.ya?ml")


@dataclass(frozen=True, slots=True)
class HandedOver:
    """A hand-off. ``at``: when it was written, ISO 8601, "" where that is not known. ``consumed``:
    whether somebody has taken it over. ``last_command``: what its agent did last. ``left_out``: how
    many decisions, files and blockers there are beyond those that the format allows.
    """

    path: str
    from_agent: str
    to_agent: str
    at: str = ""
    consumed: bool = False
    last_command: str = ""
    story: str = ""
    story_status: str = ""
    task: str = ""
    branch: str = ""
    decisions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    next_action: str = ""
    left_out: int = 0

    def report(self) -> dict[str, Any]:
        """It as plain values."""
        told = {name: getattr(self, name) for name in self.__slots__ if name != "path"}
        plain = {name: list(v) if isinstance(v, tuple) else v for name, v in told.items()}
        return {"file": self.path, **{n: None if v == "" else v for n, v in plain.items()}}


def load(files: Files, agent: str, slot: Slot) -> None:
    """The latest hand-off to ``agent``, if there is one."""
    slot.put(latest(files, agent, slot.notes))


def latest(files: Files, agent: str, notes: list[str] | None = None) -> HandedOver | None:
    """The latest hand-off to ``agent``; notes get a sentence for each one that was not read."""
    best: tuple[float, HandedOver] | None = None
    for changed, path in _changed_last(files) if agent else ():
        try:
            row = files.made("handoff", path, _plain)
        except UnavailableError as error:
            if notes is not None:
                notes.append(str(error))
            continue
        found = _handed_over(path, row) if row is not None else None
        if found is None or not same_id(found.to_agent, agent):
            continue
        written = _moment(found.at) or changed
        if best is None or written > best[0]:
            best = (written, found)
    return best[1] if best else None


def _changed_last(files: Files) -> Iterator[tuple[float, str]]:
    stamps = (
        (take(files.path(path)), path)
        for path in files.listed("states", _SUFFIXES)
        if path.split("/")[-2] == _FOLDER and path.rpartition("/")[2].startswith("handoff-")
    )
    found = sorted(((stamp[0] / 1e9, path) for stamp, path in stamps if stamp), reverse=True)
    return iter(found[:LOOKED_AT])


def _plain(text: str) -> dict[str, Any]:
    from synapse_ls.formats.handoff_file import parse

    read = parse(text).document
    return {name: getattr(read, name) for name in read.__slots__}


def _handed_over(path: str, row: dict[str, Any]) -> HandedOver:
    """It as it is told; what the file does not say, its name does."""
    named = _NAME.fullmatch(path.rpartition("/")[2])
    sender, receiver, time = named.groups() if named else ("", "", "")
    lists = {"decisions": DECISIONS, "files": FILES, "blockers": BLOCKERS}
    at = _moment(row["at"]) or _moment(time or "")
    told: dict[str, Any] = {name: quoted(row[name]) for name in _SAID}
    told |= {name: tuple(map(quoted, row[name][:most])) for name, most in lists.items()}
    return HandedOver(
        path,
        quoted(row["from_agent"] or sender),
        quoted(row["to_agent"] or receiver),
        at=datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") if at else "",
        consumed=row["consumed"],
        left_out=sum(max(0, len(row[name]) - most) for name, most in lists.items()),
        **told,
    )


def _moment(text: str) -> float | None:
    """Seconds from 1970 to a time of ISO 8601, to one whose colons a file's name could not have, or to
    a number of seconds or milliseconds; None where ``text`` is none of these.
    """
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) in _EPOCH:
        return int(text) / _EPOCH[len(text)]
    found = _TIME.match(text)
    known = instant(text)
    if known is None and found:
        known = instant(f"{found[1]}T{found[2] or '00'}:{found[3] or '00'}:{found[4] or '00'}")
    return None if known is None else known / 1e6
