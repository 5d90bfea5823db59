"""Read and write lists of messages of Anthropic, OpenAI, Gemini and Bedrock.

Anthropic's Messages API, OpenAI's Chat Completions and Responses APIs, Gemini's API and Bedrock's
Converse API, mixed or not, as a list or as the body of a request. An unknown kind of part is kept
and counted by its JSON. Unchanged parts are written exactly as they were read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from synapse_ls.compaction.message import (
    Block,
    Message,
    Role,
    ShapeError,
    Source,
    ToolDefinition,
    ToolResult,
    check_messages,
    spoken_texts,
)
from synapse_ls.compaction.message_reader import item_shape, plain_value, read_message
from synapse_ls.compaction.vendor_messages import (
    is_content,
    list_or_empty,
    name_results,
    object_or_empty,
    pair_calls,
    read_parts,
    text_or_empty,
    tool_result_text,
    write_anthropic_message,
    write_anthropic_part,
    write_bedrock_answer,
    write_bedrock_message,
    write_content,
    write_gemini_answer,
    write_openai_message,
)

CONTENT_KEYS = ("content", "output", "tool_calls", "function_call", "parts")


def rewrite_message(message: Message, source: Source) -> list[dict[str, Any]]:
    """Write a message back into the object of a conversation that it was read from, with what has
    changed and nothing else.
    """
    data = {name: value for name, value in source.data.items() if name != "pinned"}
    shape = item_shape(data)
    if len(message.content) == len(source.content):
        pairs = zip(message.content, source.content, strict=True)
        if not (changed := [index for index, (now, then) in enumerate(pairs) if now is not then]):
            return [data]
        if all(isinstance(message.content[index], ToolResult) for index in changed) and (
            results := _rewrite_results(data, message.content, changed, shape)
        ):
            return [results]
    values_by_name = {name: value for name, value in data.items() if name not in CONTENT_KEYS}
    shape = shape or ("openai" if "tool_calls" in data else "anthropic")
    return [{**values_by_name, **fresh} for fresh in WRITERS[shape](message)]


def _rewrite_results(
    data: dict[str, Any], content: Sequence[Block], changed: Sequence[int], shape: str
) -> dict[str, Any] | None:
    """Write results of tools that have changed into a message; None where they have no place."""
    place = "parts" if shape == "gemini" else "content"
    items = list(list_or_empty(data.get(place)))
    if len(items) == len(content) and not data.get("tool_call_id"):
        write = _RESULT_WRITERS[shape]
        for index in changed:
            items[index] = write(items[index], content[index])
        return {**data, place: items}
    if len(content) == 1:
        place = "output" if "output" in data else "content"
        return {**data, place: tool_result_text(content[0])}
    return None


# Shape -> what writes a message in it.
WRITERS: Mapping[str, Callable[[Message], list[dict[str, Any]]]] = {
    "anthropic": write_anthropic_message,
    "openai": write_openai_message,
    "gemini": write_content,
    "bedrock": write_bedrock_message,
}

# Shape -> what writes a changed result of a tool into the part that it was read from.
_RESULT_WRITERS: Mapping[str, Callable[[Any, Any], dict[str, Any]]] = {
    "": lambda part, block: {**part, **write_anthropic_part(block)},
    "gemini": write_gemini_answer,
    "bedrock": write_bedrock_answer,
}


class Request(NamedTuple):
    """A conversation in the format in which a model is sent it. body: the object that the messages
    stood in, None where it was a list.
    """

    messages: list[Message]
    tools: list[ToolDefinition]
    body: Mapping[str, Any] | None


def read_messages(data: Iterable[object]) -> list[Message]:
    """Read the messages of a conversation in any format, numbered from 1.

    An item may be an object of a vendor's library (with ``model_dump``), or hold such objects. A
    message with ``"pinned": true`` is kept by every strategy; what is written does not say so.
    Raises ShapeError, with the number, for an item that is no object, or that is no message in any
    of the shapes.
    """
    if isinstance(data, str | bytes | Mapping) or not isinstance(data, Iterable):
        raise ShapeError(f"a list of messages is needed, and this is a {type(data).__name__}")
    return pair_calls([read_message(item, number) for number, item in enumerate(data, 1)])


def read_request(data: object) -> Request:
    """Read the messages and tools of a conversation in decoded JSON: a list of messages, or the
    body of a request.

    Of a body ``messages`` (or ``input``), ``system`` (or ``instructions``) and ``tools`` are read;
    the instructions become the first message, of number 0. Raises ShapeError for anything else.
    """
    if isinstance(data, list):
        return Request(read_messages(data), [], None)
    body = object_or_empty(data)
    items = next((body[name] for name in _LISTS if name in body), None)
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    if not isinstance(items, list):
        raise ShapeError("there is neither a list of messages nor an object that has one")
    messages = read_messages(items)
    # Google's library has what is beside the contents in a place of its own.
    around = {**object_or_empty(plain_value(body.get("config"), "config")), **body}
    system = next((around[name] for name in _INSTRUCTIONS if around.get(name)), None)
    system = plain_value(system, "the instructions")
    if is_content(object_or_empty(system)):
        system = "\n".join(spoken_texts(read_parts(system)))
    if system:
        if not isinstance(system, str | list):
            kind = type(system).__name__
            raise ShapeError(
                f"the instructions are a {kind}, and must be a text or a list of parts"
            )
        first = read_message({"role": "system", "content": system}, 0)
        messages.insert(0, Message(Role.SYSTEM, first.content, number=0))
    return Request(messages, list(_read_tools(around)), body)


_LISTS = ("messages", "contents", "input")
_INSTRUCTIONS = ("system", "instructions", "systemInstruction", "system_instruction")


def write_messages(messages: Sequence[Message], shape: str = "") -> list[dict[str, Any]]:
    """Write the messages of a conversation as JSON values.

    shape: one of `WRITERS`, for all of them; "" leaves each in that in which it was read, and
    writes others as the messages around them. Raises ValueError for another shape.
    """
    if shape not in ("", *WRITERS):
        raise ValueError(f"there is no shape {shape}, only {', '.join(WRITERS)}")
    check_messages(messages)
    messages = list(messages)
    target = shape or _conversation_shape(messages)
    named = name_results(messages) if target == "gemini" else messages
    written: list[dict[str, Any]] = []
    before: Message | None = None
    for message, fresh in zip(messages, named, strict=True):
        if not shape and message.source is not None:
            items = rewrite_message(message, message.source)
        else:
            items = WRITERS[target](fresh)
        # Where two of one speaker did not follow each other in what was read, they become one.
        follows = before and message.number and before.number == message.number - 1
        if (
            target in _ALTERNATING
            and before
            and before.role is message.role
            and not follows
            and written
            and items
            and written[-1].get("role") == items[0].get("role")
        ):
            place, (first, *items) = _ALTERNATING[target], items
            written[-1] = {**written[-1], place: [*written[-1][place], *first[place]]}
        written += items
        before = message
    return written


# Shape in which user and model take turns -> where the parts of a message stand.
_ALTERNATING = {"gemini": "parts", "bedrock": "content"}


def write_request(
    messages: Sequence[Message], body: Mapping[str, Any] | None, shape: str = ""
) -> object:
    """Write the messages of a conversation in the place of those that stood in ``body``; a list
    where there was none.
    """
    if body is None:
        return write_messages(messages, shape)
    if not isinstance(body, Mapping):
        raise ShapeError(f"the body is a {type(body).__name__}, and must be an object")
    check_messages(messages)
    if (name := next((name for name in _LISTS if name in body), None)) is None:
        raise ShapeError(
            f"the body has none of {', '.join(_LISTS)}, so there is no place for messages"
        )
    rest = [message for message in messages if message.number != 0]
    return {**body, name: write_messages(rest, shape)}


def _conversation_shape(messages: Iterable[Message]) -> str:
    for message in messages:
        if message.shape:
            return message.shape
        if message.source is not None:
            data = message.source.data
            if data.get("tool_calls") or text_or_empty(data.get("role")) in ("tool", "developer"):
                return "openai"
    return "anthropic"


def _read_tools(body: Mapping[str, Any]) -> Iterator[ToolDefinition]:
    """Yield the tools of a body; Gemini has them in groups, Bedrock in a place of their own."""
    tools = body.get("tools", object_or_empty(body.get("toolConfig")).get("tools"))
    for tool in map(object_or_empty, list_or_empty(plain_value(tools, "tools"))):
        group = tool.get("functionDeclarations", tool.get("function_declarations"))
        members = (
            group if isinstance(group, list) else [object_or_empty(tool.get("toolSpec")) or tool]
        )
        for data in map(object_or_empty, members):
            inner = object_or_empty(data.get("function")) or data
            name, about = text_or_empty(inner.get("name")), text_or_empty(inner.get("description"))
            keys = ("input_schema", "parameters", "inputSchema")
            schema: Any = next((inner[key] for key in keys if key in inner), {})
            yield ToolDefinition(name, about, schema)
