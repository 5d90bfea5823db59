"""Messages as single vendors' APIs have them.

Anthropic signs or encrypts reasoning, and takes instructions beside the list. OpenAI's Chat
Completions has neither reasoning nor a flag for a failed tool. In Bedrock's Converse the only key
of a part names its kind. Gemini's calls often have no id: then the nth call and the nth answer of a
name are a pair; its fields are camelCase, or snake_case as Google's Python library has them.
"""

from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

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
from synapse_ls.compaction.summarization import SUMMARY
from synapse_ls.compaction.token_counter import compact_json


def object_or_empty(value: object) -> Mapping[str, Any]:
    """Return a JSON value where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def text_or_empty(value: object) -> str:
    """Return a JSON value where it is a text, else ""."""
    return value if isinstance(value, str) else ""


def list_or_empty(value: object) -> list[Any]:
    """Return a JSON value where it is a list, else none."""
    return value if isinstance(value, list) else []


def encoded_text(value: object) -> str:
    """Return a text as it is and bytes in base64, as JSON values have them; else ""."""
    return b64encode(value).decode() if isinstance(value, bytes) else text_or_empty(value)


def write_anthropic_message(message: Message) -> list[dict[str, Any]]:
    """Write a message as Anthropic's Messages API takes it, alone in a list; nothing where it is
    all reasoning of another model's maker.
    """
    blocks = [
        block
        for block in message.content
        if not (isinstance(block, RedactedThinking) and block.maker != "anthropic")
        and not (isinstance(block, Thinking) and not block.signature)
    ]
    if message.content and not blocks:
        return []
    content: object = [write_anthropic_part(block) for block in blocks]
    if len(blocks) == 1 and isinstance(blocks[0], Text | Compaction):
        content = write_anthropic_part(blocks[0])["text"]
    return [{"role": message.role.value, "content": content}]


def write_anthropic_part(block: Block) -> dict[str, Any]:
    """Write a block as a part of a content of Anthropic's Messages API."""
    if isinstance(block, Text | Compaction):
        return {"type": "text", "text": block.text}
    if isinstance(block, ToolUse):
        arguments = {} if block.input is None else _argument_object(block.input)
        return {"type": "tool_use", "id": block.id, "name": block.name, "input": arguments}
    if isinstance(block, ToolResult):
        content: object = [write_anthropic_part(item) for item in block.content]
        if len(block.content) == 1 and isinstance(block.content[0], Text):
            content = block.content[0].text
        result = {"type": "tool_result", "tool_use_id": block.tool_use_id, "content": content}
        return {**result, "is_error": True} if block.is_error else result
    if isinstance(block, Thinking):
        return {"type": "thinking", "thinking": block.thinking, "signature": block.signature}
    if isinstance(block, RedactedThinking):
        return {"type": "redacted_thinking", "data": block.data}
    if isinstance(block, Image | Document):
        return {"type": _media_key(block), "source": dict(block.media)}
    data = block.data
    return dict(data) if isinstance(data, dict) else {"type": "text", "text": str(data)}


def _argument_object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"input": value}


def write_openai_message(message: Message) -> list[dict[str, Any]]:
    """Write a message as OpenAI's Chat Completions API takes it: what tools said in messages of
    their own, then the rest, if there is any.

    Nothing is written of one that is all reasoning.
    """
    reasoning = (Thinking, RedactedThinking)
    if message.content and all(isinstance(block, reasoning) for block in message.content):
        return []
    answers: list[dict[str, Any]] = [
        {"role": "tool", "tool_call_id": block.tool_use_id, "content": tool_result_text(block)}
        for block in message.content
        if isinstance(block, ToolResult)
    ]
    parts = [part for block in message.content if (part := _write_openai_part(block))]
    calls = []
    for block in message.content:
        if isinstance(block, ToolUse):
            given = block.input if isinstance(block.input, str) else compact_json(block.input)
            function = {"name": block.name, "arguments": given}
            calls.append({"id": block.id, "type": "function", "function": function})
    if answers and not (parts or calls):
        return answers
    content: object = parts or None
    if parts and all(part.get("type") == "text" for part in parts):
        content = "\n".join(part["text"] for part in parts)
    entry = {"role": message.role.value, "content": content}
    return [*answers, {**entry, "tool_calls": calls} if calls else entry]


