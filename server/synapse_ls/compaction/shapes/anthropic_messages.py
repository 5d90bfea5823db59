"""This module writes messages as Anthropic's Messages API takes them.

Instructions keep the role ``system`` in a list; that API takes them beside it, as ``system``. It
takes reasoning that it has signed or sealed itself; that of others is left out.
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


def write_message(message: Message) -> list[dict[str, Any]]:
    """Writes a message as Anthropic's Messages API takes it, alone in a list; nothing where it is
    all reasoning of another model's maker.
    """
    said = [block for block in message.content if not _is_foreign_reasoning(block)]
    if message.content and not said:
        return []
    content: object = [write_part(block) for block in said]
    if len(said) == 1 and isinstance(said[0], Text | Compaction):
        content = write_part(said[0])["text"]
    return [{"role": message.role.value, "content": content}]


def _is_foreign_reasoning(block: Block) -> bool:
    """Tells whether it is reasoning that this API has neither signed nor sealed."""
    if isinstance(block, RedactedThinking):
        return block.maker != "anthropic"
    return isinstance(block, Thinking) and not block.signature


def write_part(block: Block) -> dict[str, Any]:
    """Writes a block as a part of a content of Anthropic's Messages API."""
    if isinstance(block, Text):
        return {"type": "text", "text": block.text}
    if isinstance(block, Compaction):
        return {"type": "text", "text": block.content}
    if isinstance(block, ToolUse):
        given = {} if block.input is None else block.input
        given = given if isinstance(given, dict) else {"input": given}
        return {"type": "tool_use", "id": block.id, "name": block.name, "input": given}
    if isinstance(block, ToolResult):
        said = block.content
        failed = {"is_error": True} if block.is_error else {}
        content: object = [write_part(item) for item in said]
        if len(said) == 1 and isinstance(said[0], Text):
            content = said[0].text
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
