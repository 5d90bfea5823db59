"""Gemini CLI: its events and replies.

It escapes the angle brackets of what hooks add, so blocks reach it without any of their own.

Source: the hooks reference in google-gemini/gemini-cli, checked against 0.61.
"""

from __future__ import annotations

from synapse_ls.hosts import event as events
from synapse_ls.hosts import fields
from synapse_ls.hosts.replies import ALLOW, ASK, DENY, by_a_person, nested, unbracketed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.hosts.event import Event

NAME: Final = "gemini"
LIMIT: Final = 60_000  # code points; no limit is known
KEEPS: Final = True  # injected text stays in the conversation (measured, against its documentation)

KINDS: Final = fields.kinds(
    "BeforeAgent",
    "SessionStart",
    "PreCompress",
    "BeforeTool",
    "AfterTool",
    "AfterAgent",
    "SessionEnd",
)
TAKES: Final = (events.PROMPT, events.SESSION_START, events.TOOL)

_OPENING: Final = "<hook_context>"
_CLOSING: Final = "</hook_context>"
_CONTENTS: Final = "\n--- Content from referenced files ---"
_CONTENT: Final = "\nContent from @"


def parse(raw: dict[str, Any], name: str) -> Event:
    """The event in a payload; ``name`` is the event the command was registered for, or ""."""
    event = fields.read(raw, name, KINDS, "GEMINI_PROJECT_DIR")
    if event.kind == events.PROMPT:
        event.prompt, event.files = _typed(_said(event.prompt))
    elif event.kind == events.COMPACTING and raw.get("trigger") == "auto":
        event.kind = events.OTHER  # comes before every model call, and hardly ever is anything cut
    return event


def reply(event: Event, text: str) -> dict[str, Any]:
    """The reply that puts ``text`` before the model; an empty object says nothing."""
    return nested(event, unbracketed(text)) if text and event.kind in TAKES else {}


def notify(event: Event, text: str) -> dict[str, Any]:
    """The reply that shows ``text`` to the person."""
    return {"systemMessage": text} if text else {}


def decide(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """The reply to a tool that is about to be used: "allow" says nothing, so the client goes on as
    it would, "ask" and "deny" keep the tool from being used. It can ask, but without a terminal it
    then waits for an answer for good."""
    if decision == ASK:
        decision, reason = DENY, by_a_person(reason)
    return {} if decision == ALLOW else {"decision": decision, "reason": reason}


def usage(event: Event) -> dict[str, object] | None:
    """Tokens in use and the window's size, from the last model call of the session file."""
    return fields.usage(event, NAME)


def arrived(event: Event, told: str, since: str = "") -> bool | None:
    """Whether the session file shows the reply whose `text_hash` is ``told``."""
    return fields.arrived(event, NAME, told, since)


def _said(prompt: str) -> str:
    """A prompt without what hooks of the session's start have put before it."""
    while prompt.startswith(_OPENING) and _CLOSING in prompt:
        prompt = prompt.partition(_CLOSING)[2].lstrip()
    return prompt


def _typed(prompt: str) -> tuple[str, tuple[str, ...]]:
    """A prompt as it was typed, and the files that it attaches.

    The client looks for a file behind each ``@name``, writes the path of the first that has the name
    in its own, and appends its content: an ``@agent`` is lost where some file is called like it.
    """
    said, attached, contents = prompt.partition(_CONTENTS)
    if not attached:
        return prompt, ()
    names = [part.partition(":\n")[0] for part in contents.split(_CONTENT)[1:]]
    files = []
    parts = said.split("@")
    for at, part in enumerate(parts[1:], 1):
        path = (part.split(None, 1) or [""])[0]
        if path in names:
            names.remove(path)
            files.append(path)
        elif name := next((name for name in names if name and name in path), ""):
            names.remove(name)
            parts[at] = name + part[len(path) :]
    return "@".join(parts), tuple(files)
