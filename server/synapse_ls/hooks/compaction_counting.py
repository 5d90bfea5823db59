"""This module counts the compactions of a window, each once, whether the client announces them or
they are only detected.

A compaction may be announced before it happens, after it, by a session start, by all of these, or
only be seen because less of the window is in use, the transcript is shorter, or the client's record of
the conversation has a summary.
"""

from __future__ import annotations

from synapse_ls.storage import session_changes
from synapse_ls.storage.digest_marks import transcript_size
from synapse_ls.storage.state_record import COMPACTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Final

    from synapse_ls.integrations.hook_event import Event
    from synapse_ls.storage.session_state import SessionState
    from synapse_ls.storage.window_state import WindowState

ANNOUNCED: Final = "begun"  # announced, not counted yet
COUNTED: Final = "done"  # counted; events that follow may be about the same one
SAME_SECONDS: Final = (
    60.0  # seconds in which events without anything between them tell of one compaction
)


def announce_compaction(
    session: SessionState, event: Event, now: float, *, is_certain: bool
) -> None:
    """Notes, without counting it, that a client is about to compact the window of ``event``.

    is_certain: whether nothing will show that it did not come about, as where a person cancels it.
    """
    if is_certain:
        session.forget_in_windows(COMPACTION, _subagent_key(session, event))
    if not event.subagent:
        session.context.compaction = ANNOUNCED, now


def is_announced(session: SessionState) -> bool:
    """Returns whether the client has said that it is about to compact its history, or that it has."""
    return session.context.compaction is not None


def is_under_way(session: SessionState) -> bool:
    """Returns whether a compaction has begun that is not counted yet."""
    compaction = session.context.compaction
    return compaction is not None and compaction[0] == ANNOUNCED


def record_compacted(session: SessionState, event: Event, now: float) -> None:
    """Counts the compaction of the window of ``event`` that its client reports as done, unless it
    is counted already.
    """
    if event.subagent:
        session.forget_in_windows(COMPACTION, _subagent_key(session, event))
    elif not _is_just_counted(session, now):
        record_unannounced(session, now)
        session.context.compaction = COUNTED, now


def settle_announced(session: SessionState, now: float, *, came_about: bool) -> None:
    """Counts an announced compaction as over because something else happens, if it came about; what
    comes next is another one.
    """
    if came_about and is_under_way(session):
        session_changes.record_compaction(session, now)
    session.context.compaction = None


def record_unannounced(session: SessionState, now: float) -> None:
    """Counts a compaction that no event has reported."""
    session.forget_in_windows(COMPACTION)
    session_changes.record_compaction(session, now)


def is_transcript_shorter(window: WindowState, event: Event) -> bool:
    """Returns whether the transcript is another one, or has lost something, since the last reply."""
    path, size = window.transcript
    if not event.transcript or size is None:
        return False
    return path != event.transcript or transcript_size(event.transcript) < size


def note_summary(host: ModuleType, window: WindowState, event: Event) -> bool:
    """Notes how far the client's record of the conversation was looked through, and returns whether
    it shows a summary that was not there the last time.
    """
    find = getattr(host, "find_summary", None)
    if find is None or event.subagent:
        return False
    seen = window.history
    size, name = find(event, seen[0] if seen else 0)
    window.history = size, name or (seen[1] if seen else "")
    return bool(seen and name and name != seen[1])


def _subagent_key(session: SessionState, event: Event) -> str:
    """Returns the key of the sub-agent's window that ``event`` is about, "" for the main ones."""
    if not event.subagent:
        return ""
    names = session.window_keys()
    return next((name for name in names if name.partition(":")[2] == event.subagent), ":")


def _is_just_counted(session: SessionState, now: float) -> bool:
    state, at = session.context.compaction or ("", 0.0)
    return state == COUNTED and abs(now - at) <= SAME_SECONDS
