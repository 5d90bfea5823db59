"""Claude Code: hook events, replies, and usage from its transcript.

Sources: the Claude Code hooks reference and its transcript format, checked against 2.1.
"""

from __future__ import annotations

import os

from synapse_ls.hosts import event as events
from synapse_ls.hosts.event import Event, text_field
from synapse_ls.text.json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final

NAME: Final = "claude"
LIMIT: Final = 9_500  # code points; past 10,000 characters the model gets a preview and a path
KEEPS: Final = True  # injected text stays in the conversation (measured)

KINDS: Final = {
    "UserPromptSubmit": events.PROMPT,
    "SessionStart": events.SESSION_START,
    "PreCompact": events.COMPACTING,
}
# Prompts of these sources were written by the client itself.
UNATTENDED: Final = ("system", "loop_wakeup", "schedule_wakeup", "poll_event")

# Context windows in tokens by the start of a model's id; the first that fits counts.
WINDOWS: Final = (
    ("claude-opus-4-7", 1_000_000),
    ("claude-opus-4-8", 1_000_000),
    ("claude-opus-5", 1_000_000),
    ("claude-sonnet-5", 1_000_000),
    ("claude-haiku-5-5", 1_000_000),
    ("claude-fable-5", 1_000_000),
    ("claude-mythos-5", 1_000_000),
    ("claude-", 200_000),
)
KNOWN_WINDOWS: Final = (200_000, 1_000_000)

_CHUNK: Final = 262_144  # bytes read from the end of a transcript at a time
_DEEPEST: Final = 8_388_608  # bytes after which an older record says nothing about now


def parse(raw: dict[str, Any], name: str) -> Event:
    """The event in a payload; ``name`` is the event the command was registered for, or ""."""
    told = text_field(raw, "hook_event_name") or name
    event = Event(KINDS.get(told, events.OTHER), told, raw)
    event.session_id = text_field(raw, "session_id", "sessionId")
    event.cwd = text_field(raw, "cwd")
    named = os.environ.get("CLAUDE_PROJECT_DIR", "")
    event.projects = (named,) if named else ()
    event.prompt = text_field(raw, "prompt")
    event.transcript = text_field(raw, "transcript_path")
    event.source = text_field(raw, "source")
    event.agent = text_field(raw, "agent_type")
    event.window = text_field(raw, "agent_id")
    event.counts = event.kind != events.PROMPT or event.source not in UNATTENDED
    return event


def reply(event: Event, text: str) -> dict[str, Any]:
    """The reply that puts ``text`` before the model; an empty object says nothing."""
    if not text or event.kind == events.COMPACTING:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}


def usage(event: Event) -> dict[str, object] | None:
    """Tokens in use and the window's size, from the last turn of the main conversation."""
    if not event.transcript:
        return None
    override = os.environ.get("CLAUDE_CODE_DISABLE_1M_CONTEXT") == "1"
    for line in _lines_backward(event.transcript):
        if b'"compact_boundary"' in line and _record(line).get("subtype") == "compact_boundary":
            return None
        if b'"usage"' not in line or b'"assistant"' not in line:
            continue
        record = _record(line)
        message = record.get("message")
        if record.get("type") != "assistant" or record.get("isSidechain") is True:
            continue
        if not isinstance(message, dict) or not isinstance(message.get("usage"), dict):
            continue
        used = sum(
            value
            for field in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
            if isinstance(value := message["usage"].get(field), int)
        )
        if used > 0:
            model = message.get("model")
            window = window_of(model if isinstance(model, str) else "", used)
            return {"used": used, "window": 200_000 if override else window}
    return None


def window_of(model: str, used: int) -> int:
    """The context window of ``model`` in tokens; more in use than the table knows raises it."""
    size = next((tokens for prefix, tokens in WINDOWS if model.startswith(prefix)), 200_000)
    if model.endswith("[1m]"):
        size = 1_000_000
    return size if used <= size else next((w for w in KNOWN_WINDOWS if w >= used), used)


def _record(line: bytes) -> dict[str, Any]:
    try:
        value = loads(line.decode("utf-8", "replace"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _lines_backward(path: str) -> Iterator[bytes]:
    """The lines of a file from the last, without reading more of it than is asked for."""
    try:
        descriptor = os.open(
            path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        )
    except (OSError, ValueError):
        return
    try:
        size = os.fstat(descriptor).st_size
        start, tail = size, b""
        while start > 0 and size - start < _DEEPEST:
            step = min(_CHUNK, start)
            start -= step
            os.lseek(descriptor, start, os.SEEK_SET)
            head, *lines = (os.read(descriptor, step) + tail).split(b"\n")
            yield from reversed(lines)
            tail = head
        if start == 0 and tail:
            yield tail
    except OSError:
        return
    finally:
        os.close(descriptor)
