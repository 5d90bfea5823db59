"""A message or an item of a conversation, in whichever of the shapes it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from synapse_ls.compaction.errors import ShapeError
from synapse_ls.compaction.message import (
    Block,
    Compaction,
    Document,
    Image,
    Message,
    Opaque,
    RedactedThinking,
    Role,
    Source,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from synapse_ls.compaction.shapes.parts import items, table, text
from synapse_ls.compaction.summarization import SUMMARY

ROLES: Mapping[str, Role] = {
    "user": Role.USER,
    "human": Role.USER,
    "tool": Role.USER,
    "function": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
}
"""How programs call who speaks."""


def read_message(item: object, number: int) -> Message:
    """The message that an item is; ShapeError, with its number, for what is none."""
    if not isinstance(item, Mapping):
        raise ShapeError(f"message {number} is no object")
    kind = text(item.get("type"))
    if kind in ITEMS:
        role, content = ITEMS[kind](item)
    else:
        spoken = text(item.get("role"))
        found = ROLES.get(spoken.lower())
        if found is None:
            said = f'has the role "{spoken}"' if spoken else "has no role"
            raise ShapeError(f"message {number} {said}; it takes one of {', '.join(ROLES)}")
        role, content = found, _content(item, spoken.lower())
    return Message(
        role,
        content,
        pinned=item.get("pinned") is True,
        number=number,
        source=Source(item, content),
    )


def blocks(content: object) -> tuple[Block, ...]:
    """The blocks of a message's content: a text, a list of parts, or nothing."""
    if isinstance(content, str):
        return (Compaction(content) if content.startswith(SUMMARY) else Text(content),)
    return tuple(map(block, items(content)))


def block(part: object) -> Block:
    """The block that a part is."""
    if isinstance(part, str):
        return Text(part)
    data = table(part)
    read = PARTS.get(text(data.get("type")))
    return read(data) if read else Opaque(part)


def parsed(arguments: object) -> object:
    """Arguments of a call, which some programs write as JSON within JSON."""
    if isinstance(arguments, str):
        try:
            return json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
    return arguments


def _content(item: Mapping[str, Any], spoken: str) -> tuple[Block, ...]:
    """The content of a message with a role, and what stands beside it."""
    if spoken in ("tool", "function"):
        answered = text(item.get("tool_call_id")) or text(item.get("name"))
        return (ToolResult(answered, _result(item.get("content"))),)
    found = list(blocks(item.get("content")))
    if refusal := text(item.get("refusal")):
        found.append(Text(refusal))
    found.extend(_call(table(call)) for call in items(item.get("tool_calls")))
    if legacy := table(item.get("function_call")):
        name = text(legacy.get("name"))
        found.append(ToolUse(name, name, parsed(legacy.get("arguments"))))
    return tuple(found)


def _call(data: Mapping[str, Any]) -> ToolUse:
    inner = table(data.get("function")) or table(data.get("custom")) or data
    given = inner.get("arguments", inner.get("input"))
    return ToolUse(text(data.get("id")), text(inner.get("name")), parsed(given))


def _result(content: object) -> tuple[Text | Image | Document | Opaque, ...]:
    """What a tool said: a text, parts, or any other JSON."""
    if content is None:
        return ()
    if not isinstance(content, str | list):
        return (Opaque(content),)
    found = (Text(content),) if isinstance(content, str) else blocks(content)
    kept = (Text, Image, Document, Opaque)
    return tuple(b if isinstance(b, kept) else Opaque(b) for b in found)


def _image_url(data: Mapping[str, Any]) -> Image:
    given = data.get("image_url")
    url = text(given) or text(table(given).get("url"))
    head, comma, encoded = url.partition(";base64,")
    if comma and head.startswith("data:"):
        media = {"type": "base64", "media_type": head.removeprefix("data:"), "data": encoded}
        return Image(media)
    return Image({"type": "url", "url": url})


def _anthropic_result(data: Mapping[str, Any]) -> Block:
    return ToolResult(
        text(data.get("tool_use_id")),
        _result(data.get("content")),
        data.get("is_error") is True,
    )


def _words(data: Mapping[str, Any]) -> Block:
    (found,) = blocks(text(data.get("text")) or text(data.get("refusal")))
    return found


PARTS: Mapping[str, Callable[[Mapping[str, Any]], Block]] = {
    **dict.fromkeys(("text", "input_text", "output_text", "refusal"), _words),
    "thinking": lambda d: Thinking(text(d.get("thinking")), text(d.get("signature"))),
    "redacted_thinking": lambda d: RedactedThinking(text(d.get("data"))),
    "tool_use": lambda d: ToolUse(text(d.get("id")), text(d.get("name")), d.get("input")),
    "tool_result": _anthropic_result,
    "image": lambda d: Image(table(d.get("source"))),
    **dict.fromkeys(("image_url", "input_image"), _image_url),
    "document": lambda d: Document(table(d.get("source"))),
    **dict.fromkeys(("file", "input_file", "input_audio"), Document),
    "compaction": lambda d: Compaction(text(d.get("content"))),
}
"""Kind of part -> the block it is."""


def _item_call(data: Mapping[str, Any]) -> tuple[Role, tuple[Block, ...]]:
    given = data.get("arguments", data.get("input", data.get("action")))
    name = text(data.get("name")) or text(data.get("type")).removesuffix("_call")
    identity = text(data.get("call_id")) or text(data.get("id"))
    return Role.ASSISTANT, (ToolUse(identity, name, parsed(given)),)


def _item_output(data: Mapping[str, Any]) -> tuple[Role, tuple[Block, ...]]:
    identity = text(data.get("call_id")) or text(data.get("id"))
    given = data.get("output", data.get("tools"))
    failed = table(given).get("success") is False or data.get("status") == "failed"
    inner = table(given).get("content", given)
    return Role.USER, (ToolResult(identity, _result(inner), failed),)


def _item_reasoning(data: Mapping[str, Any]) -> tuple[Role, tuple[Block, ...]]:
    said = [*items(data.get("summary")), *items(data.get("content"))]
    words = "\n".join(text(table(part).get("text")) for part in said)
    sealed = text(data.get("encrypted_content"))
    found: list[Block] = [Thinking(words)] if words else []
    return Role.ASSISTANT, (*found, *([RedactedThinking(sealed, "openai")] if sealed else []))


def _item_alone(data: Mapping[str, Any]) -> tuple[Role, tuple[Block, ...]]:
    return Role.ASSISTANT, (Opaque(data),)


ITEMS: Mapping[str, Callable[[Mapping[str, Any]], tuple[Role, tuple[Block, ...]]]] = {
    **dict.fromkeys(
        ("function_call", "custom_tool_call", "local_shell_call", "tool_search_call"), _item_call
    ),
    **dict.fromkeys(
        (
            "function_call_output",
            "custom_tool_call_output",
            "local_shell_call_output",
            "tool_search_output",
        ),
        _item_output,
    ),
    "reasoning": _item_reasoning,
    **dict.fromkeys(("web_search_call", "file_search_call", "image_generation_call"), _item_alone),
}
"""Kind of item of the Responses API that is no message -> who said what."""
