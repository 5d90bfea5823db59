"""Read messages in any supported shape, including the objects of vendors' client libraries.

A pydantic model counts as its ``model_dump``; a plain value is returned as the same object. Bytes
stay bytes, because the libraries of Google and Amazon would misread a text in their place.
"""

import json
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from synapse_ls.compaction import vendor_messages
from synapse_ls.compaction.message import (
    Block,
    Compaction,
    Document,
    Image,
    Message,
    Opaque,
    RedactedThinking,
    Role,
    ShapeError,
    Source,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from synapse_ls.compaction.summarization import SUMMARY
from synapse_ls.compaction.vendor_messages import list_or_empty, object_or_empty, text_or_empty

_ATOMS = (str, int, float, bool, bytes, type(None))
_DEEPEST = 200  # levels; deeper values are no part of a conversation


def plain_value(value: object, place: str, levels: int = _DEEPEST) -> Any:
    """Return an object of a vendor's library as JSON values and bytes; its models by the fields
    that were set.

    place: what a sentence calls it, such as "message 3". Raises ShapeError, with the place, for
    what is no JSON.
    """
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, _ATOMS):
        return value
    if not levels:
        raise ShapeError(f"{place} is too deep to be part of a message")
    if callable(dump := getattr(value, "model_dump", None)) and not isinstance(value, type):
        return plain_value(dump(by_alias=True, exclude_none=True), place, levels - 1)
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if isinstance(value, Mapping):
        plain_values_by_key = {
            key: plain_value(item, f"{place}, {key}", levels - 1) for key, item in value.items()
        }
        same = all(plain_values_by_key[key] is item for key, item in value.items())
        return value if same else plain_values_by_key
    if isinstance(value, list | tuple):
        items = [
            plain_value(item, f"{place}[{number}]", levels - 1) for number, item in enumerate(value)
        ]
        same = isinstance(value, list) and all(a is b for a, b in zip(items, value, strict=True))
        return value if same else items
    raise ShapeError(f"{place} is a {type(value).__name__}, which is no JSON")


# How programs call who speaks.
ROLES: Mapping[str, Role] = {
    "user": Role.USER, "human": Role.USER, "tool": Role.USER, "function": Role.USER,
    "assistant": Role.ASSISTANT, "ai": Role.ASSISTANT, "model": Role.ASSISTANT,
    "system": Role.SYSTEM, "developer": Role.SYSTEM,
}  # fmt: skip


def read_message(item: object, number: int) -> Message:
    """Read the message that an item of a conversation is; ShapeError, with its number, for what is
    none.
    """
    if not isinstance(item := plain_value(item, f"message {number}"), Mapping):
        raise ShapeError(f"message {number} is no object")
    if (kind := text_or_empty(item.get("type"))) in ITEM_READERS:
        role, content = ITEM_READERS[kind](item)
    else:
        if not (spoken := text_or_empty(item.get("role"))) and vendor_messages.is_content(item):
            spoken = "user"  # as that API understands it
        if (speaker := ROLES.get(spoken.lower())) is None and kind not in ("", "message"):
            raise ShapeError(
                f'message {number} is of the type "{kind}", which is not known, '
                "so it cannot be counted"
            )
        if speaker is None:
            problem = f'has the role "{spoken}"' if spoken else "has no role"
            raise ShapeError(f"message {number} {problem}; it takes one of {', '.join(ROLES)}")
        # Raises ShapeError where what a message says stands where no API has it: it cannot be
        # counted.
        for name in ("content", "parts", "tool_calls"):
            value = item.get(name)
            kinds: tuple[type, ...] = (str, list) if name == "content" else (list,)
            is_answer = name == "content" and item.get("role") in ("tool", "function")
            if not (value is None or isinstance(value, kinds) or is_answer):
                wanted = "a text or a list of parts" if name == "content" else "a list"
                raise ShapeError(
                    f"message {number}, {name} is a {type(value).__name__}, and must be {wanted}"
                )
            for place, part in enumerate(value if isinstance(value, list) else ()):
                if not isinstance(part, Mapping) and not (
                    name == "content" and isinstance(part, str)
                ):
                    raise ShapeError(
                        f"message {number}, {name}[{place}] is a {type(part).__name__}, and no "
                        "object"
                    )
        unknown = sorted(name for name in item if name not in _SILENT)
        if unknown and not any(name in item for name in _SPEAKING):
            raise ShapeError(
                f"message {number} has {', '.join(unknown)} and no content, so it cannot be counted"
            )
        role, content = speaker, _read_content(item, spoken.lower())
    return Message(
        role,
        content,
        pinned=item.get("pinned") is True,
        number=number,
        source=Source(item, content),
        shape=item_shape(item),
    )


