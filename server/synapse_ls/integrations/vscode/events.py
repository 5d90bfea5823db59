"""This module reads the hook events of VS Code's own harness ("Local") and builds the replies to
them.

It takes Claude Code's names and, from files with a ``version``, Copilot's, which it turns
into the former before it calls.

Source: the hooks reference in microsoft/vscode-docs, checked against the Copilot extension of
1.139.
"""

from __future__ import annotations

from synapse_ls.integrations import hook_event, transcript_tail
from synapse_ls.integrations.reply_shapes import (
    nested_context,
    nested_permission,
    permission_fields,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.integrations.hook_event import Event

NAME: Final = "vscode"
REPLY_LIMIT: Final = 60_000  # code points; no limit is known
KEEPS_CONTEXT: Final = True  # later requests have each prompt as it was rendered (its code)
FAILURES_NOT_IN_TRANSCRIPT: Final = True  # its transcripts say that a tool has failed, and not why

EVENT_KINDS: Final = hook_event.event_kinds(
    "UserPromptSubmit",
    "SessionStart",
    "SubagentStart",
    "PreCompact",
    "PreToolUse",
    "PostToolUse",
    "Stop",
)
CONTEXT_EVENTS: Final = (
    hook_event.PROMPT,
    hook_event.SESSION_START,
    hook_event.SUBAGENT_START,
    hook_event.TOOL_BEFORE,
    hook_event.TOOL,
)


def parse_event(raw: dict[str, Any], name: str) -> Event:
    """Returns the hook event in a payload of VS Code. name: the event that the command was
    registered for, or "".
    """
    return hook_event.read_event(raw, name, EVENT_KINDS)


def context_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that puts ``text`` before the model in VS Code; an empty object says
    nothing.

    It has the text at its top level as well: Copilot's harness looks the same where it names
    no variables, and this client reads one of the two places.
    """
    if not text or event.kind not in CONTEXT_EVENTS:
        return {}
    return {"additionalContext": text, **nested_context(event, text)}


def notice_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that shows ``text`` to the person in VS Code."""
    return {"systemMessage": text} if text else {}


def decision_reply(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """Returns the reply to VS Code about a tool that is about to be used. "allow" gives an empty
    reply, so the client goes on as it would; "ask" has a person asked; "deny" keeps the tool from
    being used.
    """
    said = nested_permission(event, decision, reason)
    return {**permission_fields(decision, reason), **said} if said else {}


def read_usage(event: Event) -> dict[str, object] | None:
    """Returns tokens in use and the window's size in VS Code, from the chat's file, else from the
    debug log where that is on.
    """
    return hook_event.read_usage(event, NAME, event.session_id)


def find_summary(event: Event, since: int) -> tuple[int, str]:
    """Returns the bytes that the chat's file of VS Code has, and what names the last summary that
    stands behind the byte ``since``: no event tells of a compaction.
    """
    from synapse_ls.integrations.vscode import chat_session

    path = chat_session.chat_file(event.transcript, event.session_id)
    # A file of an earlier version is written anew as a whole.
    since = since if path.endswith(".jsonl") else 0
    return transcript_tail.file_size(path), chat_session.last_summary(path, since)


def shows_reply(event: Event, reply_hash: str, since: str = "") -> bool | None:
    """Returns None for VS Code: the transcript does not show what hooks add."""
    return hook_event.shows_reply(event, NAME, reply_hash, since)
