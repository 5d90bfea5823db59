"""This module recognises duplicate events: one prompt that two registrations of the hook report.

Two registrations of the hook under one client are both started for a prompt. The first has the
answer and the second says nothing: in clients where the last reply wins, a second one that is not
empty would replace the block. Other clients ask before every call of the model.
"""

from __future__ import annotations

from synapse_ls.engine.text_identity import hash_text
from synapse_ls.storage.session_changes import format_timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.integrations.hook_event import Event
    from synapse_ls.storage.window_state import WindowState

DUPLICATE_SECONDS: Final = 2.0  # seconds within which nobody writes the same prompt twice
HOOK_TIMEOUT: Final = 60.0  # seconds that a client waits for a hook, before it starts the next one
START_SECONDS: Final = 10.0  # seconds that a client may take to call the hooks of a session's start

_MAX_STAMP: Final = 253402300800000  # milliseconds until the year 10000


def is_repeated(window: WindowState, event: Event, now: float) -> bool:
    """Returns whether ``event`` reports the prompt that another registration has just answered.

    Where the client stamps its events and both have the same stamp, it took its time between the
    two.
    """
    last = window.last_prompt
    if last is None or not _is_last_prompt(window, event):
        return False
    stamp = _event_stamp(event)
    patience = HOOK_TIMEOUT if stamp and stamp == last[3] else DUPLICATE_SECONDS
    return abs(now - last[2]) < patience


def is_recently_prompted(window: WindowState, now: float, seconds: float = START_SECONDS) -> bool:
    """Returns whether a prompt was answered in the last ``seconds``, by default so lately that a
    session's start may still be on its way.
    """
    last = window.last_prompt
    return last is not None and abs(now - last[2]) < seconds


def is_counted_turn(window: WindowState, event: Event) -> bool:
    """Returns whether an event is a duplicate whose prompt was counted already, by the client's own
    name for its turn.
    """
    return bool(event.turn) and _is_last_prompt(window, event)


def remember_prompt(window: WindowState, event: Event, now: float) -> None:
    """Notes the prompt of ``event`` in the window, so that the same event is recognised when it
    comes twice.
    """
    window.last_prompt = _prompt_hash(event), event.turn, now, _event_stamp(event)


def _prompt_hash(event: Event) -> str:
    return hash_text(f"{event.kind} {event.prompt}")  # names are spelled by registration


def _event_stamp(event: Event) -> str:
    """Returns when the client began to report the event, "" where it does not say; spelled by
    registration, too.
    """
    stamp = event.raw.get("timestamp")
    if isinstance(stamp, int) and 0 <= stamp < _MAX_STAMP:
        return format_timestamp(stamp / 1000)
    return stamp if isinstance(stamp, str) else ""


def _is_last_prompt(window: WindowState, event: Event) -> bool:
    last = window.last_prompt
    return last is not None and last[:2] == (_prompt_hash(event), event.turn)
