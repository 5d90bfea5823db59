"""Noticing that a client has compacted its history, and counting that once.

A compaction may be announced before it happens, after it, by a session start, by all of these, or
only be seen because less of the window is in use or the transcript is shorter.
"""

from __future__ import annotations

import os

from synapse_ls.service import figures, windows
from synapse_ls.sessions import changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.hosts.event import Event

    Session = dict[str, Any]
    Window = dict[str, Any]

FIELD: Final = "compaction"  # in the session's ``context``: [state, time]
BEGUN: Final = "begun"  # announced, not counted yet
DONE: Final = "done"  # counted; events that follow may be about the same one
TRANSCRIPT: Final = "transcript"  # in a window: [path, bytes] when it was last told something
AROUND: Final = 60.0  # seconds in which events without anything between them tell of one compaction


def announced(session: Session, event: Event, now: float) -> None:
    """A client is about to compact the window of ``event``."""
    windows.forget(session, _only(session, event))
    if not event.window:
        _context(session)[FIELD] = [BEGUN, now]


def is_announced(session: Session) -> bool:
    """Whether the client has said that it is about to compact its history, or that it has."""
    return bool(_context(session).get(FIELD))


def happened(session: Session, event: Event, now: float) -> None:
    """A client says that it has compacted the window of ``event``."""
    context = _context(session)
    if not event.window and _state(context, now) != DONE:
        _count(session, now)
        context[FIELD] = [DONE, now]
        windows.forget(session)
    elif event.window:
        windows.forget(session, _only(session, event))


def settle(session: Session, now: float) -> None:
    """Something else happens: what was announced is over, and what comes next is another one."""
    context = _context(session)
    if FIELD in context:
        if _state(context, now) == BEGUN:
            _count(session, now)
        del context[FIELD]


def seen(session: Session, now: float) -> None:
    """A compaction that no event has told of."""
    windows.forget(session)
    _count(session, now)


def is_shorter(window: Window, event: Event) -> bool:
    """Whether the transcript is another one, or has lost something, since the last reply."""
    kept = window.get(TRANSCRIPT)
    if not event.transcript or not isinstance(kept, list) or len(kept) != 2:
        return False
    path, size = kept
    return path != event.transcript or (isinstance(size, int) and size_of(event.transcript) < size)


def size_of(transcript: str) -> int:
    """The bytes of a transcript; 0 where there is none."""
    try:
        return os.stat(transcript).st_size if transcript else 0
    except (OSError, ValueError):
        return 0


def _only(session: Session, event: Event) -> str:
    """The key of the sub-agent's window that ``event`` is about, "" for the main ones."""
    if not event.window:
        return ""
    kept = session.get(windows.FIELD)
    names = kept if isinstance(kept, dict) else ()
    return next((name for name in names if name.partition(":")[2] == event.window), ":")


def _state(context: dict[str, Any], now: float) -> str:
    kept = context.get(FIELD)
    if not isinstance(kept, list) or len(kept) != 2 or not isinstance(kept[1], int | float):
        return ""
    return BEGUN if kept[0] == BEGUN else DONE if abs(now - kept[1]) <= AROUND else ""


def _count(session: Session, now: float) -> None:
    figures.outdate(session)
    changes.record_compaction(session, now)


def _context(session: Session) -> dict[str, Any]:
    context = session.get("context")
    if not isinstance(context, dict):
        context = session["context"] = {}
    return context
