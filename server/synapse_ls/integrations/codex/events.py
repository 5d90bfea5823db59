"""This module reads the hook events of Codex CLI and builds the replies to them.

An object with any field that its schema does not know makes the hook fail, so a reply has
only fields that the schema of its event knows.

Source: the schemas of hook inputs and outputs in openai/codex, checked against 0.169.
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

NAME: Final = "codex"
REPLY_LIMIT: Final = (
    9_500  # code points; its additionalContextLimit is 10,000 characters unless set
)
KEEPS_CONTEXT: Final = True  # injected text stays in the conversation (measured)

EVENT_KINDS: Final = hook_event.event_kinds(
    "UserPromptSubmit",
    "SessionStart",
    "SubagentStart",
    "PreCompact",
    "PostCompact",
    "PreToolUse",
    "PostToolUse",
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


def parse_event(raw: dict[str, Any], name: str) -> Event:
    """Returns the hook event in a payload of Codex. name: the event that the command was registered
    for, or "".
    """
    return hook_event.read_event(raw, name, EVENT_KINDS)


def context_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that puts ``text`` before the model in Codex, as a message of the
    developer.
    """
    return nested_context(event, text) if text and event.kind in CONTEXT_EVENTS else {}


def notice_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that shows ``text`` to the person in Codex; an unknown event may have
    a schema without it, and gets an empty one.
    """
    return {"systemMessage": text} if text and event.kind != hook_event.OTHER else {}


def decision_reply(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """Returns the reply to Codex about a tool that is about to be used. "allow" gives an empty
    reply, so the client goes on as it would; "ask" and "deny" keep the tool from being used: the
    client has "ask" in its schema, but goes on as if nothing had been said.
    """
    if decision == ASK:
        return nested_permission(event, DENY, deny_reason(reason))
    return nested_permission(event, decision, reason)


def read_usage(event: Event) -> dict[str, object] | None:
    """Returns tokens in use and the window's size in Codex, from the last model call of the rollout
    file.
    """
    return hook_event.read_usage(event, NAME, event.model)


def shows_reply(event: Event, reply_hash: str, since: str = "") -> bool | None:
    """Tells whether the rollout file of Codex shows the reply whose `hash_text` is ``reply_hash``;
    None: it cannot tell.
    """
    return hook_event.shows_reply(event, NAME, reply_hash, since)
