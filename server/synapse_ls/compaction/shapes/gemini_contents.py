"""This module reads and writes contents as Gemini's API has them: a role and ``parts``.

A call often has no id there: then the nth call of a name and the nth answer of that name are a pair.
Fields may be spelt in camelCase, as the API has them, or in snake_case, as Google's library for Python
does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from synapse_ls.compaction.message import (
    Block,
    Compaction,
    Document,
    Image,
    Message,
    Opaque,
    Role,
    Source,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from synapse_ls.compaction.shapes.json_values import (
    encoded_text,
    list_or_empty,
    object_or_empty,
    text_or_empty,
)
from synapse_ls.compaction.summarization import SUMMARY
from synapse_ls.compaction.token_counter import compact_json

_ROLES = {Role.USER: "user", Role.ASSISTANT: "model", Role.SYSTEM: "user"}


def is_content(item: Mapping[str, Any]) -> bool:
    """Tells whether an item is a content of Gemini's."""
    return isinstance(item.get("parts"), list)


def read_parts(item: Mapping[str, Any]) -> tuple[Block, ...]:
    """Reads the blocks of a content of Gemini's."""
    return tuple(_read_part(part) for part in list_or_empty(item.get("parts")))


def _read_part(part: object) -> Block:
    data = object_or_empty(part)
    if isinstance(data.get("text"), str):
        words = data["text"]
        if data.get("thought") is True:
            return Thinking(
                words, encoded_text(_field(data, "thoughtSignature", "thought_signature"))
            )
        return Compaction(words) if words.startswith(SUMMARY) else Text(words)
    if call := object_or_empty(_field(data, "functionCall", "function_call")):
        name = text_or_empty(call.get("name"))
        return ToolUse(text_or_empty(call.get("id")) or name, name, call.get("args"))
    if answer := object_or_empty(_field(data, "functionResponse", "function_response")):
        name = text_or_empty(answer.get("name"))
        more = [_read_part(item) for item in list_or_empty(answer.get("parts"))]
        told = [b if isinstance(b, Text | Image | Document | Opaque) else Opaque(b) for b in more]
        identity = text_or_empty(answer.get("id")) or name
        return ToolResult(identity, (_read_answer(answer), *told))
    if media := object_or_empty(_field(data, "inlineData", "inline_data")):
        return _read_media(media, {"type": "base64", "data": encoded_text(media.get("data"))})
    if file := object_or_empty(_field(data, "fileData", "file_data")):
        return _read_media(file, {"type": "url", "url": _field(file, "fileUri", "file_uri")})
    return Opaque(part)


def _read_answer(answer: Mapping[str, Any]) -> Text | Opaque:
    said = answer.get("response")
    inner = object_or_empty(said)
    only = next(iter(inner.values())) if len(inner) == 1 else None
    return Text(only) if isinstance(only, str) else Opaque(said)


def _read_media(data: Mapping[str, Any], media: dict[str, object]) -> Block:
    kind = text_or_empty(_field(data, "mimeType", "mime_type"))
    media["media_type"] = kind
    return Image(media) if kind.startswith("image/") else Document(media)


def pair_calls(messages: Sequence[Message]) -> list[Message]:
    """Returns messages of Gemini's whose calls and answers without ids have one by their order."""
    if not any(message.source and is_content(message.source.data) for message in messages):
        return list(messages)
    called: Counter[str] = Counter()
    answered: Counter[str] = Counter()

    def numbered(block: Block) -> Block:
        if isinstance(block, ToolUse) and block.id == block.name:
            called[block.name] += 1
            return replace(block, id=f"{block.name}#{called[block.name]}")
        if isinstance(block, ToolResult) and block.tool_use_id in called:
            answered[block.tool_use_id] += 1
            return replace(block, tool_use_id=f"{block.tool_use_id}#{answered[block.tool_use_id]}")
        return block

    found: list[Message] = []
    for message in messages:
        if message.source and is_content(message.source.data):
            content = tuple(map(numbered, message.content))
            source = Source(message.source.data, content)
            found.append(replace(message, content=content, source=source))
        else:
            found.append(message)
    return found


def name_results(messages: Sequence[Message]) -> Iterator[Message]:
    """Yields the messages with the name of the tool in the place of the id of what it said: by that
    a model of Gemini's knows whose answer it is.
    """
    names: dict[str, str] = {}
    for message in messages:
        content: list[Block] = []
        for block in message.content:
            if isinstance(block, ToolUse):
                names[block.id] = block.name
            if isinstance(block, ToolResult) and block.tool_use_id in names:
                content.append(replace(block, tool_use_id=names[block.tool_use_id]))
            else:
                content.append(block)
        yield replace(message, content=tuple(content))


def write_content(message: Message) -> list[dict[str, Any]]:
    """Writes a message as a content of Gemini's; reasoning has no place among what is sent."""
    parts = [part for block in message.content if (part := _write_part(block))]
    return [{"role": _ROLES[message.role], "parts": parts}] if parts else []


def write_answer(part: Mapping[str, Any], block: ToolResult) -> dict[str, Any]:
    """Writes what a tool said into the part of Gemini's that it was read from."""
    key = "functionResponse" if "functionResponse" in part else "function_response"
    answer = {
        name: value for name, value in object_or_empty(part.get(key)).items() if name != "parts"
    }
    return {**part, key: {**answer, "response": _answer_value(block)}}


def _answer_value(block: ToolResult) -> dict[str, object]:
    said = [
        item.text
        if isinstance(item, Text)
        else compact_json(item.data if isinstance(item, Opaque) else item.media)
        for item in block.content
    ]
    return {"error" if block.is_error else "output": "\n".join(said)}


def _write_part(block: Block) -> dict[str, Any] | None:
    if isinstance(block, Text):
        return {"text": block.text}
    if isinstance(block, Compaction):
        return {"text": block.content}
    if isinstance(block, ToolUse):
        given = block.input if isinstance(block.input, dict) else {"input": block.input}
        return {"functionCall": {"name": block.name, "args": given}}
    if isinstance(block, ToolResult):
        return {"functionResponse": {"name": block.tool_use_id, "response": _answer_value(block)}}
    if isinstance(block, Image | Document):
        kind = block.media.get("media_type", "application/octet-stream")
        if block.media.get("type") == "url":
            return {"fileData": {"mimeType": kind, "fileUri": block.media.get("url")}}
        return {"inlineData": {"mimeType": kind, "data": block.media.get("data")}}
    return dict(block.data) if isinstance(block, Opaque) and isinstance(block.data, dict) else None


def _field(data: Mapping[str, Any], *names: str) -> Any:
    return next((data[name] for name in names if name in data), None)
