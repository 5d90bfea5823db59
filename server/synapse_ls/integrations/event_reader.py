"""This module reads a hook event from the fields of a payload, under all the names that agent
clients have for them.

Clients disagree about spelling, not about what an event is: so the names of events and of
fields are tables, and a client's module says only which of the events it knows. No field is
believed to have the type that it should have.

Sources: the hooks references of Claude Code, VS Code, GitHub Copilot, Cursor, Codex, Gemini
CLI and Antigravity, and payloads recorded from those of them that can be run.
"""

from __future__ import annotations

import os

from synapse_ls.integrations import hook_event as events
from synapse_ls.integrations.hook_event import Event
from synapse_ls.integrations.payload_values import (
    fold_name,
    local_path,
    local_paths,
    text_field,
)
from synapse_ls.text.lazy_import import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Final

    Raw = dict[str, Any]

# Events as `fold_name` spells them. Those of our own vocabulary serve ``--event`` in any client.
KINDS_BY_NAME: Final = {
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
KINDS_BY_FIELD: Final = (
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
CLIENT_PROMPT_SOURCES: Final = ("system", "loop_wakeup", "schedule_wakeup", "poll_event")

_SOURCE_ALIASES: Final = {"new": "startup"}
_OWN_NAMES: Final = (
    events.PROMPT, events.COMPACTING, events.COMPACTED, events.TOOL_BEFORE, events.TOOL,
)  # fmt: skip


def event_kinds(*names: str) -> dict[str, str]:
    """Returns the kinds of hook events that are read from a client which knows them by ``names``."""
    return {name: KINDS_BY_NAME[fold_name(name)] for name in names}


def read_event(raw: Raw, name: str, client_kinds: Mapping[str, str], project: str = "") -> Event:
    """Reads the hook event in the payload of any client.

    name: the event that the command was registered for, or "". client_kinds: the client's own
    events. project: the environment variable in which the client names the project folder.
    """
    told, kind = _identify_event(raw, name, client_kinds)
    event = Event(kind, told, raw)
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
    if kind == events.PROMPT:
        event.prompt = text_field(raw, "prompt", "user_prompt", "userPrompt")
        event.is_counted = source not in CLIENT_PROMPT_SOURCES
    elif kind == events.SUBAGENT_START:
        # A sub-agent that has only a name still has a window of its own.
        event.subagent = event.subagent or event.agent or "subagent"
    elif kind == events.TOOL:
        tools = load_module("synapse_ls.integrations.tool_files")
        event.files, event.edited = tools.event_files(raw)
        if tools.may_have_failed(raw, told):
            event.error = load_module("synapse_ls.integrations.tool_error_text").tool_error(
                raw, told
            )
            event.edited = () if event.error else event.edited
    return event


def _identify_event(raw: Raw, name: str, client_kinds: Mapping[str, str]) -> tuple[str, str]:
    """Returns the name of an event as its client spells it, and its kind."""
    told = text_field(raw, "hook_event_name", "hookEventName") or name
    if told in client_kinds:
        return told, client_kinds[told]
    like = fold_name(told)
    for own, kind in client_kinds.items():
        if fold_name(own) == like:
            return own, kind
    if told:
        kind = KINDS_BY_NAME.get(like, events.OTHER)
    else:
        kind = next((kind for field, kind in KINDS_BY_FIELD if field in raw), events.OTHER)
    if told in ("", *_OWN_NAMES):
        told = next((own for own in client_kinds if client_kinds[own] == kind), told)
    return told, kind


def add_folders(event: Event, names: Iterable[str]) -> None:
    """Adds the folders that the client works on to a hook event that was read; the first one is its
    working folder, unless the payload says another.
    """
    event.projects = local_paths((*event.projects, *names))
    if not event.cwd and event.projects:
        event.cwd = event.projects[0]


def read_usage(event: Event, client: str, *more: str) -> dict[str, object] | None:
    """Reads the usage figures of a hook event: what it says itself, else what the client's
    transcript says.

    more: what the reader of that client's transcripts wants to know beside its path.
    """
    if event.figures is not None or not event.transcript:
        return event.figures
    found: dict[str, object] | None = transcript_module(client).read_usage(event.transcript, *more)
    return found


def shows_reply(event: Event, client: str, reply_hash: str, since: str) -> bool | None:
    """Tells whether the transcript that a hook event names shows the reply with the hash
    ``reply_hash``; None: it cannot tell.
    """
    if not event.transcript:
        return None
    shown: bool | None = transcript_module(client).shows_reply(event.transcript, reply_hash, since)
    return shown


def transcript_module(client: str) -> Any:
    """Returns the module that reads, for an event, the transcript of its client, loaded by name."""
    return load_module(f"synapse_ls.integrations.{client}.transcript")