def tool_result_text(block: Block) -> str:
    """Return what a tool said, as a text for OpenAI's API."""
    return "\n".join(
        item.text if isinstance(item, Text) else compact_json(_write_openai_part(item))
        for item in (block.content if isinstance(block, ToolResult) else ())
    )


def _write_openai_part(block: Block) -> dict[str, Any] | None:
    if isinstance(block, Text | Compaction):
        return {"type": "text", "text": block.text}
    if isinstance(block, Image):
        return {"type": "image_url", "image_url": {"url": _media_url(block.media)}}
    if isinstance(block, Document):
        return _write_file(block.media)
    if isinstance(block, Opaque):
        return dict(block.data) if isinstance(block.data, dict) else None
    return None


def _write_file(media: Mapping[str, object]) -> dict[str, Any]:
    if (kind := media.get("type")) == "text":
        return {"type": "text", "text": text_or_empty(media.get("data"))}
    if kind in ("base64", "url"):
        place = "file_data" if kind == "base64" else "file_url"
        return {"type": "file", "file": {place: _media_url(media)}}
    return {"type": "file", **media}


def _media_url(media: Mapping[str, object]) -> str:
    if media.get("type") == "base64":
        return f"data:{media.get('media_type')};base64,{media.get('data')}"
    return text_or_empty(media.get("url"))


KEYS = frozenset(
    ("text", "toolUse", "toolResult", "reasoningContent", "image", "document", "video", "audio",
     "json", "guardContent", "cachePoint", "citationsContent", "searchResult", "toolAddition",
     "toolRemoval")
)  # fmt: skip


def is_part(part: object) -> bool:
    """Return whether a part of a content is one of Bedrock's Converse API."""
    data = object_or_empty(part)
    return "type" not in data and len(data) == 1 and next(iter(data)) in KEYS


def read_part(data: Mapping[str, Any]) -> Block:
    """Read the block that a part of Bedrock's Converse API is."""
    if isinstance(data.get("text"), str):
        words = data["text"]
        return Compaction(words) if words.startswith(SUMMARY) else Text(words)
    if call := object_or_empty(data.get("toolUse")):
        identity = text_or_empty(call.get("toolUseId"))
        return ToolUse(identity, text_or_empty(call.get("name")), call.get("input"))
    if answer := object_or_empty(data.get("toolResult")):
        content: list[Text | Image | Document | Opaque] = []
        for item in list_or_empty(answer.get("content")):
            part = read_part(item) if is_part(item) else None
            content.append(part if isinstance(part, Text | Image | Document) else Opaque(item))
        failed = answer.get("status") == "error"
        return ToolResult(text_or_empty(answer.get("toolUseId")), tuple(content), failed)
    if reasoning := object_or_empty(data.get("reasoningContent")):
        if told := object_or_empty(reasoning.get("reasoningText")):
            return Thinking(text_or_empty(told.get("text")), text_or_empty(told.get("signature")))
        return RedactedThinking(encoded_text(reasoning.get("redactedContent")), "bedrock")
    for kind, block, group in (("image", Image, "image"), ("document", Document, "application")):
        if isinstance(media := data.get(kind), Mapping):
            encoded = object_or_empty(media.get("source")).get("bytes")
            if isinstance(encoded, bytes | str):  # in Anthropic's terms; else it is in a bucket
                media_type = f"{group}/{text_or_empty(media.get('format'))}"
                encoded = encoded_text(encoded)
                media = {"type": "base64", "media_type": media_type, "data": encoded}
            return block(media)
    if isinstance(data.get("video"), Mapping) or isinstance(data.get("audio"), Mapping):
        return Document(data)
    return Opaque(data)


