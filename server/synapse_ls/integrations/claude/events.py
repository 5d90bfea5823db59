"""This module reads the hook events of Claude Code and builds the replies to them.

Source: the Claude Code hooks reference, checked against 2.1.
"""

from __future__ import annotations

from synapse_ls.integrations import hook_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any, Final

    from synapse_ls.integrations.hook_event import Event
    from synapse_ls.integrations.transcript_tail import Branch

NAME: Final = "claude"
REPLY_LIMIT: Final = (
    9_500  # code points; past 10,000 characters the model gets a preview and a path
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
# Events at which an empty reply is no bytes: what is printed then becomes an instruction for the summary.
SILENT_EVENTS: Final = (hook_event.COMPACTING,)


def parse_event(raw: dict[str, Any], name: str) -> Event:
    """Returns the hook event in a payload of Claude Code. name: the event that the command was
    registered for, or "".
    """
    event = hook_event.read_event(raw, name, EVENT_KINDS, "CLAUDE_PROJECT_DIR")
    tokens = hook_event.number_field(raw, "context_tokens")
    if event.kind == hook_event.SESSION_START and tokens:
        window = hook_event.transcript_module(NAME).model_window(event.model, tokens)
        origin = "Claude Code's session start"
        event.figures = {"used": tokens, "window": window, "model": event.model, "origin": origin}
    return event


def context_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that puts ``text`` before the model in Claude Code; an empty object
    says nothing.
    """
    if not text or event.kind not in CONTEXT_EVENTS:
        return {}
    from synapse_ls.integrations.reply_shapes import nested_context

    return nested_context(event, text)


def notice_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that shows ``text`` to the person in Claude Code."""
    return {"systemMessage": text} if text else {}


def decision_reply(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """Returns the reply to Claude Code about a tool that is about to be used. "allow" gives an
    empty reply, so the client goes on as it would; "ask" has a person asked; "deny" keeps the tool
    from being used.
    """
    from synapse_ls.integrations.reply_shapes import nested_permission

    return nested_permission(event, decision, reason)


def read_usage(event: Event) -> dict[str, object] | None:
    """Returns tokens in use and the window's size in Claude Code, from the last turn of the main
    conversation.
    """
    return hook_event.read_usage(event, NAME, event.model)


def read_branch(
    event: Event, hashes: Collection[str], newest: str = "", turn: str = ""
) -> Branch | None:
    """Reads, from the transcript of Claude Code, the branch that leads to the newest message; None
    where there is no transcript. The arguments are those of `claude.transcript.read_branch`.
    """
    if not event.transcript:
        return None
    module = hook_event.transcript_module(NAME)
    branch: Branch = module.read_branch(event.transcript, hashes, newest, turn)
    return branch
