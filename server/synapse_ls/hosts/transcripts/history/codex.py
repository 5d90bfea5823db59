"""The turns of a rollout file of Codex (see `hosts.transcripts.codex` for the format)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from synapse_ls.hosts import models
from synapse_ls.hosts.failures import failure_in
from synapse_ls.hosts.transcripts.codex import OWN, figures_of
from synapse_ls.hosts.transcripts.history.reading import (
    Reading,
    call,
    places,
    records,
    said,
    text,
)
from synapse_ls.hosts.transcripts.tail import table
from synapse_ls.hosts.transcripts.turn import Turn

NAME = "codex"

KINDS = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")


def recognises(found: Mapping[str, object]) -> bool:
    """Whether Codex wrote a record like this."""
    return found.get("type") in KINDS and isinstance(found.get("payload"), dict)


def turns(lines: Iterable[bytes]) -> Iterator[Turn]:
    """The turns of the conversation, in the order of the file."""
    reading = Reading()
    for found in records(lines):
        kind, payload = found.get("type"), table(found, "payload")
        what = payload.get("type")
        if kind == "turn_context":
            reading.model = text(payload.get("model")) or reading.model
            if reading.draft is not None and not reading.draft.answered:
                reading.draft.model = reading.model
        elif kind == "compacted" or what == "context_compacted":
            reading.compact()
        elif kind == "event_msg" and what == "user_message":
            yield from _asked(reading, text(payload.get("message")), found)
        elif kind == "response_item" and what == "message":
            yield from _message(reading, payload, found)
        elif reading.draft is not None:
            _happened(reading, payload, found)
    yield from reading.close()


def _asked(reading: Reading, prompt: str, found: Mapping[str, object]) -> Iterator[Turn]:
    """A prompt stands in the file twice: as sent to the model, and as the person saw it."""
    asked, draft = prompt.strip(), reading.draft
    known = draft is not None and not draft.answered and draft.prompt == asked
    if asked and not known and not asked.startswith(OWN):
        yield from reading.open(asked, found.get("timestamp"))


def _message(
    reading: Reading, payload: Mapping[str, object], found: Mapping[str, object]
) -> Iterator[Turn]:
    words = said(payload.get("content"))
    if payload.get("role") == "user":
        yield from _asked(reading, words, found)
    elif payload.get("role") == "developer" and not words.lstrip().startswith(OWN):
        reading.inject((words,))
    elif payload.get("role") == "assistant" and reading.draft is not None:
        reading.draft.say(words)


def _happened(reading: Reading, payload: Mapping[str, object], found: Mapping[str, object]) -> None:
    draft = reading.draft
    assert draft is not None
    what = payload.get("type")
    if what == "token_count":
        used, window = figures_of(dict(found))
        draft.measure(used, window or models.window_of(reading.model), reading.model)
    elif what == "agent_message":
        draft.say(text(payload.get("message")))
    elif what in ("patch_apply_begin", "patch_apply_end"):
        draft.touch(table(payload, "changes"), edited=True)
    elif what in ("function_call", "custom_tool_call"):
        name = text(payload.get("name"))
        given = payload.get("arguments", payload.get("input"))
        draft.touch(places(given), edited=name == "apply_patch")
        call(draft, name, given, payload.get("call_id"))
        draft.answered = True
    elif what in ("function_call_output", "custom_tool_call_output"):
        draft.returned(text(payload.get("call_id")))
        draft.failed(text(payload.get("call_id")), failure_in(payload.get("output")))
