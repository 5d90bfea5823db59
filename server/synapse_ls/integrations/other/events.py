"""This module reads the hook events of an unknown agent client and answers in the shape that
most of the known ones understand.

Claude Code, Copilot, VS Code, Cursor and Gemini CLI each find their own field in one object
and pass over the rest. Codex does not: it fails a hook that says a word too many.
"""

from __future__ import annotations

from synapse_ls.integrations import hook_event
from synapse_ls.integrations.reply_shapes import (
    nested_context,
    nested_permission,
    permission_fields,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.integrations.hook_event import Event

NAME: Final = "other"
REPLY_LIMIT: Final = 9_500  # code points; the smallest of the known limits
KEEPS_CONTEXT: Final = False  # nobody has seen yet that it does

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
    """Returns the event in a payload of an unknown client. name: the event that the command was
    registered for, or "".
    """
    event = hook_event.read_event(raw, name, EVENT_KINDS)
    hook_event.add_folders(
        event, hook_event.text_items(raw.get("workspace_roots") or raw.get("workspacePaths"))
    )
    return event


def context_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that puts ``text`` before the model in an unknown client in each of
    the known spellings.
    """
    if not text or event.kind not in CONTEXT_EVENTS:
        return {}
    return {"additional_context": text, "additionalContext": text, **nested_context(event, text)}


def notice_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that shows ``text`` to the person in an unknown client, in the clients
    that have it from Claude Code.
    """
    return {"systemMessage": text} if text else {}


def decision_reply(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """Returns the reply to an unknown client about a tool that is about to be used. "allow" gives
    an empty reply, so the client goes on as it would; "ask" has a person asked; "deny" keeps the
    tool from being used.
    """
    said = nested_permission(event, decision, reason)
    if not said:
        return {}
    spoken = {"decision": decision, "permission": decision, "reason": reason}
    return {**spoken, "agent_message": reason, **permission_fields(decision, reason), **said}


def read_usage(event: Event) -> dict[str, object] | None:
    """Returns what the event itself says of usage: nobody knows how to read this client's
    transcript.
    """
    return event.figures


def shows_reply(event: Event, reply_hash: str, since: str = "") -> bool | None:
    """Returns None for an unknown client: nobody knows how to read its transcript."""
    return None
