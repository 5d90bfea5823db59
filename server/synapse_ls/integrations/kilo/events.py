"""This module reads the events that our plugin in Kilo Code sends, and builds the replies to it.

Kilo's agent grew out of OpenCode and loads the same plugin, on the command line and in VS Code.

Source: its documentation of plugins; checked against 7.7.9 of the command line.
"""

from __future__ import annotations

from synapse_ls.integrations import plugin_events
from synapse_ls.integrations.plugin_events import (
    CONTEXT_EVENTS,
    EVENT_KINDS,
    FAILURES_NOT_IN_TRANSCRIPT,
    KEEPS_CONTEXT,
    REPLY_LIMIT,
    context_reply,
    decision_reply,
    notice_reply,
    read_usage,
    shows_reply,
)

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
    "REPLY_LIMIT",
    "context_reply",
    "decision_reply",
    "notice_reply",
    "parse_event",
    "read_usage",
    "shows_reply",
)

NAME: Final = "kilo"


def parse_event(raw: dict[str, Any], name: str) -> Event:
    """Returns the hook event in a payload of Kilo Code. name: the event that the command was
    registered for, or "".
    """
    return plugin_events.parse_event(raw, name, "Kilo Code")
