"""Lists of messages as other programs write them, read and written back.

Read are the messages of Anthropic's Messages API, and of OpenAI's Chat Completions and Responses APIs,
mixed or not, alone in a list or in the body of a request. Reading is tolerant: a part of a kind that is
not known is kept and counted by its JSON. Writing is exact: what nothing has changed is written as it
was, unknown fields included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from synapse_ls.compaction.errors import ShapeError
from synapse_ls.compaction.message import Message, Role, ToolDefinition
from synapse_ls.compaction.shapes import anthropic, openai
from synapse_ls.compaction.shapes.parts import table, text
from synapse_ls.compaction.shapes.reading import read_message
from synapse_ls.compaction.shapes.rewriting import rewritten

WRITERS: Mapping[str, Callable[[Message], list[dict[str, Any]]]] = {
    "anthropic": anthropic.written,
    "openai": openai.written,
}
"""Shape -> what writes a message in it."""


class Request(NamedTuple):
    """What a model is sent. body: the object that the messages stood in, None where it was a list."""

    messages: list[Message]
    tools: list[ToolDefinition]
    body: Mapping[str, Any] | None


def read_messages(data: Iterable[object]) -> list[Message]:
    """The messages of a list, numbered from 1.

    A message with ``"pinned": true`` is kept by every strategy. Raises ShapeError, with the number, for
    an item that is no object, or that is no message in any of the shapes.
    """
    return [read_message(item, number) for number, item in enumerate(data, 1)]


def read_request(data: object) -> Request:
    """The messages and tools in decoded JSON: a list of messages, or the body of a request.

    Of a body ``messages`` (or ``input``), ``system`` (or ``instructions``) and ``tools`` are read; the
    instructions become the first message, of number 0. Raises ShapeError for anything else.
    """
    if isinstance(data, list):
        return Request(read_messages(data), [], None)
    body = table(data)
    items = body.get("messages", body.get("input"))
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    if not isinstance(items, list):
        raise ShapeError("there is neither a list of messages nor an object that has one")
    messages = read_messages(items)
    system = body.get("system", body.get("instructions"))
    if system:
        first = read_message({"role": "system", "content": system}, 0)
        messages.insert(0, Message(Role.SYSTEM, first.content, number=0))
    tools = body.get("tools")
    return Request(messages, [_tool(table(tool)) for tool in tools or ()], body)


def write_messages(messages: Sequence[Message], shape: str = "") -> list[dict[str, Any]]:
    """The messages as JSON values.

    shape: one of `WRITERS`, for all of them; "" leaves each in that in which it was read, and writes
    others as the messages around them. Raises ValueError for another shape.
    """
    if shape and shape not in WRITERS:
        raise ValueError(f"there is no shape {shape}, only {', '.join(WRITERS)}")
    write = WRITERS[shape or _shape_of(messages)]
    written: list[dict[str, Any]] = []
    for message in messages:
        if not shape and message.source is not None:
            written += rewritten(message, message.source)
        else:
            written += write(message)
    return written


def write_request(
    messages: Sequence[Message], body: Mapping[str, Any] | None, shape: str = ""
) -> object:
    """The messages in the place of those that stood in ``body``; a list where there was none."""
    if body is None:
        return write_messages(messages, shape)
    held = "messages" if "messages" in body else "input"
    rest = [message for message in messages if message.number != 0]
    return {**body, held: write_messages(rest, shape)}


def _shape_of(messages: Iterable[Message]) -> str:
    for message in messages:
        if message.source is not None:
            data = message.source.data
            if data.get("tool_calls") or text(data.get("role")) in ("tool", "developer"):
                return "openai"
    return "anthropic"


def _tool(data: Mapping[str, Any]) -> ToolDefinition:
    inner = table(data.get("function")) or data
    schema = inner.get("input_schema", inner.get("parameters", {}))
    return ToolDefinition(text(inner.get("name")), text(inner.get("description")), schema)
