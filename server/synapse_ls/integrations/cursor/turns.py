"""Read the turns of an agent transcript of Cursor, ``{role, message: {content: […]}}`` per line.

It has no times, no usage figures and nothing of what hooks add.
"""

from collections.abc import Iterable, Iterator

from synapse_ls.integrations import transcript_tail, transcript_turns
from synapse_ls.integrations.typed_words import typed_blocks

EDITING_TOOLS = ("write", "edit", "strreplace", "delete", "applypatch", "editnotebook", "multiedit")


def recognises_record(record: transcript_tail.Record) -> bool:
    """Return whether Cursor wrote a record like this."""
    roles = record.get("role") in ("user", "assistant")
    return roles and isinstance(record.get("message"), dict) and "type" not in record


def read_turns(lines: Iterable[bytes]) -> Iterator[transcript_turns.Turn]:
    """Yield the turns of the conversation with Cursor, in the order of the file."""
    reading = transcript_turns.TurnReader()
    for record in transcript_turns.parse_records(lines):
        content = transcript_tail.inner_object(record, "message").get("content")
        words = transcript_turns.message_text(content, "text")
        if record.get("role") == "user":
            prompt = typed_blocks(transcript_turns.text_blocks(content, "text"), "user_query")
            if prompt:
                yield from reading.open_turn(prompt, record.get("timestamp"))
        elif record.get("role") == "assistant" and reading.draft is not None:
            reading.draft.add_reply(words)
            for part in transcript_tail.object_items(content):
                if part.get("type") == "tool_use":
                    name, key = transcript_tail.string_value(part.get("name")), part.get("id")
                    edits = name.replace("_", "").lower() in EDITING_TOOLS
                    reading.draft.add_tool_call(name, part.get("input"), key, edits=edits)
    yield from reading.close_turn()


READER = transcript_turns.HistoryReader("cursor", recognises_record, read_turns)
