"""Read the turns of a session file of Gemini CLI (format: the `transcript` module beside it).

One record has an answer with its tool calls and their results; here results are a turn of the user.
Thoughts are the client's notes and are not sent again.
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from synapse_ls.compaction.message import (
    Block,
    Compaction,
    Image,
    Message,
    Role,
    Text,
    ToolResult,
    ToolUse,
)
from synapse_ls.compaction.token_counter import compact_json
from synapse_ls.integrations import transcript_turns
from synapse_ls.integrations.gemini import transcript, typed_prompt
from synapse_ls.integrations.tool_error_text import response_failure, trim_failure
from synapse_ls.integrations.transcript_tail import Record, inner_object, object_items, string_value

EDITING_TOOLS = ("replace", "edit", "write_file")


def recognises_record(record: Record) -> bool:
    """Return whether Gemini CLI wrote a record like this."""
    return (
        "projectHash" in record or "$set" in record or "$rewindTo" in record or _is_answer(record)
    )


def read_turns(lines: Iterable[bytes]) -> Iterator[transcript_turns.Turn]:
    """Yield the turns of the conversation with Gemini CLI in the order of the file, those included
    that were taken back.
    """
    reading = transcript_turns.TurnReader()
    prompt_id = ""  # the message that began the open turn
    summary: object = None  # the last one; the client writes it again when a session is resumed
    for record in transcript_turns.parse_records(lines):
        if (messages := transcript.replacement_messages(record)) is not None:
            begun = transcript.find_summary(messages)
            if begun is not None and begun.get("id") != summary:
                summary = begun.get("id")
                reading.add_compaction()
        elif record.get("type") == "user":
            content = transcript.content_text(record)
            # As they were displayed, else as sent without the words of hooks.
            words = transcript.content_text({"content": record.get("displayContent")}) or content
            prompt = typed_prompt(words.strip())[0]
            if prompt and (not prompt_id or record.get("id") != prompt_id):
                prompt_id = string_value(record.get("id"))
                yield from reading.open_turn(prompt, record.get("timestamp"))
            reading.add_injected(transcript.injected_texts(record), within=not prompt)
        elif _is_answer(record) and reading.draft is not None:
            _add_answer(reading.draft, record)
    yield from reading.close_turn()


def _is_answer(record: Record) -> bool:
    return record.get("type") == "gemini" and "id" in record


def _add_answer(draft: transcript_turns.TurnDraft, record: Record) -> None:
    draft.add_usage(transcript.call_usage(record), transcript.record_model(record))
    draft.add_reply(transcript.content_text(record), string_value(record.get("id")))
    for call in object_items(record.get("toolCalls")):
        draft.add_tool_call(
            call.get("name"),
            call.get("args"),
            call.get("id"),
            error=_call_failure(call),
            edits=call.get("name") in EDITING_TOOLS,
        )


def _call_failure(call: Record) -> str:
    """Return the words of the failure of a tool call, "" where it has not failed; a person's
    refusal is no failure.
    """
    answers = [
        inner_object(part, "functionResponse", "response")
        for part in transcript_turns.list_value(call.get("result"))
    ]
    if call.get("status") == "error":
        words = (
            string_value(answer.get("error")) or string_value(answer.get("output"))
            for answer in answers
        )
        return trim_failure(
            "\n".join(filter(None, words)) or string_value(call.get("resultDisplay"))
        )
    return next(
        (failure for answer in answers if (failure := response_failure(answer.get("output")))), ""
    )


RoleBlocks: TypeAlias = list[tuple[Role, tuple[Block, ...]]]


def read_messages(lines: Iterable[bytes]) -> list[Message]:
    """Return the messages that stand in the window of Gemini CLI at the end of the file."""
    window = transcript_turns.MessageWindow()
    for record in transcript_turns.parse_records(lines):
        standing = transcript.replacement_messages(record) or transcript_turns.list_value(
            record.get("messages")
        )
        if standing:
            window.cut_after(0)
            for message in map(inner_object, standing):
                window.replace(_record_blocks(message), string_value(message.get("id")))
        elif back := string_value(record.get("$rewindTo")):
            window.cut_at(back)
        elif blocks := _record_blocks(record):
            window.replace(blocks, string_value(record.get("id")))
    return window.to_messages()


def _record_blocks(record: Record) -> RoleBlocks:
    """Return what a record says, a list of (role, blocks); an empty one for a record that is no
    message.
    """
    words = transcript.content_text(record)
    if record.get("type") == "user":
        if transcript.SUMMARY_MARK in words:
            return [(Role.USER, (Compaction(words),))]
        data = (inner_object(part, "inlineData") for part in object_items(record.get("content")))
        pictures = map(Image, filter(None, data))
        spoken: tuple[Block, ...] = (Text(words),) if words else ()
        return [(Role.USER, (*spoken, *pictures))]
    if record.get("type") != "gemini":
        return []
    calls = object_items(record.get("toolCalls"))
    uses = [
        ToolUse(string_value(c.get("id")), string_value(c.get("name")), c.get("args"))
        for c in calls
    ]
    answer: tuple[Block, ...] = (Text(words),) if words else ()
    return [(Role.ASSISTANT, (*answer, *uses)), (Role.USER, tuple(map(_tool_result, calls)))]


def _tool_result(call: Record) -> ToolResult:
    result = call.get("result")
    texts = []
    for part in transcript_turns.list_value(result) or [result]:
        response = inner_object(part, "functionResponse", "response")
        words = (
            string_value(response.get("output"))
            or string_value(response.get("error"))
            or string_value(inner_object(part).get("text"))
        )
        texts.append(words or (compact_json(response) if response else string_value(part)))
    text = "\n".join(filter(None, texts))
    failed = string_value(call.get("status")) not in ("success", "")
    return ToolResult(string_value(call.get("id")), (Text(text),) if text else (), failed)


READER = transcript_turns.HistoryReader("gemini", recognises_record, read_turns, read_messages)
