"""The turns in the events of a Copilot session (see `hosts.transcripts.copilot` for the format).

VS Code's own harness writes its transcripts in the same shape, without figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from synapse_ls.hosts.failures import failed_text, failure_in
from synapse_ls.hosts.transcripts.copilot import figures_of, injected, is_prompt, of_sub_agent
from synapse_ls.hosts.transcripts.history.reading import (
    Reading,
    call,
    items,
    places,
    records,
    text,
)
from synapse_ls.hosts.transcripts.tail import count, table
from synapse_ls.hosts.transcripts.turn import Draft, Turn

NAME = "copilot"

EDITS = (
    "apply_patch",
    "create",
    "create_file",
    "edit",
    "insert_edit_into_file",
    "multi_replace_string_in_file",
    "replace_string_in_file",
    "write",
)
_GROUPS = ("session.", "user.", "assistant.", "tool.", "hook.", "system.")


def recognises(found: Mapping[str, object]) -> bool:
    """Whether Copilot wrote an event like this."""
    return text(found.get("type")).startswith(_GROUPS) and isinstance(found.get("data"), dict)


def turns(lines: Iterable[bytes]) -> Iterator[Turn]:
    """The turns of the main conversation, in the order of the file."""
    reading = Reading()
    for found in records(lines):
        data, kind = table(found, "data"), text(found.get("type"))
        if of_sub_agent(dict(found)) or data.get("parentToolCallId"):
            continue
        if kind == "user.message":
            if is_prompt(dict(found)):
                yield from reading.open(text(data.get("content")).strip(), found.get("timestamp"))
                _attached(reading.draft, data)
            reading.inject(injected(dict(found)))
        elif kind == "session.compaction_complete":
            if data.get("success") is not False:
                reading.compact()
        elif kind == "session.model_change":
            reading.model = text(data.get("newModel")) or reading.model
        elif reading.draft is not None:
            _happened(reading.draft, kind, dict(found))
    yield from reading.close()


def _attached(draft: Draft | None, data: Mapping[str, object]) -> None:
    for item in items(data.get("attachments")):
        attachment = table(item)
        if draft is not None and attachment.get("type", "file") == "file":
            draft.touch((text(attachment.get("path")) or text(attachment.get("filePath")),))


def _happened(draft: Draft, kind: str, found: dict[str, object]) -> None:
    data = table(found, "data")
    if kind == "assistant.message":
        draft.say(text(data.get("content")), text(data.get("messageId")))
        for request in items(data.get("toolRequests")):
            asked = table(request)
            draft.touch(places(asked.get("arguments")), edited=asked.get("name") in EDITS)
            call(draft, asked.get("name"), asked.get("arguments"), asked.get("toolCallId"))
    elif kind == "tool.execution_start":
        draft.touch(places(data.get("arguments")), edited=data.get("toolName") in EDITS)
        call(draft, data.get("toolName"), data.get("arguments"), data.get("toolCallId"))
    elif kind == "tool.execution_complete":
        error = table(data, "error")
        words = failed_text(text(error.get("message"))) or failure_in(data.get("result"))
        draft.returned(text(data.get("toolCallId")))
        draft.failed(text(data.get("toolCallId")), words)
    elif kind == "session.usage_record" and (figures := figures_of(found)):
        model = text(figures["model"])
        draft.measure(count(figures["used"]), count(figures["window"]), model)
