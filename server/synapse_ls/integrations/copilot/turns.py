"""Read the turns in the events of a Copilot session (format: the `transcript` module beside it).

VS Code's own harness writes its transcripts in the same shape, without figures.
"""

from collections.abc import Iterable, Iterator

from synapse_ls.integrations import tool_error_text, transcript_turns
from synapse_ls.integrations.copilot import transcript
from synapse_ls.integrations.transcript_tail import Record, inner_object, object_items, string_value
from synapse_ls.integrations.typed_words import typed_blocks

EDITING_TOOLS = (
    "apply_patch", "create", "create_file", "edit", "insert_edit_into_file",
    "multi_replace_string_in_file", "replace_string_in_file", "write",
)  # fmt: skip
_EVENT_GROUPS = ("session.", "user.", "assistant.", "tool.", "hook.", "system.")


def recognises_record(record: Record) -> bool:
    """Return whether this is a record of Copilot's history of a session, and not of another
    client's.
    """
    return string_value(record.get("type")).startswith(_EVENT_GROUPS) and isinstance(
        record.get("data"), dict
    )


def read_turns(lines: Iterable[bytes]) -> Iterator[transcript_turns.Turn]:
    """Yield the turns of the main conversation with Copilot, in the order of the file."""
    reading = transcript_turns.TurnReader()
    for record in transcript_turns.parse_records(lines):
        data, kind = inner_object(record, "data"), string_value(record.get("type"))
        if transcript.is_of_sub_agent(record) or data.get("parentToolCallId"):
            continue
        if kind == "user.message":
            if transcript.is_prompt(record):
                is_typed = data.get("isAutopilotContinuation") is not True
                words = typed_blocks([string_value(data.get("content"))]) if is_typed else ""
                yield from reading.open_turn(words, record.get("timestamp"))
                draft = reading.draft
                for attachment in object_items(data.get("attachments")):
                    if draft is not None and attachment.get("type", "file") == "file":
                        path = attachment.get("path") or attachment.get("filePath")
                        draft.add_files((string_value(path),))
            reading.add_injected(transcript.injected_texts(record))
        elif kind == "session.compaction_complete":
            if data.get("success") is not False:
                reading.add_compaction()
        elif kind == "session.model_change":
            reading.model = string_value(data.get("newModel")) or reading.model
        elif reading.draft is not None:
            _add_event(reading.draft, kind, record)
    yield from reading.close_turn()


def _add_event(draft: transcript_turns.TurnDraft, kind: str, record: Record) -> None:
    data = inner_object(record, "data")
    if kind == "assistant.message":
        draft.add_reply(string_value(data.get("content")), string_value(data.get("messageId")))
        for call in object_items(data.get("toolRequests")):
            name, key = call.get("name"), call.get("toolCallId")
            draft.add_tool_call(name, call.get("arguments"), key, edits=name in EDITING_TOOLS)
    elif kind == "tool.execution_start":
        name, key = data.get("toolName"), data.get("toolCallId")
        draft.add_tool_call(name, data.get("arguments"), key, edits=name in EDITING_TOOLS)
    elif kind == "tool.execution_complete":
        words = tool_error_text.trim_failure(
            string_value(inner_object(data, "error").get("message"))
        ) or tool_error_text.response_failure(data.get("result"))
        key = string_value(data.get("toolCallId"))
        draft.add_return(key)
        draft.add_failure(key, words)
    elif kind == "session.usage_record":
        draft.add_usage(transcript.record_usage(record))


READER = transcript_turns.HistoryReader("copilot", recognises_record, read_turns)