def item_shape(data: Mapping[str, Any]) -> str:
    """Return the shape of a message that only one API has; "" for the others."""
    if vendor_messages.is_content(data):
        return "gemini"
    content = data.get("content")
    is_bedrock = isinstance(content, list) and any(map(vendor_messages.is_part, content))
    return "bedrock" if is_bedrock else ""


# Fields of a message that a model is not told, or that are counted with the message.
_SILENT = frozenset(("role", "type", "id", "name", "status", "phase", "pinned", "tool_call_id"))

_SPEAKING = ("content", "parts", "tool_calls", "function_call", "refusal", "audio")


def read_blocks(content: object) -> tuple[Block, ...]:
    """Read the blocks of a message's content: a text, a list of parts, or nothing."""
    if isinstance(content, str):
        return (Compaction(content) if content.startswith(SUMMARY) else Text(content),)
    return tuple(map(read_block, list_or_empty(content)))


def read_block(part: object) -> Block:
    """Read the block that a part of a message is."""
    if isinstance(part, str):
        return Text(part)
    data = object_or_empty(part)
    if vendor_messages.is_part(data):
        return vendor_messages.read_part(data)
    read = PART_READERS.get(text_or_empty(data.get("type")))
    return read(data) if read else Opaque(part)


def parse_arguments(arguments: object) -> object:
    """Parse the arguments of a tool call in a message, which some programs write as JSON within
    JSON.
    """
    if isinstance(arguments, str):
        try:
            return json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
    return arguments


def _read_content(item: Mapping[str, Any], spoken: str) -> tuple[Block, ...]:
    """Read the content of a message with a role, and what stands beside it."""
    if vendor_messages.is_content(item):
        return vendor_messages.read_parts(item)
    if spoken in ("tool", "function"):
        answered = text_or_empty(item.get("tool_call_id")) or text_or_empty(item.get("name"))
        return (ToolResult(answered, _read_result(item.get("content"))),)
    blocks = list(read_blocks(item.get("content")))
    if refusal := text_or_empty(item.get("refusal")):
        blocks.append(Text(refusal))
    for call in map(object_or_empty, list_or_empty(item.get("tool_calls"))):
        inner = object_or_empty(call.get("function")) or object_or_empty(call.get("custom")) or call
        name = text_or_empty(inner.get("name"))
        arguments = inner.get("arguments", inner.get("input"))
        blocks.append(ToolUse(text_or_empty(call.get("id")), name, parse_arguments(arguments)))
    if isinstance(item.get("audio"), Mapping):
        blocks.append(Document(item["audio"]))
    if legacy := object_or_empty(item.get("function_call")):
        name = text_or_empty(legacy.get("name"))
        blocks.append(ToolUse(name, name, parse_arguments(legacy.get("arguments"))))
    return tuple(blocks)


def _read_result(content: object) -> tuple[Text | Image | Document | Opaque, ...]:
    """Read what a tool said: a text, parts, or any other JSON."""
    if content is None:
        return ()
    if not isinstance(content, str | list):
        return (Opaque(content),)
    blocks = (Text(content),) if isinstance(content, str) else read_blocks(content)
    return tuple(
        b if isinstance(b, Text | Image | Document | Opaque) else Opaque(b) for b in blocks
    )


def _read_image_url(data: Mapping[str, Any]) -> Image:
    given = data.get("image_url")
    url = text_or_empty(given) or text_or_empty(object_or_empty(given).get("url"))
    head, comma, encoded = url.partition(";base64,")
    if comma and head.startswith("data:"):
        return Image({"type": "base64", "media_type": head.removeprefix("data:"), "data": encoded})
    return Image({"type": "url", "url": url})


def _read_words(data: Mapping[str, Any]) -> Block:
    return read_blocks(text_or_empty(data.get("text")) or text_or_empty(data.get("refusal")))[0]


