"""A hook event of an agent client, in one vocabulary for all clients.

Clients differ in spelling, not in what an event is: names of events and fields are tables, and a
client's module lists only its events. Types of fields are always checked.

Sources: the hooks references of Claude Code, VS Code, GitHub Copilot, Cursor, Codex, Gemini CLI and
Antigravity, and payloads recorded from those that can be run.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Final

    Payload = dict[str, Any]
else:
    Payload = dict  # for annotations of modules that have no use for `typing`

PROMPT: Final = "prompt"  # a person or a program submitted a prompt
SESSION_START: Final = "session-start"
SUBAGENT_START: Final = "subagent-start"
COMPACTING: Final = "compacting"  # the client is about to compact its history
COMPACTED: Final = "compacted"  # it has done so
TOOL_BEFORE: Final = "tool-before"  # a tool is about to be used
TOOL: Final = "tool"  # a tool was used
STOP: Final = "stop"  # a turn has ended, and its star-commands with it
SESSION_END: Final = "session-end"
OTHER: Final = "other"  # nothing to say

# Why a session starts.
STARTUP_SOURCE: Final = "startup"
RESUME_SOURCE: Final = "resume"  # the window holds what it held
COMPACT_SOURCE: Final = "compact"
FORK_SOURCE: Final = "fork"  # the window of another session


class Event:
    """A hook event, as read from the payload of any client.

    kind: one of the constants of this module; name: the event as its client spells it. source
    says why a session starts: a constant, too, or "clear". projects: the
    project folders that the client names, the first one first. agent: the client's own field
    for the agent of this turn. subagent: the id of the sub-agent in whose own context window this
    happens, or "" where it is the main one.
    turn: the client's name for the turn, or "". model: the id of the model in use, or "".
    is_counted: whether a person or a calling program wrote the prompt. files: what the prompt
    attaches or the tool has touched, as the client spells it; edited: those of them that the
    tool has changed. error: the words of the failure that the tool has met with, or "".
    figures: what the event itself says of usage, as `read_usage` of a client returns it, or
    None. raw: the whole payload.
    """

    def __init__(self, kind: str, name: str, raw: Payload) -> None:
        self.kind = kind
        self.name = name
        self.raw = raw
        self.session_id = self.cwd = self.prompt = self.transcript = self.turn = ""
        self.agent = self.subagent = self.source = self.model = self.error = ""
        self.projects: tuple[str, ...] = ()
        self.files: tuple[str, ...] = ()
        self.edited: tuple[str, ...] = ()
        self.figures: dict[str, object] | None = None
        self.is_counted = True


def fold_name(name: str) -> str:
    """Return a name in a payload, a value such as that of the event, without what clients spell
    differently: case, dashes, underscores.
    """
    return name.lower().replace("_", "").replace("-", "")


def text_field(raw: object, *names: str) -> str:
    """Return the first value of some fields of a payload that is a text with content, or "". It can
    be written as UTF-8.
    """
    if isinstance(raw, dict):
        for name in names:
            value = raw.get(name)
            if isinstance(value, str) and value:
                return value if value.isascii() else replace_surrogates(value)
    return ""


def text_items(value: object) -> list[str]:
    """Return the texts with content in a value of a payload that is a list; none where it is
    none.
    """
    if not isinstance(value, list | tuple):
        return []
    return [replace_surrogates(item) for item in value if isinstance(item, str) and item]


def replace_surrogates(value: str) -> str:
    """Return a value of a payload with ``?`` for halves of surrogate pairs."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def number_field(raw: Payload, *names: str) -> int | None:
    """Return the first value of some fields of a payload that is a non-negative number, in whole
    units; None for none.
    """
    for name in names:
        value = raw.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15:
            return int(value)
    return None


def local_path(name: str) -> str:
    """Return a value of a payload that is a path, or a ``file:`` URI, as the operating system knows
    it: ended by a NUL, and with U+FFFD for half a character.
    """
    if name.startswith("file://"):
        host, slash, path = name[7:].partition("/")
        # Return `path` with the bytes that a URI writes as `%20`.
        first, *rest = (slash + path).encode("utf-8", "replace").split(b"%")
        pieces = [first]
        for piece in rest:
            code = piece[:2]
            if len(code) == 2 and not code.strip(b"0123456789abcdefABCDEF"):
                pieces.append(bytes.fromhex(code.decode()) + piece[2:])
            else:
                pieces.append(b"%" + piece)
        name = b"".join(pieces).decode("utf-8", "replace").partition("\0")[0]
        if host not in ("", "localhost"):
            return f"//{host}{name}"
    if not name.isascii():
        name = name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    name = name.partition("\0")[0]
    if name[:1] == "/" and name[2:4] == ":/" and name[1].isalpha():
        return name[1:]  # "/c:/work", as some clients write C:\work
    return name


def local_paths(names: Iterable[str]) -> tuple[str, ...]:
    """Return values of a payload that are paths or ``file:`` URIs as local paths, in their order,
    each once.
    """
    return tuple(dict.fromkeys(filter(None, map(local_path, names))))


