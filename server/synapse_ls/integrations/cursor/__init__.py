"""Cursor, whose agent transcripts have neither usage figures nor what hooks add.

``sessionStart`` and ``postToolUse`` accept ``additional_context``; ``beforeSubmitPrompt`` does in
the editor from 3.20 on, undocumented and for that turn. ``cursor-agent``, whose versions are dates,
does not report prompts in print mode. Usage comes with ``preCompact``, ``stop`` and
``afterAgentResponse``.

Source: the Cursor hooks documentation, checked against the code of its SDK 1.0.32 and reports about
3.12.17 and 3.20.17.
"""

from synapse_ls.formats.session_values import PASSES, STANDS, UNSURE
from synapse_ls.integrations.hook_client import HookClient, Reply, Usage
from synapse_ls.integrations.hook_event import (
    COMPACTING,
    OTHER,
    PROMPT,
    SESSION_START,
    STOP,
    TOOL,
    TOOL_BEFORE,
    Event,
    Payload,
    add_folders,
    local_paths,
    number_field,
    text_field,
    text_items,
)

_ASKING_EVENTS = ("beforeShellExecution", "beforeMCPExecution")  # at others it goes on
_TOOLS_WITH_OWN_EVENT = ("Shell", "MCP:")  # which have one of these events, beside preToolUse
# The first that was seen to take what a prompt's reply says, and to lose no session's start.
_SURE_VERSION = (3, 20)
_FIRST_YEAR = 1000  # a version that begins with a year is one of cursor-agent
_INPUT_TOKEN_FIELDS = ("input_tokens", "cache_read_tokens", "cache_write_tokens")
_SIZE_UNITS = {"k": 1_000, "m": 1_000_000}


class Cursor(HookClient):
    """Cursor; what the start of a session told comes with each request."""

    name = "cursor"
    event_names = (
        "beforeSubmitPrompt", "sessionStart", "subagentStart", "preCompact", "beforeShellExecution",
        "beforeMCPExecution", "beforeReadFile", "preToolUse", "postToolUse", "postToolUseFailure",
        "afterFileEdit", "stop", "afterAgentResponse", "sessionEnd",
    )  # fmt: skip
    context_events = (PROMPT, SESSION_START, TOOL_BEFORE, TOOL)
    unread_events = (
        "afterFileEdit", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile",
    )  # fmt: skip
    reply_limit = 9_500  # longer than 10,000 characters is dropped or put into a file
    tells_at_start = True  # in print mode no prompt is reported
    reports_stops = True
    project_variable = "CURSOR_PROJECT_DIR"
    transcript_has_failures = False  # its transcripts have no results of tools

    def parse_event(self, raw: Payload, name: str) -> Event:
        event = super().parse_event(raw, name)
        add_folders(event, text_items(raw.get("workspace_roots")))
        if event.kind == PROMPT:
            attachments = raw.get("attachments")
            event.files = local_paths(
                text_field(item, "file_path", "filePath")
                for item in (attachments if isinstance(attachments, list) else ())
                if text_field(item, "type") != "rule"
            )
        elif event.name == "preToolUse" and text_field(raw, "tool_name").startswith(
            _TOOLS_WITH_OWN_EVENT
        ):
            event.kind = OTHER
        event.figures = _event_usage(event, raw)
        return event

    def wrap_context(self, event: Event, text: str) -> Reply:
        reply = {"additional_context": text}
        return {"continue": True, **reply} if event.kind == PROMPT else reply

    def notice_reply(self, event: Event, text: str) -> Reply:
        # Only at a compaction the person is shown something.
        return {"user_message": text} if text and event.kind == COMPACTING else {}

    def can_ask_at(self, event: Event) -> bool:
        return event.name in _ASKING_EVENTS

    def wrap_decision(self, event: Event, decision: str, reason: str) -> Reply:
        return {"permission": decision, "user_message": reason, "agent_message": reason}

    def ends_turn(self, event: Event) -> bool:
        return event.name == "stop" and event.raw.get("status") != "aborted"

    def reply_certainty(self, event: Event) -> str:
        if event.kind in (TOOL, TOOL_BEFORE):
            return STANDS
        parts = text_field(event.raw, "cursor_version").split("-", maxsplit=1)[0].split(".")[:2]
        version = tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else ()
        if version < _SURE_VERSION:
            return UNSURE
        if event.kind != PROMPT:
            return STANDS
        return PASSES if version[0] < _FIRST_YEAR else UNSURE


def _event_usage(event: Event, raw: Payload) -> Usage | None:
    """Return what a compaction or the end of a turn tells of the window; None for nothing."""
    used = number_field(raw, "context_tokens")
    window = number_field(raw, "context_window_size") or _chosen_window(raw)
    if used is None and event.kind == STOP:
        # Cached tokens are part of the input, or come beside it.
        whole, *cached = (number_field(raw, name) or 0 for name in _INPUT_TOKEN_FIELDS)
        used = (whole if whole >= sum(cached) else whole + sum(cached)) or None
        if used is not None and window and used > window:
            return None  # the sum of several model calls
    percent = raw.get("context_usage_percent")
    origin = f"Cursor's {event.name}"
    if used and window:
        return {"used": used, "window": window, "model": event.model, "origin": origin}
    if isinstance(percent, int | float) and 0 <= percent <= 100:
        return {"reported": 100 - percent, "origin": origin}
    return {"used": used, "window": None, "model": event.model, "origin": origin} if used else None


def _chosen_window(raw: Payload) -> int | None:
    """Return the window that the person chose ("1m", "200k") in tokens, None for no choice."""
    parameters = raw.get("model_params")
    for parameter in parameters if isinstance(parameters, list) else ():
        if text_field(parameter, "id") == "context":
            size = text_field(parameter, "value").strip().lower()
            digits, unit = (size[:-1], size[-1]) if size[-1:] in _SIZE_UNITS else (size, "")
            if digits.isdecimal() and len(digits) < 9:
                return int(digits) * _SIZE_UNITS.get(unit, 1) or None
    return None


CLIENT = Cursor()
