"""What every client's payload has, under all the names it has there.

Clients disagree about spelling, not about what an event is: so the names of events and of fields are
tables, and a host says only which of the events it knows. No field is believed to have the type that
it should have.

Sources: the hooks references of Claude Code, VS Code, GitHub Copilot, Cursor, Codex, Gemini CLI and
Antigravity, and payloads recorded from those of them that can be run.
"""

from __future__ import annotations

from os import environ

from synapse_ls.hosts import event as events
from synapse_ls.hosts.event import Event
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Final

    Raw = dict[str, Any]

# Events as `folded` spells them. Those of our own vocabulary serve ``--event`` in any client.
EVENTS: Final = {
    "prompt": events.PROMPT,
    "userpromptsubmit": events.PROMPT,
    "userpromptsubmitted": events.PROMPT,
    "beforesubmitprompt": events.PROMPT,
    "beforeagent": events.PROMPT,
    "preinvocation": events.PROMPT,
    "sessionstart": events.SESSION_START,
    "subagentstart": events.SUBAGENT_START,
    "compacting": events.COMPACTING,
    "precompact": events.COMPACTING,
    "precompress": events.COMPACTING,
    "compacted": events.COMPACTED,
    "postcompact": events.COMPACTED,
    "toolbefore": events.TOOL_BEFORE,
    "pretooluse": events.TOOL_BEFORE,
    "beforetool": events.TOOL_BEFORE,
    "beforeshellexecution": events.TOOL_BEFORE,
    "beforemcpexecution": events.TOOL_BEFORE,
    "beforereadfile": events.TOOL_BEFORE,
    "tool": events.TOOL,
    "posttooluse": events.TOOL,
    "posttoolusefailure": events.TOOL,
    "aftertool": events.TOOL,
    "afterfileedit": events.TOOL,
    "stop": events.STOP,
    "agentstop": events.STOP,
    "afteragent": events.STOP,
    "afteragentresponse": events.STOP,
    "sessionend": events.SESSION_END,
}

# The event of a payload that names none, by the first of these fields that it has.
SIGNS: Final = (
    ("transformedPrompt", events.OTHER),
    ("prompt", events.PROMPT),
    ("invocationNum", events.PROMPT),
    ("toolResult", events.TOOL),
    ("tool_response", events.TOOL),
    ("toolArgs", events.TOOL_BEFORE),
    ("trigger", events.COMPACTING),
    ("stopReason", events.STOP),
    ("terminationReason", events.STOP),
    ("source", events.SESSION_START),
    ("reason", events.SESSION_END),
)

# Sources of prompts that the client itself wrote.
UNATTENDED: Final = ("system", "loop_wakeup", "schedule_wakeup", "poll_event")

_SOURCES: Final = {"new": "startup"}
_WORDS: Final = (
    events.PROMPT, events.COMPACTING, events.COMPACTED, events.TOOL_BEFORE, events.TOOL,
)  # fmt: skip


def folded(name: str) -> str:
    """A name of an event without what clients spell differently: case, dashes, underscores."""
    return name.lower().replace("_", "").replace("-", "")


def kinds(*names: str) -> dict[str, str]:
    """The events that a client knows by ``names``, with their kinds."""
    return {name: EVENTS[folded(name)] for name in names}


def read(raw: Raw, name: str, known: Mapping[str, str], project: str = "") -> Event:
    """The event in a payload.

    name: the event that the command was registered for, or "". known: the client's own events.
    project: the environment variable in which the client names the project folder.
    """
    told, kind = _identified(raw, name, known)
    event = Event(kind, told, raw)
    event.session_id = text(
        raw, "session_id", "sessionId", "conversation_id", "conversationId", "thread_id"
    )
    event.cwd = place(text(raw, "cwd"))
    event.projects = places([environ.get(project, "")] if project else ())
    event.transcript = place(text(raw, "transcript_path", "transcriptPath"))
    source = text(raw, "source")
    event.source = _SOURCES.get(source, source)
    event.agent = text(raw, "agent_type", "agentType", "agent_name", "agentName", "subagent_type")
    event.window = text(raw, "agent_id", "agentId", "subagent_id")
    event.turn = text(raw, "turn_id", "turnId", "prompt_id", "promptId", "generation_id")
    event.model = text(raw, "model_id", "modelId", "model", "modelName")
    if kind == events.PROMPT:
        event.prompt = text(raw, "prompt", "user_prompt", "userPrompt")
        event.counts = source not in UNATTENDED
    elif kind == events.SUBAGENT_START:
        # A sub-agent that has only a name still has a window of its own.
        event.window = event.window or event.agent or "subagent"
    elif kind == events.TOOL:
        tools = load("synapse_ls.hosts.tools")
        event.files, event.edited = tools.touched(raw)
        if tools.may_have_failed(raw, told):
            event.error = load("synapse_ls.hosts.failures").error_of(raw, told)
            event.edited = () if event.error else event.edited
    return event


