"""A message written back into what it was read from, with what has changed and nothing else."""

from __future__ import annotations

from typing import Any

from synapse_ls.compaction.message import Message, Source, ToolResult
from synapse_ls.compaction.shapes import anthropic, openai
from synapse_ls.compaction.shapes.parts import items

CONTENT = ("content", "output", "tool_calls", "function_call")


def rewritten(message: Message, source: Source) -> list[dict[str, Any]]:
    """The object that a message was read from, as the message is now."""
    data = dict(source.data)
    if len(message.content) == len(source.content):
        pairs = list(zip(message.content, source.content, strict=True))
        changed = [index for index, (now, then) in enumerate(pairs) if now is not then]
        if not changed:
            return [data]
        if all(isinstance(message.content[index], ToolResult) for index in changed):
            parts = list(items(data.get("content")))
            if len(parts) == len(pairs) and not data.get("tool_call_id"):
                for index in changed:
                    parts[index] = {**parts[index], **anthropic.part(message.content[index])}
                return [{**data, "content": parts}]
            if len(pairs) == 1:
                place = "output" if "output" in data else "content"
                return [{**data, place: openai.said(message.content[0])}]
    kept = {name: value for name, value in data.items() if name not in CONTENT}
    write = openai.written if "tool_calls" in data else anthropic.written
    return [{**kept, **fresh} for fresh in write(message)]
