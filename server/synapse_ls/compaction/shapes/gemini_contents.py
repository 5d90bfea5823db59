"""This module reads and writes contents as Gemini's API has them: a role and ``parts``.

A call often has no id there; then its name stands for one. Fields may be spelt in camelCase, as the
API has them, or in snake_case, as Google's library for Python does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synapse_ls.compaction.message import (
    Block,
    Compaction,
    Document,
    Image,
    Message,
    Opaque,
    Role,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from synapse_ls.compaction.shapes.json_values import list_or_empty, object_or_empty, text_or_empty
from synapse_ls.compaction.summarization import SUMMARY

_ROLES = {Role.USER: "user", Role.ASSISTANT: "model", Role.SYSTEM: "user"}


def is_content(item: Mapping[str, Any]) -> bool:
    """Tells whether an item is a content of Gemini's."""
    return isinstance(item.get("parts"), list)


def read_parts(item: Mapping[str, Any]) -> tuple[Block, ...]:
    """Reads the blocks of a content."""
    return tuple(_read_part(part) for part in list_or_empty(item.get("parts")))


def _read_part(part: object) -> Block:
    data = object_or_empty(part)
    if isinstance(data.get("text"), str):
        words = data["text"]
        if data.get("thought") is True:
            return Thinking(words, _field(data, "thoughtSignature", "thought_signature") or "")
        return Compaction(words) if words.startswith(SUMMARY) else Text(words)
    if call := object_or_empty(_field(data, "functionCall", "function_call")):
        name = text_or_empty(call.get("name"))
        return ToolUse(text_or_empty(call.get("id")) or name, name, call.get("args"))
    if answer := object_or_empty(_field(data, "functionResponse", "function_response")):
        name = text_or_empty(answer.get("name"))
        return ToolResult(text_or_empty(answer.get("id")) or name, (_read_answer(answer),))
    if media := object_or_empty(_field(data, "inlineData", "inline_data")):
        return _read_media(media, {"type": "base64", "data": media.get("data")})
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


def write_content(message: Message) -> list[dict[str, Any]]:
    """Writes the message as a content; reasoning has no place among what is sent."""
    parts = [part for block in message.content if (part := _write_part(block))]
    return [{"role": _ROLES[message.role], "parts": parts}] if parts else []


def write_answer(part: Mapping[str, Any], block: ToolResult) -> dict[str, Any]:
    """Writes what a tool said into the part that it was read from."""
    key = "functionResponse" if "functionResponse" in part else "function_response"
    return {**part, key: {**object_or_empty(part.get(key)), "response": _answer_value(block)}}


def _answer_value(block: ToolResult) -> dict[str, object]:
    said = "\n".join(item.text if isinstance(item, Text) else str(item) for item in block.content)
    return {"output": said}


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
