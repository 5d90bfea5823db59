"""The turns of a transcript of Antigravity (see `hosts.transcripts.antigravity` for the format)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from synapse_ls.hosts.transcripts.antigravity import prompt_of
from synapse_ls.hosts.transcripts.history.reading import (
    Reading,
    call,
    items,
    places,
    records,
    text,
)
from synapse_ls.hosts.transcripts.tail import table
from synapse_ls.hosts.transcripts.turn import Turn

NAME = "antigravity"

EDITS = ("write_to_file", "replace_file_content", "multi_replace_file_content", "edit_file")


def recognises(found: Mapping[str, object]) -> bool:
    """Whether Antigravity wrote a step like this."""
    kind = text(found.get("type"))
    return kind.isupper() and ("step_index" in found or "source" in found)


def turns(lines: Iterable[bytes]) -> Iterator[Turn]:
    """The turns of the conversation, in the order of the file."""
    reading = Reading()
    for found in records(lines):
        if found.get("type") == "USER_INPUT":
            if asked := prompt_of(dict(found)):
                yield from reading.open(asked, found.get("created_at"))
        elif found.get("type") == "PLANNER_RESPONSE" and reading.draft is not None:
            reading.draft.say(text(found.get("content")), str(found.get("step_index", "")))
            for item in items(found.get("tool_calls")):
                used = table(item)
                reading.draft.touch(places(used.get("args")), edited=used.get("name") in EDITS)
                call(reading.draft, used.get("name"), used.get("args"), used.get("id"))
    yield from reading.close()
