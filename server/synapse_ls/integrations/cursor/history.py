"""Read the turns of an agent transcript of Cursor, ``{role, message: {content: […]}}`` per line.

It has neither times, nor figures, nor what hooks add.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from synapse_ls.integrations.transcript_tail import inner_object, texts_between
from synapse_ls.integrations.transcript_turns import (
    HistoryReader,
    Turn,
    TurnReader,
    add_tool_call,
    argument_paths,
    list_value,
    message_text,
    parse_records,
    string_value,
)

EDITING_TOOLS = ("write", "edit", "strreplace", "delete", "applypatch", "editnotebook", "multiedit")


def recognises_record(found: Mapping[str, object]) -> bool:
    """Return whether Cursor wrote a record like this."""
    roles = found.get("role") in ("user", "assistant")
    return roles and isinstance(found.get("message"), dict) and "type" not in found


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
            for item in list_value(content):
                part = inner_object(item)
                if part.get("type") == "tool_use":
                    name = string_value(part.get("name")).replace("_", "").lower()
                    reading.draft.add_files(
                        argument_paths(part.get("input")), edited=name in EDITING_TOOLS
                    )
                    add_tool_call(
                        reading.draft, part.get("name"), part.get("input"), part.get("id")
                    )
    yield from reading.close_turn()


READER = HistoryReader("cursor", recognises_record, read_turns)
