"""This module reads the messages in the context window from a session file of Gemini CLI
(format: the `transcript` module beside it).

A record of an answer has the calls of tools and their results in one; here they are an
answer, and results said by the user. Thoughts are the client's notes and are not sent again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
from synapse_ls.integrations.gemini.transcript import (
    SUMMARY_MARK,
    content_text,
    replacement_messages,
)
from synapse_ls.integrations.message_window import MessageWindow
from synapse_ls.integrations.transcript_tail import inner_object
from synapse_ls.integrations.transcript_turns import list_value, parse_records, string_value

NAME = "gemini"

RoleBlocks: TypeAlias = list[tuple[Role, tuple[Block, ...]]]


def read_messages(lines: Iterable[bytes]) -> list[Message]:
    """Returns the messages that stand in the window of Gemini CLI at the end of the file."""
    window = MessageWindow()
    for found in parse_records(lines):
        standing = replacement_messages(dict(found)) or list_value(found.get("messages"))
        if standing:
            window.cut_after(0)
            for message in map(inner_object, standing):
                window.replace(_record_blocks(message), string_value(message.get("id")))
        elif back := string_value(found.get("$rewindTo")):
            window.cut_at(back)
        elif said := _record_blocks(found):
            window.replace(said, string_value(found.get("id")))
    return window.to_messages()


def _record_blocks(found: Mapping[str, object]) -> RoleBlocks:
    """Returns what a record says, a list of (role, blocks); an empty one for a record that is no
    message.
    """
    words = content_text(dict(found))
    if found.get("type") == "user":
        if SUMMARY_MARK in words:
            return [(Role.USER, (Compaction(words),))]
        pictures = [
            Image(inner_object(part, "inlineData"))
            for part in list_value(found.get("content"))
            if inner_object(part, "inlineData")
        ]
        spoken: tuple[Block, ...] = (Text(words),) if words else ()
        return [(Role.USER, (*spoken, *pictures))]
    if found.get("type") != "gemini":
        return []
    calls = [inner_object(call) for call in list_value(found.get("toolCalls"))]
    uses = [
        ToolUse(string_value(c.get("id")), string_value(c.get("name")), c.get("args"))
        for c in calls
    ]
    answer: tuple[Block, ...] = (Text(words),) if words else ()
    return [(Role.ASSISTANT, (*answer, *uses)), (Role.USER, tuple(map(_tool_result, calls)))]


def _tool_result(call: Mapping[str, object]) -> ToolResult:
    given = call.get("result")
    found = []
    for part in list_value(given) or [given]:
        said = inner_object(part, "functionResponse", "response")
        words = (
            string_value(said.get("output"))
            or string_value(said.get("error"))
            or string_value(inner_object(part).get("text"))
        )
        found.append(words or (compact_json(said) if said else string_value(part)))
    told = "\n".join(filter(None, found))
    failed = string_value(call.get("status")) not in ("success", "")
    return ToolResult(string_value(call.get("id")), (Text(told),) if told else (), failed)
