"""This module reads the events that our plugin sends in OpenCode and Kilo Code, and builds the
replies to it.

They call no command, so `install` writes a plugin, ``hook_caller.js`` and ``opencode/plugin.js``, which does.
What it is told it stores as a part of the prompt; the start of a session that follows a compaction it
reports before the next call of the model, with whose last message it stores the reply.

Source: the hooks of ``@opencode-ai/plugin``, checked against OpenCode 1.18.33 and
Kilo 7.7.9.
"""

from __future__ import annotations

from synapse_ls.integrations import hook_event
from synapse_ls.integrations.reply_shapes import (
    ASK,
    DENY,
    deny_reason,
    nested_context,
    nested_permission,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.integrations.hook_event import Event

REPLY_LIMIT: Final = 60_000  # code points; no limit is known
KEEPS_CONTEXT: Final = True  # what is told is stored as a part of the prompt (measured)
FAILURES_NOT_IN_TRANSCRIPT: Final = True  # its sessions are in a database, which nobody reads here

EVENT_KINDS: Final = hook_event.event_kinds(
    "UserPromptSubmit",
    "SessionStart",
    "SubagentStart",
    "PreCompact",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SessionEnd",
)
CONTEXT_EVENTS: Final = (
    hook_event.PROMPT,
    hook_event.SESSION_START,
    hook_event.SUBAGENT_START,
    hook_event.TOOL_BEFORE,
    hook_event.TOOL,
)
UNREAD_REPLY_EVENT: Final = "PostToolUseFailure"  # the model has the error before the plugin has


def parse_event(raw: dict[str, Any], name: str, origin: str) -> Event:
    """Returns the event in a payload that our plugin sends. name: the event that the command was
    registered for, or "". origin: the client that the figures of usage are from.
    """
    event = hook_event.read_event(raw, name, EVENT_KINDS)
    # Codex is known by a ``turn_id``; the plugin names the message of a prompt instead.
    event.turn = hook_event.text_field(raw, "message_id")
    if event.kind == hook_event.PROMPT:
        files = hook_event.text_items(raw.get("files"))
        event.files = hook_event.local_paths(files)
    elif event.kind == hook_event.SUBAGENT_START:
        event.prompt = hook_event.text_field(raw, "prompt")
    used = hook_event.number_field(raw, "context_tokens")
    if used:
        window = hook_event.number_field(raw, "context_window_size") or None
        event.figures = {"used": used, "window": window, "model": event.model, "origin": origin}
    return event


def context_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the reply to our plugin that puts ``text`` before the model; an empty object says
    nothing.
    """
    if not text or event.kind not in CONTEXT_EVENTS or event.name == UNREAD_REPLY_EVENT:
        return {}
    return nested_context(event, text)


def notice_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the reply to our plugin that shows ``text`` to the person, as a notice at the
    window's edge.
    """
    return {"systemMessage": text} if text else {}


def decision_reply(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """Returns the reply to our plugin about a tool that is about to be used. "allow" gives an empty
    reply, so the client goes on as it would; "ask" and "deny" keep the tool from being used: a
    plugin can only stop it.
    """
    if decision == ASK:
        return nested_permission(event, DENY, deny_reason(reason))
    return nested_permission(event, decision, reason)


def read_usage(event: Event) -> dict[str, object] | None:
    """Returns what the plugin's event itself says of usage: how much the last answer was sent."""
    return event.figures


def shows_reply(event: Event, reply_hash: str, since: str = "") -> bool | None:
    """Returns None for our plugin: the client's sessions are in its database."""
    return None