def _identified(raw: Raw, name: str, known: Mapping[str, str]) -> tuple[str, str]:
    """The name of an event as its client spells it, and its kind."""
    told = text(raw, "hook_event_name", "hookEventName") or name
    if told in known:
        return told, known[told]
    like = folded(told)
    for own, kind in known.items():
        if folded(own) == like:
            return own, kind
    if told:
        kind = EVENTS.get(like, events.OTHER)
    else:
        kind = next((kind for field, kind in SIGNS if field in raw), events.OTHER)
    if told in ("", *_WORDS):
        told = next((own for own in known if known[own] == kind), told)
    return told, kind


def text(raw: object, *names: str) -> str:
    """The first of the fields that is a text with content, or "". It can be written as UTF-8."""
    if isinstance(raw, dict):
        for name in names:
            value = raw.get(name)
            if isinstance(value, str) and value:
                return whole(value)
    return ""


def texts(value: object) -> list[str]:
    """The texts with content in a list; none where it is no list."""
    if not isinstance(value, list | tuple):
        return []
    return [whole(item) for item in value if isinstance(item, str) and item]


def whole(value: str) -> str:
    """``value`` with ``?`` for halves of surrogate pairs."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def number(raw: Raw, *names: str) -> int | None:
    """The first of the fields that is a number of something, in whole units."""
    for name in names:
        value = raw.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15:
            return int(value)
    return None


def place(name: str) -> str:
    """A path as the operating system knows it, from a path or a ``file:`` URI."""
    if name.startswith("file://"):
        host, slash, path = name[7:].partition("/")
        name = _decoded(slash + path)
        if host not in ("", "localhost"):
            return f"//{host}{name}"
    if name[:1] == "/" and name[2:4] == ":/" and name[1].isalpha():
        return name[1:]  # "/c:/work", as some clients write C:\work
    return name


def _decoded(path: str) -> str:
    """``path`` with the bytes that a URI writes as ``%20``."""
    first, *rest = path.encode("utf-8", "replace").split(b"%")
    pieces = [first]
    for piece in rest:
        code = piece[:2]
        if len(code) == 2 and not code.strip(b"0123456789abcdefABCDEF"):
            pieces.append(bytes.fromhex(code.decode()) + piece[2:])
        else:
            pieces.append(b"%" + piece)
    return b"".join(pieces).decode("utf-8", "replace")


def places(names: Iterable[str]) -> tuple[str, ...]:
    """Paths in their order, each once."""
    return tuple(dict.fromkeys(place(name) for name in names if name))


def located(event: Event, names: Iterable[str]) -> None:
    """Take in the folders that the client works on; the first one is where it is, unless it says."""
    event.projects = places((*event.projects, *names))
    if not event.cwd and event.projects:
        event.cwd = event.projects[0]


def usage(event: Event, client: str, *more: str) -> dict[str, object] | None:
    """What the event itself says of usage, else what the client's transcript says.

    more: what the reader of that client's transcripts wants to know beside its path.
    """
    if event.figures is not None or not event.transcript:
        return event.figures
    found: dict[str, object] | None = transcripts(client).usage(event.transcript, *more)
    return found


def arrived(event: Event, client: str, told: str, since: str) -> bool | None:
    """Whether the transcript shows the reply with the hash ``told``; None: it cannot tell."""
    if not event.transcript:
        return None
    shown: bool | None = transcripts(client).arrived(event.transcript, told, since)
    return shown


def transcripts(client: str) -> Any:
    """The module that reads a client's transcripts."""
    return load(f"synapse_ls.hosts.transcripts.{client}")
