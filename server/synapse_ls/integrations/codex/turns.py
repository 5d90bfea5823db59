"""Read the turns of a rollout file of Codex (format: the `transcript` module beside it).

``response_item`` records are items of OpenAI's Responses API. ``compacted`` has the history that
replaces the previous one, or, in older files, a summary alone; then the instructions stay.
"""

from collections.abc import Iterable, Iterator

from synapse_ls.compaction.message import Compaction, Message, Role, ShapeError, Text
from synapse_ls.compaction.message_reader import read_message
from synapse_ls.integrations import model_windows, tool_error_text, transcript_turns
from synapse_ls.integrations.codex import transcript
from synapse_ls.integrations.transcript_tail import Record, inner_object, string_value, token_count
from synapse_ls.integrations.typed_words import typed_blocks

RECORD_TYPES = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")


def recognises_record(record: Record) -> bool:
    """Return whether Codex wrote a record like this."""
    return record.get("type") in RECORD_TYPES and isinstance(record.get("payload"), dict)


def read_turns(lines: Iterable[bytes]) -> Iterator[transcript_turns.Turn]:
    """Yield the turns of the conversation with Codex, in the order of the file."""
    reading = transcript_turns.TurnReader()
    for record in transcript_turns.parse_records(lines):
        kind, payload = record.get("type"), inner_object(record, "payload")
        what = payload.get("type")
        if kind == "turn_context":
            reading.model = string_value(payload.get("model")) or reading.model
            if reading.draft is not None and not reading.draft.answered:
                reading.draft.model = reading.model
        elif kind == "compacted" or what == "context_compacted":
            reading.add_compaction()
        elif kind == "event_msg" and what == "user_message":
            yield from _open_prompt(reading, [string_value(payload.get("message"))], record)
        elif kind == "response_item" and what == "message":
            blocks = transcript_turns.text_blocks(payload.get("content"))
            words = "\n".join(blocks)
            if payload.get("role") == "user":
                yield from _open_prompt(reading, blocks, record)
            elif payload.get("role") == "developer" and not words.lstrip().startswith(
                transcript.CLIENT_PREFIXES
            ):
                reading.add_injected((words,))
            elif payload.get("role") == "assistant" and reading.draft is not None:
                reading.draft.add_reply(words)
        elif reading.draft is not None:
            _add_event(reading, payload, record)
    yield from reading.close_turn()


def _open_prompt(
    reading: transcript_turns.TurnReader, blocks: list[str], record: Record
) -> Iterator[transcript_turns.Turn]:
    """Begin a turn with a prompt, once: it stands in the file as sent to the model, and as the
    person saw it.
    """
    prompt_text, draft = typed_blocks(blocks), reading.draft
    is_known = draft is not None and not draft.answered and draft.prompt == prompt_text
    if prompt_text and not is_known and not prompt_text.startswith(transcript.CLIENT_PREFIXES):
        yield from reading.open_turn(prompt_text, record.get("timestamp"))


def _add_event(reading: transcript_turns.TurnReader, payload: Record, record: Record) -> None:
    draft = reading.draft
    assert draft is not None
    if (what := payload.get("type")) == "token_count":
        used, window = transcript.record_usage(record)
        draft.set_usage(used, window or model_windows.model_window(reading.model), reading.model)
    elif what == "agent_message":
        draft.add_reply(string_value(payload.get("message")))
    elif what in ("patch_apply_begin", "patch_apply_end"):
        draft.add_files(inner_object(payload, "changes"), edited=True)
    elif what in ("function_call", "custom_tool_call"):
        name = string_value(payload.get("name"))
        arguments = payload.get("arguments", payload.get("input"))
        key, edits = payload.get("call_id"), name == "apply_patch"
        draft.add_tool_call(name, arguments, key, edits=edits)
        draft.answered = True
    elif what in ("function_call_output", "custom_tool_call_output"):
        key = string_value(payload.get("call_id"))
        draft.add_return(key)
        draft.add_failure(key, tool_error_text.response_failure(payload.get("output")))


# How the message begins in which the client hands a summary to the next model.
SUMMARY_PREFIX = "Another language model started to solve this problem and produced a summary"


def read_messages(lines: Iterable[bytes]) -> list[Message]:
    """Return the messages that stand in the window of Codex at the end of the file."""
    window = transcript_turns.MessageWindow()
    for record in transcript_turns.parse_records(lines):
        kind, payload = record.get("type"), inner_object(record, "payload")
        if kind == "session_meta" and not window.entries:
            value = string_value(inner_object(payload, "base_instructions").get("text"))
            window.add(Role.SYSTEM, (Text(value),) if value else ())
        elif kind == "response_item":
            _add_item(window, payload)
        elif kind == "compacted":
            before = window.cut_after(0)
            window.entries += (entry for entry in before if entry[1].role is Role.SYSTEM)
            history = payload.get("replacement_history")
            if isinstance(history, list):
                for item in transcript_turns.list_value(history):
                    _add_item(window, inner_object(item))
            elif summary := string_value(payload.get("message")):
                window.add(Role.USER, (Compaction(summary),))
        elif kind == "event_msg" and payload.get("type") == "thread_rolled_back":
            starts = [i for i, (_, message) in enumerate(window.entries) if message.is_prompt]
            if turns := min(token_count(payload.get("num_turns")), len(starts)):
                del window.entries[starts[-turns] :]
    return window.to_messages()


def _add_item(window: transcript_turns.MessageWindow, payload: Record) -> None:
    try:
        message = read_message(payload, 0)
    except ShapeError:
        return  # the client's own notes, such as snapshots of the repository
    if message.role is Role.USER and message.text.startswith(SUMMARY_PREFIX):
        window.add(Role.USER, (Compaction(message.text),))
    else:
        window.add(message.role, message.content)


READER = transcript_turns.HistoryReader("codex", recognises_record, read_turns, read_messages)
