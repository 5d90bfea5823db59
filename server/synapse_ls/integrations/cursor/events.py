"""This module reads the hook events of Cursor, with their usage figures, and builds the replies
to them.

``sessionStart`` and ``postToolUse`` take ``additional_context`` by its documentation.
``beforeSubmitPrompt`` does so in the editor from 3.20 on, undocumented and for that turn;
``cursor-agent``, whose versions are dates, does not report prompts in print mode.

Source: the Cursor hooks documentation, checked against the code of its SDK 1.0.32 and against
reports about 3.12.17 and 3.20.17.
"""

from __future__ import annotations

from synapse_ls.engine import context_usage
from synapse_ls.integrations import hook_event
from synapse_ls.integrations.reply_shapes import ALLOW, ASK, DENY, deny_reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.integrations.hook_event import Event

NAME: Final = "cursor"
REPLY_LIMIT: Final = (
    9_500  # code points; longer than 10,000 characters is dropped or put into a file
)
KEEPS_CONTEXT: Final = True  # what the start of a session told comes with each request
TELLS_AT_START: Final = True  # in print mode no prompt is reported
FAILURES_NOT_IN_TRANSCRIPT: Final = True  # its transcripts have no results of tools

EVENT_KINDS: Final = hook_event.event_kinds(
    "beforeSubmitPrompt",
    "sessionStart",
    "subagentStart",
    "preCompact",
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "afterFileEdit",
    "stop",
    "afterAgentResponse",
    "sessionEnd",
)
CONTEXT_EVENTS: Final = (
    hook_event.PROMPT,
    hook_event.SESSION_START,
    hook_event.TOOL_BEFORE,
    hook_event.TOOL,
)
UNREAD_REPLY_EVENTS: Final = (
    "afterFileEdit",
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
)  # events of these kinds whose reply nobody reads

ASKING_EVENTS: Final = (
    "beforeShellExecution",
    "beforeMCPExecution",
)  # at others it does not, and goes on
_TOOLS_WITH_OWN_EVENT: Final = (
    "Shell",
    "MCP:",
)  # tools that have one of these events, beside preToolUse

_SURE_VERSION: Final = (
    3,
    20,
)  # the first that was seen to take what a prompt's reply says, and to lose no session's start
_FIRST_YEAR: Final = 1000  # a version that begins with a year is one of cursor-agent

_INPUT_TOKEN_FIELDS: Final = ("input_tokens", "cache_read_tokens", "cache_write_tokens")
_SIZE_UNITS: Final = {"k": 1_000, "m": 1_000_000}


def parse_event(raw: dict[str, Any], name: str) -> Event:
    """Returns the hook event in a payload of Cursor. name: the event that the command was
    registered for, or "".
    """
    event = hook_event.read_event(raw, name, EVENT_KINDS, "CURSOR_PROJECT_DIR")
    hook_event.add_folders(event, hook_event.text_items(raw.get("workspace_roots")))
    if event.kind == hook_event.PROMPT:
        event.files = hook_event.local_paths(_attached_files(raw.get("attachments")))
    elif event.name == "preToolUse" and hook_event.text_field(raw, "tool_name").startswith(
        _TOOLS_WITH_OWN_EVENT
    ):
        event.kind = hook_event.OTHER
    event.figures = _event_usage(event, raw)
    return event


