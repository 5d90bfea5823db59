"""This module reads the hook events of GitHub Copilot and builds the replies to them, for its
command line, its harness in VS Code, and the cloud agent.

A hook is called in the spelling of the name under which it is registered:
``userPromptSubmitted`` gets ``sessionId``, ``UserPromptSubmit`` gets ``session_id``. The
reply is flat for both, for hooks from ``.claude/settings.json`` too.

Source: the hooks reference in github/docs, checked against 1.0.102. What it says of
``userPromptSubmitted``, that its output is dropped, does not hold there; for the agent in the
cloud it is believed, so the start of a session is answered for its ``initialPrompt``.
"""

from __future__ import annotations

from synapse_ls.integrations import hook_event
from synapse_ls.integrations.reply_shapes import ALLOW, permission_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.integrations.hook_event import Event

NAME: Final = "copilot"
REPLY_LIMIT: Final = 60_000  # code points; so much passes whole (measured)
EVENT_LIMITS: Final = {
    hook_event.TOOL_BEFORE: 5_000,
    hook_event.TOOL: 5_000,
}  # 10 KB; two bytes a character
KEEPS_CONTEXT: Final = True  # injected text is stored as part of the prompt (measured)
TELLS_AT_START: Final = True  # in the cloud a prompt's reply is dropped, and this one is taken

EVENT_KINDS: Final = hook_event.event_kinds(
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
CONTEXT_EVENTS: Final = (
    hook_event.PROMPT,
    hook_event.SESSION_START,
    hook_event.SUBAGENT_START,
    hook_event.TOOL_BEFORE,
    hook_event.TOOL,
)


def parse_event(raw: dict[str, Any], name: str) -> Event:
    """Returns the hook event in a payload of Copilot. name: the event that the command was
    registered for, or "".
    """
    event = hook_event.read_event(raw, name, EVENT_KINDS, "COPILOT_PROJECT_DIR")
    if not event.transcript:
        event.transcript = hook_event.transcript_module(NAME).events_path(event.session_id)
    if event.kind == hook_event.SESSION_START:
        event.prompt = hook_event.text_field(raw, "initialPrompt", "initial_prompt")
    return event


def context_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that puts ``text`` before the model in Copilot; an empty object says
    nothing.
    """
    return {"additionalContext": text} if text and event.kind in CONTEXT_EVENTS else {}


def notice_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns an empty reply, since Copilot shows the person no field of a hook's reply."""
    return {}


def decision_reply(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """Returns the reply to Copilot about a tool that is about to be used. "allow" gives an empty
    reply, so the client goes on as it would; "ask" has a person asked; "deny" keeps the tool from
    being used.
    """
    return {} if decision == ALLOW else permission_fields(decision, reason)


def read_usage(event: Event) -> dict[str, object] | None:
    """Returns tokens in use and the window's size in Copilot, from the events of the session."""
    return hook_event.read_usage(event, NAME)


def shows_reply(event: Event, reply_hash: str, since: str = "") -> bool | None:
    """Tells whether the session's events of Copilot show the reply whose `hash_text` is
    ``reply_hash``; None: they cannot tell.
    """
    return hook_event.shows_reply(event, NAME, reply_hash, since)