def _media_key(block: Image | Document) -> str:
    return "image" if isinstance(block, Image) else "document"


def write_bedrock_message(message: Message) -> list[dict[str, Any]]:
    """Write a message as Bedrock's Converse API takes it; reasoning of other makers is left out."""
    parts = [part for block in message.content if (part := write_bedrock_part(block))]
    return [{"role": message.role.value, "content": parts}] if parts else []


def write_bedrock_answer(part: Mapping[str, Any], block: ToolResult) -> dict[str, Any]:
    """Write what a tool said into the part of Bedrock's Converse API that it was read from."""
    content = [part_json for item in block.content if (part_json := write_bedrock_part(item))]
    return {**part, "toolResult": {**object_or_empty(part.get("toolResult")), "content": content}}


def write_bedrock_part(block: Block) -> dict[str, Any] | None:
    """Write a block as a part of Bedrock's Converse API; None for what has no place there."""
    if isinstance(block, Text | Compaction):
        return {"text": block.text}
    if isinstance(block, ToolUse):
        arguments = _argument_object(block.input)
        return {"toolUse": {"toolUseId": block.id, "name": block.name, "input": arguments}}
    if isinstance(block, ToolResult):
        parts = [part for item in block.content if (part := write_bedrock_part(item))]
        failed = {"status": "error"} if block.is_error else {}
        return {"toolResult": {"toolUseId": block.tool_use_id, "content": parts, **failed}}
    if isinstance(block, Image | Document):
        media = block.media
        if "video" in media or "audio" in media or "source" in media:
            return dict(media) if "source" not in media else {_media_key(block): dict(media)}
        if media.get("type") != "base64":
            return {"text": compact_json(media)}  # Converse takes no address of a file
        kind = text_or_empty(media.get("media_type")).rpartition("/")[2]
        source = {"bytes": b64decode(text_or_empty(media.get("data")))}
        named = {"name": "document"} if isinstance(block, Document) else {}
        return {_media_key(block): {"format": kind, **named, "source": source}}
    if isinstance(block, Opaque):
        data = object_or_empty(block.data)
        return dict(data) if is_part(data) else {"text": compact_json(block.data)}
    return None


_ROLES = {Role.USER: "user", Role.ASSISTANT: "model", Role.SYSTEM: "user"}


def is_content(item: Mapping[str, Any]) -> bool:
    """Return whether an item is a content of Gemini's."""
    return isinstance(item.get("parts"), list)


def read_parts(item: Mapping[str, Any]) -> tuple[Block, ...]:
    """Read the blocks of a content of Gemini's."""
    return tuple(_read_part(part) for part in list_or_empty(item.get("parts")))


def _read_part(part: object) -> Block:
    data = object_or_empty(part)
    if isinstance(data.get("text"), str):
        words = data["text"]
        if data.get("thought") is True:
            return Thinking(
                words, encoded_text(_field(data, "thoughtSignature", "thought_signature"))
            )
        return Compaction(words) if words.startswith(SUMMARY) else Text(words)
    if call := object_or_empty(_field(data, "functionCall", "function_call")):
        name = text_or_empty(call.get("name"))
        return ToolUse(text_or_empty(call.get("id")) or name, name, call.get("args"))
    if answer := object_or_empty(_field(data, "functionResponse", "function_response")):
        name = text_or_empty(answer.get("name"))
        more = [_read_part(item) for item in list_or_empty(answer.get("parts"))]
        told = [b if isinstance(b, Text | Image | Document | Opaque) else Opaque(b) for b in more]
        identity = text_or_empty(answer.get("id")) or name
        response = answer.get("response")
        inner = object_or_empty(response)
        only = next(iter(inner.values())) if len(inner) == 1 else None
        return ToolResult(
            identity, (Text(only) if isinstance(only, str) else Opaque(response), *told)
        )
    if media := object_or_empty(_field(data, "inlineData", "inline_data")):
        return _read_gemini_media(
            media, {"type": "base64", "data": encoded_text(media.get("data"))}
        )
    if file := object_or_empty(_field(data, "fileData", "file_data")):
        return _read_gemini_media(file, {"type": "url", "url": _field(file, "fileUri", "file_uri")})
    return Opaque(part)


