"""This module renders a conversation as one text, to be read by a model that sums it up.

Sent as messages, it would be a conversation to go on with: a model answers its last question, and an
API wants the definitions of the tools in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from synapse_ls.compaction.message import (
    Block,
    Document,
    Image,
    Message,
    Opaque,
    Role,
    ToolResult,
    ToolUse,
    spoken_texts,
)
from synapse_ls.compaction.token_counter import compact_json

_END = "</conversation>"


def render_conversation(messages: Iterable[Message]) -> str:
    """Renders a conversation as text: who said what, between tags; nothing in it ends the tag."""
    said = (piece.replace(_END, "</ conversation>") for piece in render_messages(messages))
    return "\n\n".join(("<conversation>", *said, _END))


def render_messages(messages: Iterable[Message]) -> Iterator[str]:
    """Renders messages of a conversation as pieces of text: who said what, a piece for each block;
    reasoning is left out.
    """
    names: dict[str, str] = {}
    for message in messages:
        speaker = "instructions" if message.role is Role.SYSTEM else message.role.value
        for block in message.content:
            if isinstance(block, ToolUse):
                names[block.id] = block.name
                given = block.input if isinstance(block.input, str) else compact_json(block.input)
                yield f"[{message.role.value} calls {block.name}]\n{given}"
            elif isinstance(block, ToolResult):
                name = names.get(block.tool_use_id, "a tool")
                failed = " with an error" if block.is_error else ""
                yield f"[{name} answers{failed}]\n" + "\n".join(map(_block_text, block.content))
            elif words := _block_text(block):
                yield f"[{speaker}]\n{words}"


def _block_text(block: Block) -> str:
    if isinstance(block, Image):
        return "(a picture)"
    if isinstance(block, Document):
        return "(a document)"
    if isinstance(block, Opaque):
        return block.data if isinstance(block.data, str) else compact_json(block.data)
    return "\n".join(spoken_texts((block,)))
