"""This module reads and writes lists of messages in the formats of other programs: Anthropic and
OpenAI.

Read are the messages of Anthropic's Messages API, and of OpenAI's Chat Completions and Responses
APIs, mixed or not, alone in a list or in the body of a request. Reading is tolerant: a part of a
kind that is not known is kept and counted by its JSON. Writing is exact: what nothing has changed
is written as it was, unknown fields included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from synapse_ls.compaction.compaction_errors import ShapeError
from synapse_ls.compaction.message import Message, Role, Source, ToolDefinition, ToolResult
from synapse_ls.compaction.shapes import anthropic_messages, openai_messages
from synapse_ls.compaction.shapes.json_values import list_or_empty, object_or_empty, text_or_empty
from synapse_ls.compaction.shapes.message_reader import read_message

CONTENT_KEYS = ("content", "output", "tool_calls", "function_call")


def rewrite_message(message: Message, source: Source) -> list[dict[str, Any]]:
    """Writes a message back into the object that it was read from, with what has changed and
    nothing else.
    """
    data = dict(source.data)
    if len(message.content) == len(source.content):
        pairs = list(zip(message.content, source.content, strict=True))
        changed = [index for index, (now, then) in enumerate(pairs) if now is not then]
        if not changed:
            return [data]
        if all(isinstance(message.content[index], ToolResult) for index in changed):
            parts = list(list_or_empty(data.get("content")))
            if len(parts) == len(pairs) and not data.get("tool_call_id"):
                for index in changed:
                    parts[index] = {
                        **parts[index],
                        **anthropic_messages.write_part(message.content[index]),
                    }
                return [{**data, "content": parts}]
            if len(pairs) == 1:
                place = "output" if "output" in data else "content"
                return [{**data, place: openai_messages.tool_result_text(message.content[0])}]
    kept = {name: value for name, value in data.items() if name not in CONTENT_KEYS}
    write = (
        openai_messages.write_message if "tool_calls" in data else anthropic_messages.write_message
    )
    return [{**kept, **fresh} for fresh in write(message)]


WRITERS: Mapping[str, Callable[[Message], list[dict[str, Any]]]] = {
    "anthropic": anthropic_messages.write_message,
    "openai": openai_messages.write_message,
}
"""Shape -> what writes a message in it."""


class ModelRequest(NamedTuple):
    """A ModelRequest is what a model is sent. body: the object that the messages stood in, None
    where it was a list.
    """

    messages: list[Message]
    tools: list[ToolDefinition]
    body: Mapping[str, Any] | None


def read_messages(data: Iterable[object]) -> list[Message]:
    """Reads the messages of a list, numbered from 1.

    A message with ``"pinned": true`` is kept by every strategy. Raises ShapeError, with the number,
    for an item that is no object, or that is no message in any of the shapes.
    """
    return [read_message(item, number) for number, item in enumerate(data, 1)]


def read_request(data: object) -> ModelRequest:
    """Reads the messages and tools in decoded JSON: a list of messages, or the body of a request.

    Of a body ``messages`` (or ``input``), ``system`` (or ``instructions``) and ``tools`` are read;
    the instructions become the first message, of number 0. Raises ShapeError for anything else.
    """
    if isinstance(data, list):
        return ModelRequest(read_messages(data), [], None)
    body = object_or_empty(data)
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
    return ModelRequest(messages, [_read_tool(object_or_empty(tool)) for tool in tools or ()], body)


def write_messages(messages: Sequence[Message], shape: str = "") -> list[dict[str, Any]]:
    """Writes the messages as JSON values.

    shape: one of `WRITERS`, for all of them; "" leaves each in that in which it was read, and
    writes others as the messages around them. Raises ValueError for another shape.
    """
    if shape and shape not in WRITERS:
        raise ValueError(f"there is no shape {shape}, only {', '.join(WRITERS)}")
    write = WRITERS[shape or _conversation_shape(messages)]
    written: list[dict[str, Any]] = []
    for message in messages:
        if not shape and message.source is not None:
            written += rewrite_message(message, message.source)
        else:
            written += write(message)
    return written


def write_request(
    messages: Sequence[Message], body: Mapping[str, Any] | None, shape: str = ""
) -> object:
    """Writes the messages in the place of those that stood in ``body``; a list where there was
    none.
    """
    if body is None:
        return write_messages(messages, shape)
    held = "messages" if "messages" in body else "input"
    rest = [message for message in messages if message.number != 0]
    return {**body, held: write_messages(rest, shape)}


def _conversation_shape(messages: Iterable[Message]) -> str:
    for message in messages:
        if message.source is not None:
            data = message.source.data
            if data.get("tool_calls") or text_or_empty(data.get("role")) in ("tool", "developer"):
                return "openai"
    return "anthropic"


def _read_tool(data: Mapping[str, Any]) -> ToolDefinition:
    inner = object_or_empty(data.get("function")) or data
    schema = inner.get("input_schema", inner.get("parameters", {}))
    return ToolDefinition(
        text_or_empty(inner.get("name")), text_or_empty(inner.get("description")), schema
    )