# Events as `fold_name` spells them. Those of our own vocabulary serve ``--event`` in any client.
KINDS_BY_NAME: Final = {
    name: kind
    for kind, names in (
        (PROMPT, ("prompt", "userpromptsubmit", "userpromptsubmitted", "beforesubmitprompt")),
        (PROMPT, ("beforeagent", "preinvocation")),
        (SESSION_START, ("sessionstart",)),
        (SUBAGENT_START, ("subagentstart",)),
        (COMPACTING, ("compacting", "precompact", "precompress")),
        (COMPACTED, ("compacted", "postcompact")),
        (TOOL_BEFORE, ("toolbefore", "pretooluse", "beforetool", "beforeshellexecution")),
        (TOOL_BEFORE, ("beforemcpexecution", "beforereadfile")),
        (TOOL, ("tool", "posttooluse", "posttoolusefailure", "aftertool", "afterfileedit")),
        (STOP, ("stop", "agentstop", "afteragent", "afteragentresponse")),
        (SESSION_END, ("sessionend",)),
    )
    for name in names
}

# The event of a payload that names none, by the first of these fields that it has.
KINDS_BY_FIELD: Final = (
    ("transformedPrompt", OTHER), ("prompt", PROMPT), ("invocationNum", PROMPT),
    ("toolResult", TOOL), ("tool_response", TOOL), ("toolArgs", TOOL_BEFORE),
    ("trigger", COMPACTING), ("stopReason", STOP), ("terminationReason", STOP),
    ("source", SESSION_START), ("reason", SESSION_END),
)  # fmt: skip

# Sources of prompts that a person or a calling program wrote: any other is the client itself.
_PROMPT_SOURCES: Final = ("", "user", "sdk")
# How one begins that tells of a sub-agent's end; a terminal of Claude Code names no source.
_NOTIFICATION: Final = "<task-notification>"

_SOURCE_ALIASES: Final = {"new": "startup"}
_OWN_NAMES: Final = (
    PROMPT, COMPACTING, COMPACTED, TOOL_BEFORE, TOOL,
)  # fmt: skip


def read_event(
    raw: Payload, name: str, client_kinds: Mapping[str, str], project: str = ""
) -> Event:
    """Read the hook event in the payload of any client, but for what a tool was used on.

    name: the event that the command was registered for, or "". client_kinds: the client's own
    events. project: the environment variable in which the client names the project folder.
    """
    event_name, kind = _identify_event(raw, name, client_kinds)
    event = Event(kind, event_name, raw)
    event.session_id = text_field(
        raw, "session_id", "sessionId", "conversation_id", "conversationId", "thread_id"
    )
    event.cwd = local_path(text_field(raw, "cwd"))
    event.projects = local_paths([os.environ.get(project, "")] if project else ())
    event.transcript = local_path(text_field(raw, "transcript_path", "transcriptPath"))
    source = text_field(raw, "source")
    event.source = _SOURCE_ALIASES.get(source, source)
    event.agent = text_field(
        raw, "agent_type", "agentType", "agent_name", "agentName", "subagent_type"
    )
    event.subagent = text_field(raw, "agent_id", "agentId", "subagent_id")
    event.turn = text_field(raw, "turn_id", "turnId", "prompt_id", "promptId", "generation_id")
    event.model = text_field(raw, "model_id", "modelId", "model", "modelName")
    if kind == PROMPT:
        event.prompt = text_field(raw, "prompt", "user_prompt", "userPrompt")
        is_notification = event.prompt.startswith(_NOTIFICATION)
        event.is_counted = source in _PROMPT_SOURCES and not is_notification
    elif kind == SUBAGENT_START:
        # A sub-agent that has only a name still has a window of its own.
        event.subagent = event.subagent or event.agent or "subagent"
    return event


def _identify_event(raw: Payload, name: str, client_kinds: Mapping[str, str]) -> tuple[str, str]:
    """Return the name of an event as its client spells it, and its kind."""
    event_name = text_field(raw, "hook_event_name", "hookEventName") or name
    if event_name in client_kinds:
        return event_name, client_kinds[event_name]
    like = fold_name(event_name)
    for client_name, kind in client_kinds.items():
        if fold_name(client_name) == like:
            return client_name, kind
    if event_name:
        kind = KINDS_BY_NAME.get(like, OTHER)
    else:
        kind = next((kind for field, kind in KINDS_BY_FIELD if field in raw), OTHER)
    if event_name in ("", *_OWN_NAMES):
        event_name = next(
            (client_name for client_name in client_kinds if client_kinds[client_name] == kind),
            event_name,
        )
    return event_name, kind


def add_folders(event: Event, names: Iterable[str]) -> None:
    """Add the folders that the client works on to a hook event that was read; the first one is its
    working folder, unless the payload says another.
    """
    event.projects = local_paths((*event.projects, *names))
    if not event.cwd and event.projects:
        event.cwd = event.projects[0]
