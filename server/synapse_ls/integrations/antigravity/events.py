"""This module reads the hook events of Antigravity and builds the replies to them.

``PreInvocation`` comes before every model call and does not carry the prompt: that is the
last one of the transcript, and ``turn`` is the same for all calls that it leads to.

Source: the Antigravity hooks documentation and reports about 1.1.21 to 1.2.6; not checked
here.
"""

from __future__ import annotations

from synapse_ls.integrations import hook_event
from synapse_ls.integrations.reply_shapes import ASK, DENY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.integrations.hook_event import Event

NAME: Final = "antigravity"
REPLY_LIMIT: Final = 60_000  # code points; no limit is known
KEEPS_CONTEXT: Final = False  # an ephemeral message is for one model call
# It takes an empty reply for "deny". "ask" goes on as it would, past what the person has allowed for
# good; "force_ask" asks each time.
EMPTY_REPLIES: Final = {hook_event.TOOL_BEFORE: {"decision": "ask"}}
PROMPTS_PER_MODEL_CALL: Final = True  # its prompt event comes before every call of the model

EVENT_KINDS: Final = hook_event.event_kinds(
    "PreInvocation", "SessionStart", "PreToolUse", "PostToolUse", "Stop"
)


def parse_event(raw: dict[str, Any], name: str) -> Event:
    """Returns the hook event in a payload of Antigravity. name: the event that the command was
    registered for, or "".
    """
    event = hook_event.read_event(raw, name, EVENT_KINDS)
    hook_event.add_folders(event, hook_event.text_items(raw.get("workspacePaths")))
    if event.kind == hook_event.PROMPT and event.transcript and not event.prompt:
        last = hook_event.transcript_module(NAME).last_prompt(event.transcript)
        event.prompt, event.turn = (hook_event.replace_surrogates(part) for part in last)
    event.is_counted = event.is_counted and bool(event.prompt)
    return event


def context_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that puts ``text`` before the model in Antigravity; an empty object
    says nothing.
    """
    if not text or event.kind != hook_event.PROMPT:
        return {}
    return {"injectSteps": [{"ephemeralMessage": text}]}


def notice_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns an empty reply, since Antigravity shows the person no field of a hook's reply."""
    return {}


def decision_reply(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """Returns the reply to Antigravity about a tool that is about to be used. "allow" gives an
    empty reply, so the client goes on as it would; "ask" has a person asked; "deny" keeps the tool
    from being used.
    """
    if decision == DENY:
        return {"decision": "deny", "reason": reason}
    return {"decision": "force_ask", "reason": reason} if decision == ASK else {}


def read_usage(event: Event) -> dict[str, object] | None:
    """Returns None for Antigravity: neither its events nor its transcript have figures."""
    return hook_event.read_usage(event, NAME)


def shows_reply(event: Event, reply_hash: str, since: str = "") -> bool | None:
    """Returns None for Antigravity: what is said for one model call is written nowhere."""
    return hook_event.shows_reply(event, NAME, reply_hash, since)
