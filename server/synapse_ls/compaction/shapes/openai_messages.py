"""This module writes messages as OpenAI's Chat Completions API takes them.

That API has no place for reasoning, and none for whether a tool failed; both are left out.
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
    RedactedThinking,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from synapse_ls.compaction.shapes.json_values import text_or_empty
from synapse_ls.compaction.token_counter import compact_json


def write_message(message: Message) -> list[dict[str, Any]]:
    """Writes a message as OpenAI's Chat Completions API takes it: what tools said in messages of
    their own, then the rest, if there is any.

    Nothing is written of one that is all reasoning.
    """
    reasoning = (Thinking, RedactedThinking)
    if message.content and all(isinstance(block, reasoning) for block in message.content):
        return []
    found: list[dict[str, Any]] = [
        {"role": "tool", "tool_call_id": block.tool_use_id, "content": tool_result_text(block)}
        for block in message.content
        if isinstance(block, ToolResult)
    ]
    parts = [part for block in message.content if (part := _write_part(block))]
    calls = [_write_call(block) for block in message.content if isinstance(block, ToolUse)]
    if parts or calls or not found:
        entry: dict[str, Any] = {"role": message.role.value, "content": _join_content(parts)}
        found.append({**entry, "tool_calls": calls} if calls else entry)
    return found


def tool_result_text(block: Block) -> str:
    """Returns what a tool said, as a text for OpenAI's API."""
    inner = block.content if isinstance(block, ToolResult) else ()
    return "\n".join(
        item.text if isinstance(item, Text) else compact_json(_write_part(item)) for item in inner
    )


def _join_content(parts: list[dict[str, Any]]) -> object:
    if all(part.get("type") == "text" for part in parts):
        return "\n".join(part["text"] for part in parts) if parts else None
    return parts


def _write_call(block: ToolUse) -> dict[str, Any]:
    given = block.input if isinstance(block.input, str) else compact_json(block.input)
    return {
        "id": block.id,
        "type": "function",
        "function": {"name": block.name, "arguments": given},
    }


def _write_part(block: Block) -> dict[str, Any] | None:
    if isinstance(block, Text):
        return {"type": "text", "text": block.text}
    if isinstance(block, Compaction):
        return {"type": "text", "text": block.content}
    if isinstance(block, Image):
        return {"type": "image_url", "image_url": {"url": _media_url(block.media)}}
    if isinstance(block, Document):
        return _write_file(block.media)
    if isinstance(block, Opaque):
        return dict(block.data) if isinstance(block.data, dict) else None
    return None


def _write_file(media: Mapping[str, object]) -> dict[str, Any]:
    kind = media.get("type")
    if kind == "text":
        return {"type": "text", "text": text_or_empty(media.get("data"))}
    if kind in ("base64", "url"):
        place = "file_data" if kind == "base64" else "file_url"
        return {"type": "file", "file": {place: _media_url(media)}}
    return {"type": "file", **media}


def _media_url(media: Mapping[str, object]) -> str:
    if media.get("type") == "base64":
        return f"data:{media.get('media_type')};base64,{media.get('data')}"
    return text_or_empty(media.get("url"))
