"""VS Code's own harness ("Local"): its events and replies.

It takes Claude Code's names and, from files with a ``version``, Copilot's, which it turns into the
former before it calls.

Source: the hooks reference in microsoft/vscode-docs, checked against the Copilot extension of 1.139.
"""

from __future__ import annotations

from synapse_ls.hosts import event as events
from synapse_ls.hosts import fields
from synapse_ls.hosts.replies import nested, permission, ruled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.hosts.event import Event

NAME: Final = "vscode"
LIMIT: Final = 60_000  # code points; no limit is known
KEEPS: Final = True  # later requests have each prompt as it was rendered (its code)
UNTOLD_FAILURES: Final = True  # its transcripts say that a tool has failed, and not why

KINDS: Final = fields.kinds(
    "UserPromptSubmit",
    "SessionStart",
    "SubagentStart",
    "PreCompact",
    "PreToolUse",
    "PostToolUse",
    "Stop",
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
    return fields.read(raw, name, KINDS)


def reply(event: Event, text: str) -> dict[str, Any]:
    """The reply that puts ``text`` before the model; an empty object says nothing.

    It is flat as well: Copilot's harness looks the same where it names no variables, and this client
    reads one of the two.
    """
    if not text or event.kind not in TAKES:
        return {}
    return {"additionalContext": text, **nested(event, text)}


def notify(event: Event, text: str) -> dict[str, Any]:
    """The reply that shows ``text`` to the person."""
    return {"systemMessage": text} if text else {}


def decide(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """The reply to a tool that is about to be used: "allow" says nothing, so the client goes on as
    it would, "ask" has a person asked, "deny" keeps the tool from being used."""
    said = ruled(event, decision, reason)
    return {**permission(decision, reason), **said} if said else {}


def usage(event: Event) -> dict[str, object] | None:
    """Tokens in use and the window's size, from the debug log where that is on."""
    return fields.usage(event, NAME, event.session_id)


def arrived(event: Event, told: str, since: str = "") -> bool | None:
    """None: the transcript does not show what hooks add."""
    return fields.arrived(event, NAME, told, since)
