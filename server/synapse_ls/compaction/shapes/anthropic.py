"""Messages as Anthropic's Messages API takes them.

Instructions keep the role ``system`` in a list; that API takes them beside it, as ``system``.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.compaction.message import (
    Block,
    Compaction,
    Document,
    Image,
    Message,
    RedactedThinking,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)


def written(message: Message) -> list[dict[str, Any]]:
    """The message, alone in a list."""
    said = message.content
    content: object = [part(block) for block in said]
    if len(said) == 1 and isinstance(said[0], Text | Compaction):
        content = part(said[0])["text"]
    pinned = {"pinned": True} if message.pinned else {}
    return [{"role": message.role.value, "content": content, **pinned}]


def part(block: Block) -> dict[str, Any]:
    """A block as a part of a content."""
    if isinstance(block, Text):
        return {"type": "text", "text": block.text}
    if isinstance(block, Compaction):
        return {"type": "text", "text": block.content}
    if isinstance(block, ToolUse):
        return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input}
    if isinstance(block, ToolResult):
        inner = [part(item) for item in block.content]
        one = len(inner) == 1 and inner[0].get("type") == "text"
        failed = {"is_error": True} if block.is_error else {}
        content = inner[0]["text"] if one else inner
        return {
            "type": "tool_result",
            "tool_use_id": block.tool_use_id,
            "content": content,
            **failed,
        }
    if isinstance(block, Thinking):
        return {"type": "thinking", "thinking": block.thinking, "signature": block.signature}
    if isinstance(block, RedactedThinking):
        return {"type": "redacted_thinking", "data": block.data}
    if isinstance(block, Image | Document):
        kind = "image" if isinstance(block, Image) else "document"
        return {"type": kind, "source": dict(block.media)}
    data = block.data
    return dict(data) if isinstance(data, dict) else {"type": "text", "text": str(data)}
