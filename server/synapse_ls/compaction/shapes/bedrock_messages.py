"""This module reads and writes messages as the Converse API of Amazon Bedrock has them: the one key of
a part says what it is.
"""

from __future__ import annotations

from base64 import b64decode
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
from synapse_ls.compaction.shapes.json_values import (
    encoded_text,
    list_or_empty,
    object_or_empty,
    text_or_empty,
)
from synapse_ls.compaction.summarization import SUMMARY
from synapse_ls.compaction.token_counter import compact_json

KEYS = frozenset(
    ("text", "toolUse", "toolResult", "reasoningContent", "image", "document", "video", "audio", "json",
     "guardContent", "cachePoint", "citationsContent", "searchResult", "toolAddition", "toolRemoval")
)  # fmt: skip


def is_part(part: object) -> bool:
    """Tells whether a part of a content is one of Bedrock's Converse API."""
    data = object_or_empty(part)
    return "type" not in data and len(data) == 1 and next(iter(data)) in KEYS


def read_part(data: Mapping[str, Any]) -> Block:
    """Reads the block that a part of Bedrock's Converse API is."""
    if isinstance(data.get("text"), str):
        words = data["text"]
        return Compaction(words) if words.startswith(SUMMARY) else Text(words)
    if call := object_or_empty(data.get("toolUse")):
        identity = text_or_empty(call.get("toolUseId"))
        return ToolUse(identity, text_or_empty(call.get("name")), call.get("input"))
    if answer := object_or_empty(data.get("toolResult")):
        said = [_read_answer(item) for item in list_or_empty(answer.get("content"))]
        failed = answer.get("status") == "error"
        return ToolResult(text_or_empty(answer.get("toolUseId")), tuple(said), failed)
    if reasoning := object_or_empty(data.get("reasoningContent")):
        told = object_or_empty(reasoning.get("reasoningText"))
        if told:
            return Thinking(text_or_empty(told.get("text")), text_or_empty(told.get("signature")))
        return RedactedThinking(encoded_text(reasoning.get("redactedContent")), "bedrock")
    for kind, block, group in (("image", Image, "image"), ("document", Document, "application")):
        if isinstance(data.get(kind), Mapping):
            return block(_read_media(data[kind], group))
    if isinstance(data.get("video"), Mapping) or isinstance(data.get("audio"), Mapping):
        return Document(data)
    return Opaque(data)


def _read_media(data: Mapping[str, Any], group: str) -> Mapping[str, object]:
    """Reads a picture or file in Anthropic's terms; one that stands in a bucket stays as it is."""
    held = object_or_empty(data.get("source")).get("bytes")
    if not isinstance(held, bytes | str):
        return data
    kind = f"{group}/{text_or_empty(data.get('format'))}"
    return {"type": "base64", "media_type": kind, "data": encoded_text(held)}


def _write_media(block: Image | Document) -> dict[str, Any]:
    media = block.media
    if "video" in media or "audio" in media or "source" in media:
        return dict(media) if "source" not in media else {_media_key(block): dict(media)}
    if media.get("type") != "base64":
        return {"text": compact_json(media)}  # Converse takes no address of a file
    kind = text_or_empty(media.get("media_type")).rpartition("/")[2]
    source = {"bytes": b64decode(text_or_empty(media.get("data")))}
    named = {"name": "document"} if isinstance(block, Document) else {}
    return {_media_key(block): {"format": kind, **named, "source": source}}


def _media_key(block: Image | Document) -> str:
    return "image" if isinstance(block, Image) else "document"


def _read_answer(item: object) -> Text | Image | Document | Opaque:
    data = object_or_empty(item)
    found = read_part(data) if is_part(data) else Opaque(item)
    return found if isinstance(found, Text | Image | Document | Opaque) else Opaque(item)


def write_message(message: Message) -> list[dict[str, Any]]:
    """Writes a message as Bedrock's Converse API takes it; reasoning of other makers is left out."""
    parts = [part for block in message.content if (part := write_part(block))]
    return [{"role": message.role.value, "content": parts}] if parts else []


def write_answer(part: Mapping[str, Any], block: ToolResult) -> dict[str, Any]:
    """Writes what a tool said into the part of Bedrock's Converse API that it was read from."""
    said = [made for item in block.content if (made := write_part(item))]
    return {**part, "toolResult": {**object_or_empty(part.get("toolResult")), "content": said}}


def write_part(block: Block) -> dict[str, Any] | None:
    """Writes a block as a part of Bedrock's Converse API; None for what has no place there."""
    if isinstance(block, Text | Compaction):
        return {"text": block.text if isinstance(block, Text) else block.content}
    if isinstance(block, ToolUse):
        given = block.input if isinstance(block.input, dict) else {"input": block.input}
        return {"toolUse": {"toolUseId": block.id, "name": block.name, "input": given}}
    if isinstance(block, ToolResult):
        said = [part for item in block.content if (part := write_part(item))]
        failed = {"status": "error"} if block.is_error else {}
        return {"toolResult": {"toolUseId": block.tool_use_id, "content": said, **failed}}
    if isinstance(block, Image | Document):
        return _write_media(block)
    if isinstance(block, Opaque):
        data = object_or_empty(block.data)
        return dict(data) if is_part(data) else {"text": compact_json(block.data)}
    return None
