"""What a session notes for its recovery, on the way of an event: cheap marks for who works later.

All of it stands in one field of the session document::

    {"recovery": {"due": {"reason", "transcript", "at", "tries"},   a digest that is to be made
                  "done": {"transcript", "turns", "at", "digest"},  the last one that was made
                  "carried": {…},                                   see `engine.parts.handoff`
                  "spawned": time                                   a session was begun to go on
                  "cleared": True                                   its history was thrown away
                  "streak": 2,                                      prompts in a row in the last bracket
                  "failing": {…}, "met": {…}}}                      see `failing`

A digest is due from the moment in which a compaction is known of until it was made. So a process that
is killed in between loses nothing: the next event finds the mark. A short transcript is read by the
hook's own process once the client has its answer, a long one, or one that a prompt waits for, by another.
"""

from __future__ import annotations

import os

from synapse_ls.sessions.changes import RECOVERY as FIELD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from synapse_ls.engine.situation import Situation
    from synapse_ls.hosts.event import Event
    from synapse_ls.service.call import Call

    Session = dict[str, Any]

DUE: Final = "due"
STREAK: Final = "streak"
CARRIED: Final = "carried"
SPAWNED: Final = "spawned"
CLEARED: Final = "cleared"
MET: Final = "met"
TRIES: Final = 3  # times that a digest is tried to be made

COMPACT: Final = "compact"
ENDED: Final = "ended"
CRITICAL: Final = "critical"

SMALL: Final = 400_000  # bytes of a transcript that the hook's own process reads


def peek(session: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a session notes, to look at."""
    found = session.get(FIELD)
    return found if isinstance(found, dict) else {}


def noted(session: Session) -> dict[str, Any]:
    """What a session notes, to be changed."""
    found = session.get(FIELD)
    if not isinstance(found, dict):
        found = session[FIELD] = {}
    return found


def due(session: Session, event: Event, reason: str, now: float) -> None:
    """A digest of the main conversation is to be made; one that is due already keeps its reason.

    Without a transcript there is nothing to make it of.
    """
    if event.window or not _size(event.transcript) or is_due(session):
        return
    noted(session)[DUE] = {
        "reason": reason,
        "transcript": event.transcript,
        "at": now,
        "tries": 0,
    }


def is_due(session: Mapping[str, Any]) -> bool:
    """Whether a digest is to be made."""
    return isinstance(peek(session).get(DUE), dict)


def prompted(session: Session, situation: Situation, event: Event, now: float) -> None:
    """A prompt was counted: how often in a row there was hardly any window left."""
    last = situation.bracket.handoff
    known = peek(session)
    if not last and STREAK not in known:
        return
    recovery = noted(session)
    streak = recovery.get(STREAK)
    recovery[STREAK] = (streak if isinstance(streak, int) else 0) + 1 if last else 0
    if recovery[STREAK] == 1:
        due(session, event, CRITICAL, now)


def work(call: Call, session: Mapping[str, Any], *, waited_for: bool = False) -> None:
    """Make the digest that is due, now or in a process of its own.

    waited_for: somebody waits for the hook's process to end, not only for its answer.
    """
    mark = peek(session).get(DUE)
    if not isinstance(mark, dict):
        return
    transcript = mark.get("transcript")
    size = _size(transcript) if isinstance(transcript, str) else 0
    if (waited_for or size > SMALL) and _detached(call.root, call.event.session_id):
        return
    from synapse_ls.recovery.worker import make

    make(call.root, call.event.session_id, now=call.moment)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size if path else 0
    except (OSError, ValueError):
        return 0


def _detached(root: str, session_id: str) -> bool:
    """Start a process that makes the digest; whether it was started."""
    from synapse_ls.service.detached import run

    return run("synapse_ls.recovery.worker", root, session_id)
