"""Antigravity: its events and replies.

``PreInvocation`` comes before every model call and does not tell the prompt: that is the last one of
the transcript, and ``turn`` is the same for all calls that it leads to.

Source: the Antigravity hooks documentation and reports about 1.1.21 to 1.2.6; not checked here.
"""

from __future__ import annotations

from synapse_ls.hosts import event as events
from synapse_ls.hosts import fields
from synapse_ls.hosts.replies import ASK, DENY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.hosts.event import Event

NAME: Final = "antigravity"
LIMIT: Final = 60_000  # code points; no limit is known
KEEPS: Final = False  # an ephemeral message is for one model call
# It takes an empty reply for "deny". "ask" goes on as it would, past what the person has allowed for
# good; "force_ask" asks each time.
NOTHING: Final = {events.TOOL_BEFORE: {"decision": "ask"}}
EACH_CALL: Final = True  # its prompt event comes before every call of the model

KINDS: Final = fields.kinds("PreInvocation", "SessionStart", "PreToolUse", "PostToolUse", "Stop")


def parse(raw: dict[str, Any], name: str) -> Event:
    """The event in a payload; ``name`` is the event the command was registered for, or ""."""
    event = fields.read(raw, name, KINDS)
    fields.located(event, fields.texts(raw.get("workspacePaths")))
    if event.kind == events.PROMPT and event.transcript and not event.prompt:
        last = fields.transcripts(NAME).last_prompt(event.transcript)
        event.prompt, event.turn = (fields.whole(part) for part in last)
    event.counts = event.counts and bool(event.prompt)
    return event


def reply(event: Event, text: str) -> dict[str, Any]:
    """The reply that puts ``text`` before the model; an empty object says nothing."""
    if not text or event.kind != events.PROMPT:
        return {}
    return {"injectSteps": [{"ephemeralMessage": text}]}


def notify(event: Event, text: str) -> dict[str, Any]:
    """Nothing: the client shows the person no field of a reply."""
    return {}


def decide(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """The reply to a tool that is about to be used: "allow" says nothing, so the client goes on as
    it would, "ask" has a person asked, "deny" keeps the tool from being used."""
    if decision == DENY:
        return {"decision": "deny", "reason": reason}
    return {"decision": "force_ask", "reason": reason} if decision == ASK else {}


def usage(event: Event) -> dict[str, object] | None:
    """None: nothing has figures."""
    return fields.usage(event, NAME)


def arrived(event: Event, told: str, since: str = "") -> bool | None:
    """None: what is said for one model call is written nowhere."""
    return fields.arrived(event, NAME, told, since)
