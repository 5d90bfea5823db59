"""Read the turns of an agent transcript of Cursor, ``{role, message: {content: […]}}`` per line.

It has neither times, nor figures, nor what hooks add.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from synapse_ls.integrations.transcript_tail import (
    Record,
    inner_object,
    string_value,
    texts_between,
)
from synapse_ls.integrations.transcript_turns import (
    HistoryReader,
    Turn,
    TurnReader,
    list_value,
    message_text,
    parse_records,
)

EDITING_TOOLS = ("write", "edit", "strreplace", "delete", "applypatch", "editnotebook", "multiedit")


def recognises_record(record: Record) -> bool:
    """Return whether Cursor wrote a record like this."""
    roles = record.get("role") in ("user", "assistant")
    return roles and isinstance(record.get("message"), dict) and "type" not in record


def read_turns(lines: Iterable[bytes]) -> Iterator[Turn]:
    """Yield the turns of the conversation with Cursor, in the order of the file."""
    reading = TurnReader()
    for record in parse_records(lines):
        content = inner_object(record, "message").get("content")
        words = message_text(content, "text")
        if record.get("role") == "user":
            prompt = "\n".join(texts_between(words, "<user_query>", "</user_query>")) or words
            if prompt.strip():
                yield from reading.open_turn(prompt.strip(), record.get("timestamp"))
        elif record.get("role") == "assistant" and reading.draft is not None:
            reading.draft.add_reply(words)
            for part in map(inner_object, list_value(content)):
                if part.get("type") == "tool_use":
                    name, key = string_value(part.get("name")), part.get("id")
                    edits = name.replace("_", "").lower() in EDITING_TOOLS
                    reading.draft.add_tool_call(name, part.get("input"), key, edits=edits)
    yield from reading.close_turn()


READER = HistoryReader("cursor", recognises_record, read_turns)
