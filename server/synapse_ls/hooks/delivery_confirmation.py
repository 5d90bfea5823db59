"""This module confirms deliveries: whether a reply has reached the model, where the client's
transcript shows it.

A hook can be stopped, or its reply replaced by that of another hook. A transcript may also lag
behind, or say nothing of hooks at all. So a reply must be missing at two prompts in a row before
anything is delivered again, and that is done once: after it, only a reply that did arrive proves
that the transcript can be believed.
"""

from __future__ import annotations

from synapse_ls.engine.text_identity import hash_text
from synapse_ls.storage.session_changes import format_timestamp
from synapse_ls.storage.state_record import COMPACTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.hooks.hook_call import HookCall
    from synapse_ls.storage.window_state import WindowState

MAX_EXPECTED: Final = 3  # replies that are waited for
MISSING_PROMPTS: Final = 2  # after so many that do not show a reply, it is missing


def expect_arrival(window: WindowState, text: str, now: float) -> None:
    """Notes that ``text`` was sent, and is to be found in the conversation later."""
    told = hash_text(text), 0, format_timestamp(now)
    window.expected_replies = (*window.expected_replies, told)[-MAX_EXPECTED:]


def confirm_arrivals(call: HookCall, window: WindowState) -> None:
    """Looks in the client's transcript for the replies that nobody has seen arrive yet."""
    waiting = []
    missing = False
    for told, prompts, since in window.expected_replies:
        shown = call.host.shows_reply(call.event, told, since)
        if shown is None:
            waiting.append((told, prompts, since))
            continue
        if shown:
            window.has_repeated = False
        elif prompts + 1 < MISSING_PROMPTS:
            waiting.append((told, prompts + 1, since))
            continue
        else:
            missing = True
        call.log_arrival(told, shown)
    window.expected_replies = tuple(waiting)
    if missing and not window.has_repeated:
        window.forget(COMPACTION)
        window.has_repeated = True
