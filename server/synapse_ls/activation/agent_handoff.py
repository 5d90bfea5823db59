"""Load the hand-off that another agent left for this one, ``handoffs/handoff-*.yaml``.

The latest one that is addressed to the agent counts, consumed or not. A model wrote it, so every
text of it is shortened and quoted.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from synapse_ls.activation.activation_files import TreeFiles, quote_line
from synapse_ls.activation.loader_runner import UnavailableError
from synapse_ls.formats.handoff_file import FILE_NAME, HandOff, parse
from synapse_ls.text.iso_time import parse_instant
from synapse_ls.workspace.naming_conventions import is_same_id
from synapse_ls.workspace.regular_files import take_stamp

# How many the format allows; the others are counted.
DECISIONS, FILES, BLOCKERS = 5, 10, 3

# Hand-offs that are looked at, those that changed last; the framework keeps three.
MOST_EXAMINED = 50

_TEXT_FIELDS = ("last_command", "story", "story_status", "task", "branch", "next_action")
_EPOCH_DIGITS = {10: 1, 13: 1000}  # digits of a number of seconds, or of milliseconds
_TIME = re.compile(r"(\d{4}-?\d\d-?\d\d)(?:[T_-](\d\d)[:_-]?(\d\d)(?:[:_-]?(\d\d))?)?")


@dataclass(frozen=True, slots=True)
class AgentHandoff(HandOff):
    """What one agent left for another, as it is shown: each text on one line. ``at`` is ISO 8601,
    "" where the time is not known. ``left_out``: how many decisions, files and blockers there are
    beyond those that the format allows.
    """

    path: str = ""
    left_out: int = 0


def latest_handoff(
    files: TreeFiles, agent: str, notes: list[str] | None = None
) -> AgentHandoff | None:
    """Return the latest hand-off to ``agent``; notes get a sentence for each one that was not
    read.
    """
    handoffs: list[tuple[float, AgentHandoff]] = []
    stamps = ((take_stamp(files.full_path(path)), path) for path in files.iter_handoffs())
    recent = sorted(((stamp[0] / 1e9, path) for stamp, path in stamps if stamp), reverse=True)
    for changed, path in recent[:MOST_EXAMINED] if agent else ():
        try:
            document = files.parse_file("handoff", path, lambda text: parse(text).document, HandOff)
        except UnavailableError as error:
            if notes is not None:
                notes.append(str(error))
            continue
        handoff = _build_handoff(path, document) if document is not None else None
        if handoff is not None and is_same_id(handoff.to_agent, agent):
            handoffs.append((_parse_moment(handoff.at) or changed, handoff))
    return max(handoffs, key=lambda handoff: handoff[0])[1] if handoffs else None


def _build_handoff(path: str, document: HandOff) -> AgentHandoff:
    """Return the hand-off as it is shown; what the file does not say, its name does."""
    named = FILE_NAME.fullmatch(path.rpartition("/")[2])
    sender, receiver, time = named.groups() if named else ("", "", "")
    lists = {"decisions": DECISIONS, "files": FILES, "blockers": BLOCKERS}
    at = _parse_moment(document.at) or _parse_moment(time or "")
    lines_by_name: dict[str, Any] = {
        name: quote_line(getattr(document, name)) for name in _TEXT_FIELDS
    }
    left_out = 0
    for name, most in lists.items():
        items = getattr(document, name)
        lines_by_name[name] = tuple(map(quote_line, items[:most]))
        left_out += max(0, len(items) - most)
    return AgentHandoff(
        path=path,
        from_agent=quote_line(document.from_agent or sender),
        to_agent=quote_line(document.to_agent or receiver),
        at=datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds") if at else "",
        consumed=document.consumed,
        left_out=left_out,
        **lines_by_name,
    )


def _parse_moment(text: str) -> float | None:
    """Return the seconds from 1970 to a time of ISO 8601, to one whose colons a file's name could
    not have, or to a number of seconds or milliseconds; None where ``text`` is none of these.
    """
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) in _EPOCH_DIGITS:
        return int(text) / _EPOCH_DIGITS[len(text)]
    match = _TIME.match(text)
    if (instant := parse_instant(text)) is None and match:
        instant = parse_instant(
            f"{match[1]}T{match[2] or '00'}:{match[3] or '00'}:{match[4] or '00'}"
        )
    return None if instant is None else instant / 1e6
