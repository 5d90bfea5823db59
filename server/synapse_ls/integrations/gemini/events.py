"""This module reads the hook events of Gemini CLI and builds the replies to them.

It escapes the angle brackets of what hooks add, so blocks reach it without any of their own.

Source: the hooks reference in google-gemini/gemini-cli, checked against 0.61.
"""

from __future__ import annotations

from synapse_ls.integrations import hook_event, transcript_tail
from synapse_ls.integrations.reply_shapes import (
    ALLOW,
    ASK,
    DENY,
    convert_tags_to_headings,
    deny_reason,
    nested_context,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.integrations.hook_event import Event

NAME: Final = "gemini"
REPLY_LIMIT: Final = 60_000  # code points; no limit is known
KEEPS_CONTEXT: Final = (
    True  # injected text stays in the conversation (measured, against its documentation)
)

EVENT_KINDS: Final = hook_event.event_kinds(
    "BeforeAgent",
    "SessionStart",
    "PreCompress",
    "BeforeTool",
    "AfterTool",
    "AfterAgent",
    "SessionEnd",
)
CONTEXT_EVENTS: Final = (hook_event.PROMPT, hook_event.SESSION_START, hook_event.TOOL)

_CONTEXT_OPEN: Final = "<hook_context>"
_CONTEXT_CLOSE: Final = "</hook_context>"
_FILE_CONTENTS: Final = "\n--- Content from referenced files ---"
_FILE_CONTENT: Final = "\nContent from @"


def parse_event(raw: dict[str, Any], name: str) -> Event:
    """Returns the hook event in a payload of Gemini CLI. name: the event that the command was
    registered for, or "".
    """
    event = hook_event.read_event(raw, name, EVENT_KINDS, "GEMINI_PROJECT_DIR")
    if event.kind == hook_event.PROMPT:
        event.prompt, event.files = _typed_prompt(_strip_hook_context(event.prompt))
    elif event.kind == hook_event.COMPACTING and raw.get("trigger") == "auto":
        event.kind = (
            hook_event.OTHER
        )  # comes before every model call, and hardly ever is anything cut
    return event


def context_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that puts ``text`` before the model in Gemini CLI; an empty object
    says nothing.
    """
    return (
        nested_context(event, convert_tags_to_headings(text))
        if text and event.kind in CONTEXT_EVENTS
        else {}
    )


def notice_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that shows ``text`` to the person in Gemini CLI."""
    return {"systemMessage": text} if text else {}


def decision_reply(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """Returns the reply to Gemini CLI about a tool that is about to be used. "allow" gives an empty
    reply, so the client goes on as it would; "ask" and "deny" keep the tool from being used: the
    client can ask, but without a terminal it then waits for an answer for good.
    """
    if decision == ASK:
        decision, reason = DENY, deny_reason(reason)
    return {} if decision == ALLOW else {"decision": decision, "reason": reason}


def read_usage(event: Event) -> dict[str, object] | None:
    """Returns tokens in use and the window's size in Gemini CLI, from the last model call of the
    session file.
    """
    return hook_event.read_usage(event, NAME)


def find_summary(event: Event, since: int) -> tuple[int, str]:
    """Returns the bytes that the session file of Gemini CLI has, and what names the last summary
    that was written behind the byte ``since``: its compression is announced before every model
    call, and ends unsaid.
    """
    from synapse_ls.integrations.gemini import transcript

    size = transcript_tail.file_size(event.transcript)
    return size, transcript.last_summary(event.transcript, size - since if since <= size else size)


def shows_reply(event: Event, reply_hash: str, since: str = "") -> bool | None:
    """Tells whether the session file of Gemini CLI shows the reply whose `hash_text` is
    ``reply_hash``; None: it cannot tell.
    """
    return hook_event.shows_reply(event, NAME, reply_hash, since)


def _strip_hook_context(prompt: str) -> str:
    """Returns a prompt without what hooks of the session's start have put before it."""
    while prompt.startswith(_CONTEXT_OPEN) and _CONTEXT_CLOSE in prompt:
        prompt = prompt.partition(_CONTEXT_CLOSE)[2].lstrip()
    return prompt


def _typed_prompt(prompt: str) -> tuple[str, tuple[str, ...]]:
    """Returns a prompt as it was typed, and the files that it attaches.

    The client looks for a file behind each ``@name``, writes the path of the first that has
    the name in its own, and appends its content: an ``@agent`` is lost where some file is
    called like it.
    """
    said, attached, contents = prompt.partition(_FILE_CONTENTS)
    if not attached:
        return prompt, ()
    names = [part.partition(":\n")[0] for part in contents.split(_FILE_CONTENT)[1:]]
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
