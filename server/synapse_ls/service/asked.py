"""One prompt, told of twice.

Two registrations of the hook under one client are both started for a prompt. The first has the
answer and the second says nothing: in clients where the last reply wins, a second one that is not
empty would replace the block. Other clients ask before every call of the model.
"""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.hosts.event import Event

    Window = dict[str, Any]

FIELD: Final = "asked"  # in a window: [hash of the prompt, the client's name for the turn, time]
TOGETHER: Final = 2.0  # seconds within which nobody writes the same prompt twice
OVERTAKEN: Final = 10.0  # seconds that a client may take to call the hooks of a session's start


def is_repeated(window: Window, event: Event, now: float) -> bool:
    """Whether ``event`` tells of the prompt that another registration has just answered."""
    return _is_last(window, event) and abs(now - _time(window)) < TOGETHER


def is_recent(window: Window, now: float) -> bool:
    """Whether a prompt was answered so lately that a session's start may still be on its way."""
    kept = window.get(FIELD)
    return isinstance(kept, list) and len(kept) == 3 and abs(now - _time(window)) < OVERTAKEN


def is_same_turn(window: Window, event: Event) -> bool:
    """Whether the prompt of ``event`` was counted already, by the client's own name for its turn."""
    return bool(event.turn) and _is_last(window, event)


def remember(window: Window, event: Event, now: float) -> None:
    """Note the prompt of ``event``."""
    window[FIELD] = [_identity(event), event.turn, now]


def _identity(event: Event) -> str:
    return text_hash(f"{event.kind} {event.prompt}")  # names are spelled by registration


def _is_last(window: Window, event: Event) -> bool:
    kept = window.get(FIELD)
    if not isinstance(kept, list) or len(kept) != 3:
        return False
    return bool(kept[0] == _identity(event) and kept[1] == event.turn)


def _time(window: Window) -> float:
    time = window[FIELD][2]
    return float(time) if isinstance(time, int | float) else 0.0
