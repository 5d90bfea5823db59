"""This module reads the events that our plugin in Cline sends, and builds the replies to it.

Cline runs commands as hooks, too, but reads what they say of tools only. A plugin of its command
line is asked before every call of the model, and what it adds to that request is for this call
alone. What it says of a tool stays in the conversation.

Source: Cline's documentation of plugins and its code, checked against 3.0.65 of the command line.
"""

from __future__ import annotations

from synapse_ls.integrations import hook_event, plugin_events
from synapse_ls.integrations.plugin_events import (
    FAILURES_NOT_IN_TRANSCRIPT,
    decision_reply,
    read_usage,
    shows_reply,
)
from synapse_ls.integrations.reply_shapes import nested_context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.integrations.hook_event import Event

__all__ = (
    "CONTEXT_EVENTS",
    "EVENT_KINDS",
    "FAILURES_NOT_IN_TRANSCRIPT",
    "KEEPS_CONTEXT",
    "NAME",
    "PROMPTS_PER_MODEL_CALL",
    "REPLY_LIMIT",
    "context_reply",
    "decision_reply",
    "notice_reply",
    "parse_event",
    "read_usage",
    "shows_reply",
)

NAME: Final = "cline"
# Code points. It takes more in a request, but cuts off at 50,000 what comes with a tool.
REPLY_LIMIT: Final = 50_000
KEEPS_CONTEXT: Final = False  # what is added to a request is for that one (measured)
PROMPTS_PER_MODEL_CALL: Final = True

EVENT_KINDS: Final = hook_event.event_kinds(
    "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop"
)
CONTEXT_EVENTS: Final = (hook_event.PROMPT, hook_event.TOOL_BEFORE, hook_event.TOOL)


def parse_event(raw: dict[str, Any], name: str) -> Event:
    """Returns the hook event in a payload of Cline. name: the event that the command was registered
    for, or "".
    """
    event = plugin_events.parse_event(raw, name, "Cline")
    if event.kind == hook_event.OTHER:
        return hook_event.read_event(raw, name, EVENT_KINDS)
    return event


def context_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that puts ``text`` before the model in Cline; an empty object says
    nothing.
    """
    return nested_context(event, text) if text and event.kind in CONTEXT_EVENTS else {}


def notice_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns an empty reply for Cline, since a plugin has no way to show the person something."""
    return {}