def context_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that puts ``text`` before the model in Cursor; an empty object says
    nothing.
    """
    if not text or event.kind not in CONTEXT_EVENTS or event.name in UNREAD_REPLY_EVENTS:
        return {}
    reply = {"additional_context": text}
    return {"continue": True, **reply} if event.kind == hook_event.PROMPT else reply


def reply_certainty(event: Event) -> str:
    """Returns what is known of a text that the reply to an event of Cursor brings: `STANDS`,
    `PASSES` or `UNSURE`.
    """
    if event.kind in (hook_event.TOOL, hook_event.TOOL_BEFORE):
        return context_usage.STANDS
    version = _version_numbers(hook_event.text_field(event.raw, "cursor_version"))
    if version < _SURE_VERSION:
        return context_usage.UNSURE
    if event.kind != hook_event.PROMPT:
        return context_usage.STANDS
    return context_usage.PASSES if version[0] < _FIRST_YEAR else context_usage.UNSURE


def notice_reply(event: Event, text: str) -> dict[str, Any]:
    """Returns the hook reply that shows ``text`` to the person in Cursor, which only a compaction
    does.
    """
    return {"user_message": text} if text and event.kind == hook_event.COMPACTING else {}


def decision_reply(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """Returns the reply to Cursor about a tool that is about to be used. "allow" gives an empty
    reply, so the client goes on as it would; "ask" has a person asked; "deny" keeps the tool from
    being used.
    """
    if decision == ALLOW:
        return {}
    if decision == ASK and event.name not in ASKING_EVENTS:
        decision, reason = DENY, deny_reason(reason)
    return {"permission": decision, "user_message": reason, "agent_message": reason}


def read_usage(event: Event) -> dict[str, object] | None:
    """Returns what the event itself says of usage: transcripts of Cursor have no figures."""
    return hook_event.read_usage(event, NAME)


def shows_reply(event: Event, reply_hash: str, since: str = "") -> bool | None:
    """Returns None for Cursor: the transcript does not show what hooks add."""
    return hook_event.shows_reply(event, NAME, reply_hash, since)


def _version_numbers(version: str) -> tuple[int, ...]:
    """Returns the first two numbers of a version, () where it does not begin with them."""
    parts = version.split("-", maxsplit=1)[0].split(".")[:2]
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()


def _attached_files(attachments: object) -> list[str]:
    """Returns the files of a prompt's attachments; the other kind of them are rules."""
    found = attachments if isinstance(attachments, list) else []
    return [
        hook_event.text_field(item, "file_path", "filePath")
        for item in found
        if hook_event.text_field(item, "type") != "rule"
    ]


def _event_usage(event: Event, raw: dict[str, Any]) -> dict[str, object] | None:
    """Returns what a compaction or the end of a turn tells of the window, in the shape of
    `read_usage`; None for nothing.
    """
    used = hook_event.number_field(raw, "context_tokens")
    window = hook_event.number_field(raw, "context_window_size") or _chosen_window(event, raw)
    if used is None and event.kind == hook_event.STOP:
        used = _sent_tokens(raw)
        if used is not None and window and used > window:
            return None  # the sum of several model calls
    percent = raw.get("context_usage_percent")
    origin = f"Cursor's {event.name}"
    if used and window:
        return {"used": used, "window": window, "model": event.model, "origin": origin}
    if isinstance(percent, int | float) and 0 <= percent <= 100:
        return {"reported": 100 - percent, "origin": origin}
    if used:
        return {"used": used, "window": None, "model": event.model, "origin": origin}
    return None


def _sent_tokens(raw: dict[str, Any]) -> int | None:
    """Returns how many tokens the model was sent: cached ones are part of the input, or come
    beside it.
    """
    whole, *cached = (hook_event.number_field(raw, name) or 0 for name in _INPUT_TOKEN_FIELDS)
    beside = sum(cached)
    return (whole if whole >= beside else whole + beside) or None


def _chosen_window(event: Event, raw: dict[str, Any]) -> int | None:
    """Returns the window that the person chose ("1m", "200k") in tokens, None where they had no
    choice.
    """
    params = raw.get("model_params")
    for param in params if isinstance(params, list) else ():
        if hook_event.text_field(param, "id") == "context":
            size = hook_event.text_field(param, "value").strip().lower()
            digits, unit = (size[:-1], size[-1]) if size[-1:] in _SIZE_UNITS else (size, "")
            if digits.isdecimal() and len(digits) < 9:
                return int(digits) * _SIZE_UNITS.get(unit, 1) or None
    return None
