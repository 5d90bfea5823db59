"""GitHub Copilot: its command line, its harness in VS Code, and the cloud agent.

A hook is called in the spelling of the name under which it is registered: ``userPromptSubmitted``
gets ``sessionId``, ``UserPromptSubmit`` gets ``session_id``. The reply is flat for both, for hooks
from ``.claude/settings.json`` too.

Source: the hooks reference in github/docs, checked against 1.0.102. What it says of
``userPromptSubmitted``, that its output is dropped, does not hold there.
"""

from __future__ import annotations

from synapse_ls.hosts import event as events
from synapse_ls.hosts import fields
from synapse_ls.hosts.replies import ALLOW, permission

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.hosts.event import Event

NAME: Final = "copilot"
LIMIT: Final = 60_000  # code points; so much passes whole (measured)
LIMITS: Final = {events.TOOL_BEFORE: 5_000, events.TOOL: 5_000}  # 10 KB; two bytes a character
KEEPS: Final = True  # injected text is stored as part of the prompt (measured)

KINDS: Final = fields.kinds(
    "userPromptSubmitted",
    "sessionStart",
    "subagentStart",
    "preCompact",
    "preToolUse",
    "postToolUse",
    "agentStop",
    "sessionEnd",
    "UserPromptSubmit",
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
    event = fields.read(raw, name, KINDS, "COPILOT_PROJECT_DIR")
    if not event.transcript:
        event.transcript = fields.transcripts(NAME).events_path(event.session_id)
    return event


def reply(event: Event, text: str) -> dict[str, Any]:
    """The reply that puts ``text`` before the model; an empty object says nothing."""
    return {"additionalContext": text} if text and event.kind in TAKES else {}


def notify(event: Event, text: str) -> dict[str, Any]:
    """Nothing: the client shows the person no field of a reply."""
    return {}


def decide(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """The reply to a tool that is about to be used: "allow" says nothing, so the client goes on as
    it would, "ask" has a person asked, "deny" keeps the tool from being used."""
    return {} if decision == ALLOW else permission(decision, reason)


def usage(event: Event) -> dict[str, object] | None:
    """Tokens in use and the window's size, from the events of the session."""
    return fields.usage(event, NAME)


def arrived(event: Event, told: str, since: str = "") -> bool | None:
    """Whether the session's events show the reply whose `text_hash` is ``told``."""
    return fields.arrived(event, NAME, told, since)
