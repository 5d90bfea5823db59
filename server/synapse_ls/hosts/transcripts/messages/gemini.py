"""The messages in a session file of Gemini CLI (see `hosts.transcripts.gemini` for the format).

A record of an answer has the calls of tools and their results in one; here they are an answer, and
results said by the user. Thoughts are the client's notes and are not sent again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from synapse_ls.compaction.counter import compact_json
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
from synapse_ls.hosts.transcripts.gemini import SNAPSHOT, replaced, text_of
from synapse_ls.hosts.transcripts.history.reading import items, records, text
from synapse_ls.hosts.transcripts.messages.window import Window
from synapse_ls.hosts.transcripts.tail import table

NAME = "gemini"

Said: TypeAlias = list[tuple[Role, tuple[Block, ...]]]


def messages(lines: Iterable[bytes]) -> list[Message]:
    """What stands in the window at the end of the file."""
    window = Window()
    for found in records(lines):
        standing = replaced(dict(found)) or items(found.get("messages"))
        if standing:
            window.cut(0)
            for message in map(table, standing):
                window.put(_said(message), text(message.get("id")))
        elif back := text(found.get("$rewindTo")):
            window.cut_at(back)
        elif said := _said(found):
            window.put(said, text(found.get("id")))
    return window.messages()


def _said(found: Mapping[str, object]) -> Said:
    """What a record says; nothing for one that is no message."""
    words = text_of(dict(found))
    if found.get("type") == "user":
        if SNAPSHOT in words:
            return [(Role.USER, (Compaction(words),))]
        pictures = [
            Image(table(part, "inlineData"))
            for part in items(found.get("content"))
            if table(part, "inlineData")
        ]
        spoken: tuple[Block, ...] = (Text(words),) if words else ()
        return [(Role.USER, (*spoken, *pictures))]
    if found.get("type") != "gemini":
        return []
    calls = [table(call) for call in items(found.get("toolCalls"))]
    uses = [ToolUse(text(c.get("id")), text(c.get("name")), c.get("args")) for c in calls]
    answer: tuple[Block, ...] = (Text(words),) if words else ()
    return [(Role.ASSISTANT, (*answer, *uses)), (Role.USER, tuple(map(_result, calls)))]


def _result(call: Mapping[str, object]) -> ToolResult:
    given = call.get("result")
    found = []
    for part in items(given) or [given]:
        said = table(part, "functionResponse", "response")
        words = text(said.get("output")) or text(said.get("error")) or text(table(part).get("text"))
        found.append(words or (compact_json(said) if said else text(part)))
    told = "\n".join(filter(None, found))
    failed = text(call.get("status")) not in ("success", "")
    return ToolResult(text(call.get("id")), (Text(told),) if told else (), failed)
