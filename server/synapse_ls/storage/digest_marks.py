"""This module sets the marks of a session that a digest is due: cheap notes on the way of an event,
for who makes the digest later.

A digest is due from the moment in which a compaction is known of until it was made. So a process
that is killed in between loses nothing: the next event finds the mark.
"""

from __future__ import annotations

import os

from synapse_ls.storage.state_record import (
    COMPACTION,
    SESSION,
    TURN,
    Field,
    StateRecord,
    read_flag,
    read_mapping,
    read_optional_count,
    read_optional_number,
    read_optional_record,
    read_optional_text,
    read_text,
    read_texts,
    read_value,
    read_whole,
    types_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.engine.situation import Situation
    from synapse_ls.integrations.hook_event import Event
    from synapse_ls.storage.session_state import SessionState

    UnsolvedError = tuple[str, str, int]
    ReportedError = tuple[str, str, int, str]

MAX_TRIES: Final = 3  # times that a digest is tried to be made

COMPACTION_REASON: Final = "compact"
ENDED_REASON: Final = "ended"
CRITICAL_REASON: Final = "critical"


class DueDigest(StateRecord):
    """A DueDigest is a digest that is to be made. It outlives all but the making of it."""

    reason: str
    transcript: str
    at: float | None
    tries: int

    FIELDS = (
        # One of the reasons above, or of `digest_worker`; "".
        Field("reason", "reason", read_text),
        # The file that the conversation stands in; "".
        Field("transcript", "transcript", read_text),
        # When it became due, in seconds since 1970; None.
        Field("at", "at", read_optional_number),
        # How often somebody has tried to make it; 0.
        Field("tries", "tries", read_whole, is_always_written=True),
    )
    __slots__ = tuple(field.name for field in FIELDS)


def _read_sizes(value: object) -> tuple[int, ...]:
    sizes = value if isinstance(value, list | tuple) else ()
    return tuple(size if isinstance(size, int) and size >= 0 else 0 for size in sizes)


def _read_unsolved(value: object) -> tuple[UnsolvedError, ...]:
    rows = value if isinstance(value, list | tuple) else ()
    return tuple((r[0], r[1], r[2]) for r in rows if types_of(r) == (str, str, int))


class DigestProgress(StateRecord):
    """A DigestProgress says how far digests have read a conversation. It outlives all but the next
    digest.
    """

    transcript: str
    turns: int
    last: tuple[int, ...]
    unsolved: tuple[UnsolvedError, ...]
    at: str | None
    digest: str
    agent: str

    FIELDS = (
        # The file that the conversation stands in; "".
        Field("transcript", "transcript", read_text),
        # The turns that were read; 0.
        Field("turns", "turns", read_whole, is_always_written=True),
        # The sizes of the last turn's parts, which may have grown since; ().
        Field("last", "last", _read_sizes, is_always_written=True),
        # Message, what failed and how often of the errors that nobody had solved; ().
        Field("unsolved", "failed", _read_unsolved, is_always_written=True, is_nested=True),
        # When the last digest was made, in UTC; None.
        Field("at", "at", read_optional_text),
        # Path of its page from the root, "" where none was ever written.
        Field("digest", "digest", read_text, is_always_written=True),
        # Who was at work at the end of it; "".
        Field("agent", "agent", read_text, is_always_written=True),
    )
    __slots__ = tuple(field.name for field in FIELDS)


class FailingCommand(StateRecord):
    """A FailingCommand is what a digest needs to know of a command that has failed: what was done
    since, until it succeeds.
    """

    pattern: str | None
    at: float
    steps: tuple[str, ...]

    FIELDS = (
        # Pattern of the error; None: not known.
        Field("pattern", "pattern", read_optional_text),
        # When it failed last, in seconds since 1970; 0.
        Field("at", "at", lambda v: read_optional_number(v) or 0.0),
        # What was done since, in words; ().
        Field("steps", "done", read_texts, is_always_written=True),
    )
    __slots__ = tuple(field.name for field in FIELDS)


class AgentScore(StateRecord):
    """An AgentScore is the score of an agent by the tree's own state when a digest was made because
    of a compaction.
    """

    agent: str | None
    before: float | None

    FIELDS = (
        Field("before", "before", read_optional_number),
        Field("agent", "agent", read_optional_text),
    )
    __slots__ = tuple(field.name for field in FIELDS)


def _read_failing(value: object) -> dict[str, FailingCommand]:
    items = value.items() if isinstance(value, dict) else ()
    return {key: FailingCommand(entry) for key, entry in items if isinstance(entry, dict)}


def _read_reported(value: object) -> dict[str, ReportedError]:
    items = value.items() if isinstance(value, dict) else ()
    shape = (str, str, int, str)
    return {key: (r[0], r[1], r[2], r[3]) for key, r in items if types_of(r) == shape}


class RecoveryMarks(StateRecord):
    """A RecoveryMarks object has the marks that a session sets for digests and hand-offs. It
    outlives compactions, which it is for, and what begins after them.
    """

    due: DueDigest | None
    done: DigestProgress | None
    notes: dict[str, Any]
    spawned: Any
    is_cleared: bool
    critical_streak: int | None
    failing: dict[str, FailingCommand]
    reported_errors: dict[str, ReportedError]
    score: AgentScore | None

    FIELDS = (
        # The digest that is to be made; None.
        Field("due", "due", read_optional_record(DueDigest)),
        # How far the last one has read; None: there was none.
        Field("done", "done", read_optional_record(DigestProgress)),
        # The hand-off notes (`handoff_notes`); {}.
        Field("notes", "carried", read_mapping),
        # When a session was begun to go on; None.
        Field("spawned", "spawned", read_value),
        # Whether a person has thrown the history away, and written nothing since; False.
        Field("is_cleared", "cleared", read_flag, (TURN, COMPACTION, SESSION)),
        # Prompts in a row in the last bracket; None: there was none yet.
        Field("critical_streak", "streak", read_optional_count),
        # What fails; {}.
        Field("failing", "failing", _read_failing, is_nested=True),
        # Pattern of an error that a client's transcript does not tell of -> message, what failed,
        # how often, how it went away, until a digest has told that; {}.
        Field("reported_errors", "met", _read_reported, is_nested=True),
        Field("score", "scores", read_optional_record(AgentScore)),
    )
    __slots__ = tuple(field.name for field in FIELDS)


def mark_digest_due(session: SessionState, event: Event, reason: str, now: float) -> None:
    """Marks that a digest of the main conversation is to be made; one that is due already keeps its
    reason.

    Without a transcript there is nothing to make it of.
    """
    if event.subagent or session.recovery.due or not transcript_size(event.transcript):
        return
    due = session.recovery.due = DueDigest()
    due.reason, due.transcript, due.at = reason, event.transcript, now


def count_critical_prompt(
    session: SessionState, situation: Situation, event: Event, now: float
) -> None:
    """Counts a prompt that came with hardly any window left, in a row; the first of them marks a
    digest as due.
    """
    marks = session.recovery
    last = situation.bracket.handoff
    if not last and marks.critical_streak is None:
        return
    marks.critical_streak = (marks.critical_streak or 0) + 1 if last else 0
    if marks.critical_streak == 1:
        mark_digest_due(session, event, CRITICAL_REASON, now)


def transcript_size(path: str) -> int:
    """Returns the bytes of a transcript, by which a digest knows how far it was read; 0 where there
    is none.
    """
    try:
        return os.stat(path).st_size if path else 0
    except (OSError, ValueError):
        return 0