# Kind of part -> the block it is.
PART_READERS: Mapping[str, Callable[[Mapping[str, Any]], Block]] = {
    **dict.fromkeys(("text", "input_text", "output_text", "refusal"), _read_words),
    "thinking": lambda d: Thinking(
        text_or_empty(d.get("thinking")), text_or_empty(d.get("signature"))
    ),
    "redacted_thinking": lambda d: RedactedThinking(text_or_empty(d.get("data"))),
    "tool_use": lambda d: ToolUse(
        text_or_empty(d.get("id")), text_or_empty(d.get("name")), d.get("input")
    ),
    "tool_result": lambda d: ToolResult(
        text_or_empty(d.get("tool_use_id")),
        _read_result(d.get("content")),
        d.get("is_error") is True,
    ),
    "image": lambda d: Image(object_or_empty(d.get("source"))),
    **dict.fromkeys(("image_url", "input_image"), _read_image_url),
    "document": lambda d: Document(object_or_empty(d.get("source"))),
    **dict.fromkeys(("file", "input_file", "input_audio"), Document),
    "compaction": lambda d: Compaction(text_or_empty(d.get("content"))),
}


_Read = tuple[Role, tuple[Block, ...]]

# Fields of an item that only say which it is.
_ITEM_NAMES = frozenset(("type", "id", "call_id", "status", "pinned", "caller"))


def _read_call_item(data: Mapping[str, Any]) -> _Read:
    fields = ("arguments", "input", "action", "actions", "operation", "code")
    arguments = next((data[name] for name in fields if data.get(name) is not None), None)
    name = text_or_empty(data.get("name")) or text_or_empty(data.get("type")).removesuffix("_call")
    return Role.ASSISTANT, (ToolUse(_item_identity(data), name, parse_arguments(arguments)),)


def _item_identity(data: Mapping[str, Any]) -> str:
    names = ("call_id", "approval_request_id", "id")
    return next((data[name] for name in names if text_or_empty(data.get(name))), "")


def _read_output_item(data: Mapping[str, Any]) -> _Read:
    output = data.get("output")
    failed = object_or_empty(output).get("success") is False or data.get("status") == "failed"
    inner = object_or_empty(output).get("content", output)
    return Role.USER, (ToolResult(_item_identity(data), _read_result(inner), failed),)


def _read_fixed_item(data: Mapping[str, Any]) -> _Read:
    """Read a result that has no place for words; a picture of a screen counts as one."""
    values_by_name = {name: value for name, value in data.items() if name not in _ITEM_NAMES}
    inner: Image | Opaque = Opaque(values_by_name)
    if object_or_empty(data.get("output")).get("type") == "computer_screenshot":
        inner = _read_image_url(data["output"])
    return Role.USER, (ToolResult(_item_identity(data), (inner,), is_fixed=True),)


def _read_reasoning_item(data: Mapping[str, Any]) -> _Read:
    parts = [*list_or_empty(data.get("summary")), *list_or_empty(data.get("content"))]
    words = "\n".join(text_or_empty(object_or_empty(part).get("text")) for part in parts)
    sealed = text_or_empty(data.get("encrypted_content"))
    blocks: list[Block] = [Thinking(words)] if words else []
    # Reasoning that its maker keeps has nothing to read, and belongs to what follows all the same.
    return Role.ASSISTANT, (
        *blocks,
        *([RedactedThinking(sealed, "openai")] if sealed or not words else []),
    )


_CALLS = [
    "function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "computer_call",
    "shell_call", "apply_patch_call", "mcp_approval_request", "program",
]  # fmt: skip
_ANSWERS = [
    "function_call_output", "custom_tool_call_output", "local_shell_call_output",
    "apply_patch_call_output",
]  # fmt: skip
_FIXED_ANSWERS = [
    "computer_call_output", "shell_call_output", "tool_search_output", "mcp_approval_response",
    "program_output",
]  # fmt: skip
_WHOLE = [
    "web_search_call", "file_search_call", "image_generation_call", "code_interpreter_call",
    "mcp_call", "mcp_list_tools", "compaction", "compaction_trigger", "additional_tools",
    "configuration_update",
]  # fmt: skip

# Kind of item of the Responses API that is no message -> who said what.
ITEM_READERS: Mapping[str, Callable[[Mapping[str, Any]], _Read]] = {
    **dict.fromkeys(_CALLS, _read_call_item),
    **dict.fromkeys(_ANSWERS, _read_output_item),
    **dict.fromkeys(_FIXED_ANSWERS, _read_fixed_item),
    **dict.fromkeys(_WHOLE, lambda data: (Role.ASSISTANT, (Opaque(data),))),
    "reasoning": _read_reasoning_item,
}
