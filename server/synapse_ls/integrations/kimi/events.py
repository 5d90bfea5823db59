"""This module reads the hook events of Kimi Code and builds the replies to them.

It passes on what the hook says of a prompt, which then stays in the conversation, and heeds a
refusal of a tool; replies to all other events are read by nobody. Output that holds no message stands
before the model as it is, an empty object too, so where there is nothing to say nothing is printed.

Source: Kimi Code's documentation of hooks and its code, checked against 2.1.0.
"""

from __future__ import annotations

from synapse_ls.integrations import hook_event
from synapse_ls.integrations.reply_shapes import ASK, DENY, deny_reason, nested_permission

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.integrations.hook_event import Event

NAME: Final = "kimi"
REPLY_LIMIT: Final = 60_000  # code points; no limit is known
KEEPS_CONTEXT: Final = True  # what is told is a message of the conversation (measured)
PRINTS_NOTHING: Final = True  # in the place of an empty reply
FAILURES_NOT_IN_TRANSCRIPT: Final = True  # nobody reads its sessions here

EVENT_KINDS: Final = hook_event.event_kinds(
    "UserPromptSubmit",
    "SessionStart",
    "PreCompact",
    "PostCompact",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SessionEnd",
)
CONTEXT_EVENTS: Final = (hook_event.PROMPT,)


def parse_event(raw: dict[str, Any], name: str) -> Event:
    """Returns the hook event in a payload of Kimi Code. name: the event that the command was
    registered for, or "".
    """
    event = hook_event.read_event(raw, name, EVENT_KINDS)
    if event.kind == hook_event.PROMPT and not event.prompt:
        event.prompt = _typed_text(raw.get("prompt"))
    return event


def _typed_text(parts: object) -> str:
    """Returns the text in the parts of a prompt, which may hold pictures as well."""
    if not isinstance(parts, list):
        return ""
    return "\n".join(filter(None, (hook_event.text_field(part, "text") for part in parts)))


def context_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that puts ``text`` before the model in Kimi Code; an empty object says
    nothing.
    """
    return {"message": text} if text and event.kind in CONTEXT_EVENTS else {}


def notice_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns an empty reply for Kimi Code: what the person is shown, the model reads as well."""
    return {}


def decision_reply(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """Returns the reply to Kimi Code about a tool that is about to be used. "allow" gives an empty
    reply, so the client goes on as it would; it knows no "ask", so that becomes "deny".
    """
    if decision == ASK:
        return nested_permission(event, DENY, deny_reason(reason))
    return nested_permission(event, decision, reason)


def read_usage(event: Event) -> dict[str, object] | None:
    """Returns None for Kimi Code: the events have no figures of what the window holds."""
    return event.figures


def shows_reply(event: Event, reply_hash: str, since: str = "") -> bool | None:
    """Returns None for Kimi Code: nobody reads the client's sessions here."""
    return None
