"""Read the turns in the events of a Copilot session (format: the `transcript` module beside it).

VS Code's own harness writes its transcripts in the same shape, without figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from synapse_ls.integrations.copilot.transcript import (
    injected_texts,
    is_of_sub_agent,
    is_prompt,
    record_usage,
)
from synapse_ls.integrations.tool_error_text import response_failure, trim_failure
from synapse_ls.integrations.transcript_tail import inner_object, token_count
from synapse_ls.integrations.transcript_turns import (
    HistoryReader,
    Turn,
    TurnDraft,
    TurnReader,
    add_tool_call,
    argument_paths,
    list_value,
    parse_records,
    string_value,
)

EDITING_TOOLS = (
    "apply_patch",
    "create",
    "create_file",
    "edit",
    "insert_edit_into_file",
    "multi_replace_string_in_file",
    "replace_string_in_file",
    "write",
)
_EVENT_GROUPS = ("session.", "user.", "assistant.", "tool.", "hook.", "system.")


def recognises_record(found: Mapping[str, object]) -> bool:
    """Return whether this is a record of Copilot's history of a session, and not of another
    client's.
    """
    return string_value(found.get("type")).startswith(_EVENT_GROUPS) and isinstance(
        found.get("data"), dict
    )


def read_turns(lines: Iterable[bytes]) -> Iterator[Turn]:
    """Yield the turns of the main conversation with Copilot, in the order of the file."""
    reading = TurnReader()
    for record in parse_records(lines):
        data, kind = inner_object(record, "data"), string_value(record.get("type"))
        if is_of_sub_agent(dict(record)) or data.get("parentToolCallId"):
            continue
        if kind == "user.message":
            if is_prompt(dict(record)):
                yield from reading.open_turn(
                    string_value(data.get("content")).strip(), record.get("timestamp")
                )
                draft = reading.draft
                for item in list_value(data.get("attachments")):
                    attachment = inner_object(item)
                    if draft is not None and attachment.get("type", "file") == "file":
                        draft.add_files(
                            (
                                string_value(attachment.get("path"))
                                or string_value(attachment.get("filePath")),
                            )
                        )
            reading.add_injected(injected_texts(dict(record)))
        elif kind == "session.compaction_complete":
            if data.get("success") is not False:
                reading.add_compaction()
        elif kind == "session.model_change":
            reading.model = string_value(data.get("newModel")) or reading.model
        elif reading.draft is not None:
            _add_event(reading.draft, kind, dict(record))
    yield from reading.close_turn()


def _add_event(draft: TurnDraft, kind: str, found: dict[str, object]) -> None:
    data = inner_object(found, "data")
    if kind == "assistant.message":
        draft.add_reply(string_value(data.get("content")), string_value(data.get("messageId")))
        for request in list_value(data.get("toolRequests")):
            call = inner_object(request)
            draft.add_files(
                argument_paths(call.get("arguments")), edited=call.get("name") in EDITING_TOOLS
            )
            add_tool_call(draft, call.get("name"), call.get("arguments"), call.get("toolCallId"))
    elif kind == "tool.execution_start":
        draft.add_files(
            argument_paths(data.get("arguments")), edited=data.get("toolName") in EDITING_TOOLS
        )
        add_tool_call(draft, data.get("toolName"), data.get("arguments"), data.get("toolCallId"))
    elif kind == "tool.execution_complete":
        error = inner_object(data, "error")
        words = trim_failure(string_value(error.get("message"))) or response_failure(
            data.get("result")
        )
        draft.add_return(string_value(data.get("toolCallId")))
        draft.add_failure(string_value(data.get("toolCallId")), words)
    elif kind == "session.usage_record" and (figures := record_usage(found)):
        model = string_value(figures["model"])
        draft.set_usage(token_count(figures["used"]), token_count(figures["window"]), model)


READER = HistoryReader("copilot", recognises_record, read_turns)
