"""Codex CLI: its events and replies.

An object with any field that its schema does not know makes the hook fail, so nothing is said here
that the schema of the event lacks.

Source: the schemas of hook inputs and outputs in openai/codex, checked against 0.169.
"""

from __future__ import annotations

from synapse_ls.hosts import event as events
from synapse_ls.hosts import fields
from synapse_ls.hosts.replies import ASK, DENY, by_a_person, nested, ruled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.hosts.event import Event

NAME: Final = "codex"
LIMIT: Final = 9_500  # code points; its additionalContextLimit is 10,000 characters unless set
KEEPS: Final = True  # injected text stays in the conversation (measured)

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
    return fields.read(raw, name, KINDS)


def reply(event: Event, text: str) -> dict[str, Any]:
    """The reply that puts ``text`` before the model, as a message of the developer."""
    return nested(event, text) if text and event.kind in TAKES else {}


def notify(event: Event, text: str) -> dict[str, Any]:
    """The reply that shows ``text`` to the person; an unknown event may have a schema without."""
    return {"systemMessage": text} if text and event.kind != events.OTHER else {}


def decide(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """The reply to a tool that is about to be used: "allow" says nothing, so the client goes on as
    it would, "ask" and "deny" keep the tool from being used. It has "ask" in its schema and goes on
    as if nothing had been said."""
    if decision == ASK:
        return ruled(event, DENY, by_a_person(reason))
    return ruled(event, decision, reason)


def usage(event: Event) -> dict[str, object] | None:
    """Tokens in use and the window's size, from the last model call of the rollout file."""
    return fields.usage(event, NAME, event.model)


def arrived(event: Event, told: str, since: str = "") -> bool | None:
    """Whether the rollout file shows the reply whose `text_hash` is ``told``."""
    return fields.arrived(event, NAME, told, since)
