"""A client that nobody has described yet: the shape that most of the known ones understand.

Claude Code, Copilot, VS Code, Cursor and Gemini CLI each find their own field in one object and pass
over the rest. Codex does not: it fails a hook that says a word too many.
"""

from __future__ import annotations

from synapse_ls.hosts import event as events
from synapse_ls.hosts import fields
from synapse_ls.hosts.replies import nested, permission, ruled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.hosts.event import Event

NAME: Final = "other"
LIMIT: Final = 9_500  # code points; the smallest of the known limits
KEEPS: Final = False  # nobody has seen yet that it does

KINDS: Final = fields.kinds(
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
TAKES: Final = (
    events.PROMPT,
    events.SESSION_START,
    events.SUBAGENT_START,
    events.TOOL_BEFORE,
    events.TOOL,
)


def parse(raw: dict[str, Any], name: str) -> Event:
    """The event in a payload; ``name`` is the event the command was registered for, or ""."""
    event = fields.read(raw, name, KINDS)
    fields.located(event, fields.texts(raw.get("workspace_roots") or raw.get("workspacePaths")))
    return event


def reply(event: Event, text: str) -> dict[str, Any]:
    """The reply that puts ``text`` before the model in each of the known spellings."""
    if not text or event.kind not in TAKES:
        return {}
    return {"additional_context": text, "additionalContext": text, **nested(event, text)}


def notify(event: Event, text: str) -> dict[str, Any]:
    """The reply that shows ``text`` to the person, in the clients that have it from Claude Code."""
    return {"systemMessage": text} if text else {}


def decide(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """The reply to a tool that is about to be used: "allow" says nothing, so the client goes on as
    it would, "ask" has a person asked, "deny" keeps the tool from being used."""
    said = ruled(event, decision, reason)
    if not said:
        return {}
    spoken = {"decision": decision, "permission": decision, "reason": reason}
    return {**spoken, "agent_message": reason, **permission(decision, reason), **said}


def usage(event: Event) -> dict[str, object] | None:
    """None: nobody knows how to read its transcript."""
    return event.figures


def arrived(event: Event, told: str, since: str = "") -> bool | None:
    """None: nobody knows how to read its transcript."""
    return None
