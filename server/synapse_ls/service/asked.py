"""One prompt, told of twice.

Two registrations of the hook under one client are both started for a prompt. The first has the
answer and the second says nothing: in clients where the last reply wins, a second one that is not
empty would replace the block. Other clients ask before every call of the model.
"""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash
from synapse_ls.sessions.changes import timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.hosts.event import Event

    Window = dict[str, Any]

FIELD: Final = (
    "asked"  # in a window: [hash of the prompt, the client's name for the turn, time, stamp]
)
TOGETHER: Final = 2.0  # seconds within which nobody writes the same prompt twice
WAITED: Final = 60.0  # seconds that a client waits for a hook, before it starts the next one
OVERTAKEN: Final = 10.0  # seconds that a client may take to call the hooks of a session's start

_END: Final = 253402300800000  # milliseconds until the year 10000


def is_repeated(window: Window, event: Event, now: float) -> bool:
    """Whether ``event`` tells of the prompt that another registration has just answered.

    Where the client stamps its events and both have the same stamp, it took its time between the two.
    """
    if not _is_last(window, event):
        return False
    stamp = _stamp(event)
    patience = WAITED if stamp and stamp == window[FIELD][3] else TOGETHER
    return abs(now - _time(window)) < patience


def is_recent(window: Window, now: float, within: float = OVERTAKEN) -> bool:
    """Whether a prompt was answered so lately that a session's start may still be on its way; or
    ``within`` so many seconds."""
    return _kept(window) is not None and abs(now - _time(window)) < within


def is_same_turn(window: Window, event: Event) -> bool:
    """Whether the prompt of ``event`` was counted already, by the client's own name for its turn."""
    return bool(event.turn) and _is_last(window, event)


def remember(window: Window, event: Event, now: float) -> None:
    """Note the prompt of ``event``."""
    window[FIELD] = [_identity(event), event.turn, now, _stamp(event)]


def _identity(event: Event) -> str:
    return text_hash(f"{event.kind} {event.prompt}")  # names are spelled by registration


def _stamp(event: Event) -> str:
    """When the client began to tell of it, "" where it does not say; spelled by registration, too."""
    stamp = event.raw.get("timestamp")
    if isinstance(stamp, int) and 0 <= stamp < _END:
        return timestamp(stamp / 1000)
    return stamp if isinstance(stamp, str) else ""


def _kept(window: Window) -> list[Any] | None:
    kept = window.get(FIELD)
    return kept if isinstance(kept, list) and len(kept) == 4 else None


def _is_last(window: Window, event: Event) -> bool:
    kept = _kept(window)
    return kept is not None and bool(kept[0] == _identity(event) and kept[1] == event.turn)


def _time(window: Window) -> float:
    time = window[FIELD][2]
    return float(time) if isinstance(time, int | float) else 0.0
