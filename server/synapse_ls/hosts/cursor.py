"""Cursor: its events, figures and replies.

Its documentation gives ``beforeSubmitPrompt`` no context; the client takes ``additional_context``
there as it does at ``sessionStart``.

Source: the Cursor hooks documentation, checked against the code of its SDK 1.0.32.
"""

from __future__ import annotations

from synapse_ls.hosts import event as events
from synapse_ls.hosts import fields
from synapse_ls.hosts.replies import ALLOW, ASK, DENY, by_a_person

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.hosts.event import Event

NAME: Final = "cursor"
LIMIT: Final = 9_500  # code points; longer than 10,000 characters is dropped or put into a file
KEEPS: Final = False  # nobody has seen yet that it does
UNTOLD_FAILURES: Final = True  # its transcripts have no results of tools

KINDS: Final = fields.kinds(
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
TAKES: Final = (events.PROMPT, events.SESSION_START, events.TOOL_BEFORE, events.TOOL)
DEAF: Final = (
    "afterFileEdit",
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
)  # events of these kinds whose reply nobody reads

ASKING: Final = ("beforeShellExecution", "beforeMCPExecution")  # at others it does not, and goes on
_OF_THEIR_OWN: Final = ("Shell", "MCP:")  # tools that have one of these events, beside preToolUse

_INPUTS: Final = ("input_tokens", "cache_read_tokens", "cache_write_tokens")
_UNITS: Final = {"k": 1_000, "m": 1_000_000}


def parse(raw: dict[str, Any], name: str) -> Event:
    """The event in a payload; ``name`` is the event the command was registered for, or ""."""
    event = fields.read(raw, name, KINDS, "CURSOR_PROJECT_DIR")
    fields.located(event, fields.texts(raw.get("workspace_roots")))
    if event.kind == events.PROMPT:
        event.files = fields.places(_attached(raw.get("attachments")))
    elif event.name == "preToolUse" and fields.text(raw, "tool_name").startswith(_OF_THEIR_OWN):
        event.kind = events.OTHER
    event.figures = _figures(event, raw)
    return event


def reply(event: Event, text: str) -> dict[str, Any]:
    """The reply that puts ``text`` before the model; an empty object says nothing."""
    if not text or event.kind not in TAKES or event.name in DEAF:
        return {}
    return {"additional_context": text}


def notify(event: Event, text: str) -> dict[str, Any]:
    """The reply that shows ``text`` to the person, which only a compaction does."""
    return {"user_message": text} if text and event.kind == events.COMPACTING else {}


def decide(event: Event, decision: str, reason: str) -> dict[str, Any]:
    """The reply to a tool that is about to be used: "allow" says nothing, so the client goes on as
    it would, "ask" has a person asked, "deny" keeps the tool from being used."""
    if decision == ALLOW:
        return {}
    if decision == ASK and event.name not in ASKING:
        decision, reason = DENY, by_a_person(reason)
    return {"permission": decision, "user_message": reason, "agent_message": reason}


def usage(event: Event) -> dict[str, object] | None:
    """What the event itself says: transcripts have no figures."""
    return fields.usage(event, NAME)


def arrived(event: Event, told: str, since: str = "") -> bool | None:
    """None: the transcript does not show what hooks add."""
    return fields.arrived(event, NAME, told, since)


def _attached(attachments: object) -> list[str]:
    """The files of a prompt's attachments; the other kind of them are rules."""
    found = attachments if isinstance(attachments, list) else []
    return [
        fields.text(item, "file_path", "filePath")
        for item in found
        if fields.text(item, "type") != "rule"
    ]


def _figures(event: Event, raw: dict[str, Any]) -> dict[str, object] | None:
    """What a compaction or the end of a turn tells of the window."""
    used = fields.number(raw, "context_tokens")
    window = fields.number(raw, "context_window_size") or _window(event, raw)
    if used is None and event.kind == events.STOP:
        used = _sent(raw)
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


def _sent(raw: dict[str, Any]) -> int | None:
    """What the model was sent, in tokens: cached ones are part of the input, or come beside it."""
    whole, *cached = (fields.number(raw, name) or 0 for name in _INPUTS)
    beside = sum(cached)
    return (whole if whole >= beside else whole + beside) or None


def _window(event: Event, raw: dict[str, Any]) -> int | None:
    """The window that the person chose ("1m", "200k"), None where they had no choice."""
    params = raw.get("model_params")
    for param in params if isinstance(params, list) else ():
        if fields.text(param, "id") == "context":
            size = fields.text(param, "value").strip().lower()
            digits, unit = (size[:-1], size[-1]) if size[-1:] in _UNITS else (size, "")
            if digits.isdecimal() and len(digits) < 9:
                return int(digits) * _UNITS.get(unit, 1) or None
    return None
