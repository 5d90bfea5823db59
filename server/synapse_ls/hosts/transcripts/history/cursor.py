"""The turns of an agent transcript of Cursor, ``{role, message: {content: […]}}`` per line.

It has neither times, nor figures, nor what hooks add.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from synapse_ls.hosts.transcripts.arrival import between
from synapse_ls.hosts.transcripts.history.reading import (
    Reading,
    call,
    items,
    places,
    records,
    said,
    text,
)
from synapse_ls.hosts.transcripts.tail import table
from synapse_ls.hosts.transcripts.turn import Turn

NAME = "cursor"

EDITS = ("write", "edit", "strreplace", "delete", "applypatch", "editnotebook", "multiedit")


def recognises(found: Mapping[str, object]) -> bool:
    """Whether Cursor wrote a record like this."""
    roles = found.get("role") in ("user", "assistant")
    return roles and isinstance(found.get("message"), dict) and "type" not in found


def turns(lines: Iterable[bytes]) -> Iterator[Turn]:
    """The turns of the conversation, in the order of the file."""
    reading = Reading()
    for found in records(lines):
        content = table(found, "message").get("content")
        words = said(content, "text")
        if found.get("role") == "user":
            asked = "\n".join(between(words, "<user_query>", "</user_query>")) or words
            if asked.strip():
                yield from reading.open(asked.strip(), found.get("timestamp"))
        elif found.get("role") == "assistant" and reading.draft is not None:
            reading.draft.say(words)
            for item in items(content):
                part = table(item)
                if part.get("type") == "tool_use":
                    name = text(part.get("name")).replace("_", "").lower()
                    reading.draft.touch(places(part.get("input")), edited=name in EDITS)
                    call(reading.draft, part.get("name"), part.get("input"), part.get("id"))
    yield from reading.close()
