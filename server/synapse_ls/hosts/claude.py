"""Claude Code: its events and replies.

Source: the Claude Code hooks reference, checked against 2.1.
"""

from __future__ import annotations

from synapse_ls.hosts import event as events
from synapse_ls.hosts import fields
from synapse_ls.hosts.replies import nested, ruled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.hosts.event import Event

NAME: Final = "claude"
LIMIT: Final = 9_500  # code points; past 10,000 characters the model gets a preview and a path
KEEPS: Final = True  # injected text stays in the conversation (measured)

KINDS: Final = fields.kinds(
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
TAKES: Final = (
    events.PROMPT,
    events.SESSION_START,
    events.SUBAGENT_START,
    events.TOOL_BEFORE,
    events.TOOL,
)


def parse(raw: dict[str, Any], name: str) -> Event:
    """The event in a payload; ``name`` is the event the command was registered for, or ""."""
    event = fields.read(raw, name, KINDS, "CLAUDE_PROJECT_DIR")
    tokens = fields.number(raw, "context_tokens")
    if event.kind == events.SESSION_START and tokens:
        window = fields.transcripts(NAME).window_of(event.model, tokens)
        origin = "Claude Code's session start"
        event.figures = {"used": tokens, "window": window, "model": event.model, "origin": origin}
    return event


def reply(event: Event, text: str) -> dict[str, Any]:
    """The reply that puts ``text`` before the model; an empty object says nothing."""
    return nested(event, text) if text and event.kind in TAKES else {}


def notify(event: Event, text: str) -> dict[str, Any]:
    """The reply that shows ``text`` to the person."""
    return {"systemMessage": text} if text else {}


def decide(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """The reply to a tool that is about to be used: "allow" says nothing, so the client goes on as
    it would, "ask" has a person asked, "deny" keeps the tool from being used."""
    return ruled(event, decision, reason)


def usage(event: Event) -> dict[str, object] | None:
    """Tokens in use and the window's size, from the last turn of the main conversation."""
    return fields.usage(event, NAME, event.model)


def arrived(event: Event, told: str, since: str = "") -> bool | None:
    """Whether the transcript shows the reply whose `text_hash` is ``told``; None: it cannot tell."""
    return fields.arrived(event, NAME, told, since)