def _read_gemini_media(data: Mapping[str, Any], media: dict[str, object]) -> Block:
    kind = text_or_empty(_field(data, "mimeType", "mime_type"))
    media["media_type"] = kind
    return Image(media) if kind.startswith("image/") else Document(media)


def pair_calls(messages: Sequence[Message]) -> list[Message]:
    """Return messages of Gemini's whose calls and answers without ids have one by their order."""
    called: Counter[str] = Counter()
    answered: Counter[str] = Counter()

    def numbered(block: Block) -> Block:
        if isinstance(block, ToolUse) and block.id == block.name:
            called[block.name] += 1
            return replace(block, id=f"{block.name}#{called[block.name]}")
        if isinstance(block, ToolResult) and block.tool_use_id in called:
            answered[block.tool_use_id] += 1
            return replace(block, tool_use_id=f"{block.tool_use_id}#{answered[block.tool_use_id]}")
        return block

    def paired(message: Message) -> Message:
        if not (message.source and is_content(message.source.data)):
            return message
        content = tuple(map(numbered, message.content))
        return replace(message, content=content, source=Source(message.source.data, content))

    return list(map(paired, messages))


def name_results(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield the messages with the name of the tool in the place of the id of what it said: by that
    a model of Gemini's knows whose answer it is.
    """
    names: dict[str, str] = {}

    def named(block: Block) -> Block:
        if isinstance(block, ToolUse):
            names[block.id] = block.name
        if isinstance(block, ToolResult) and block.tool_use_id in names:
            return replace(block, tool_use_id=names[block.tool_use_id])
        return block

    return (replace(message, content=tuple(map(named, message.content))) for message in messages)


def write_content(message: Message) -> list[dict[str, Any]]:
    """Write a message as a content of Gemini's; reasoning has no place among what is sent."""
    parts = [part for block in message.content if (part := _write_gemini_part(block))]
    return [{"role": _ROLES[message.role], "parts": parts}] if parts else []


def write_gemini_answer(part: Mapping[str, Any], block: ToolResult) -> dict[str, Any]:
    """Write what a tool said into the part of Gemini's that it was read from."""
    key = "functionResponse" if "functionResponse" in part else "function_response"
    answer = {
        name: value for name, value in object_or_empty(part.get(key)).items() if name != "parts"
    }
    return {**part, key: {**answer, "response": _answer_value(block)}}


def _answer_value(block: ToolResult) -> dict[str, object]:
    said = [
        item.text
        if isinstance(item, Text)
        else compact_json(item.data if isinstance(item, Opaque) else item.media)
        for item in block.content
    ]
    return {"error" if block.is_error else "output": "\n".join(said)}


def _write_gemini_part(block: Block) -> dict[str, Any] | None:
    if isinstance(block, Text | Compaction):
        return {"text": block.text}
    if isinstance(block, ToolUse):
        return {"functionCall": {"name": block.name, "args": _argument_object(block.input)}}
    if isinstance(block, ToolResult):
        return {"functionResponse": {"name": block.tool_use_id, "response": _answer_value(block)}}
    if isinstance(block, Image | Document):
        kind = block.media.get("media_type", "application/octet-stream")
        if block.media.get("type") == "url":
            return {"fileData": {"mimeType": kind, "fileUri": block.media.get("url")}}
        return {"inlineData": {"mimeType": kind, "data": block.media.get("data")}}
    return dict(block.data) if isinstance(block, Opaque) and isinstance(block.data, dict) else None


def _field(data: Mapping[str, Any], *names: str) -> Any:
    return next((data[name] for name in names if name in data), None)
