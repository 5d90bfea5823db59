"""What a model's answer looks like on the wire, in each dialect, whole and as server-sent events.

Sources: the public references of Anthropic's Messages, OpenAI's Responses and Chat Completions, and
Gemini's generateContent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tests.clients.model import Call, Usage

Json = dict[str, Any]
Event = tuple[str, Json]  # its name, "" where the dialect names none, and its data

_numbers = count(1)


class Said(NamedTuple):
    """An answer: a text, or a call of a tool."""

    model: str
    text: str
    call: Call | None
    usage: Usage


class Dialect(NamedTuple):
    whole: Callable[[Said], Json]
    events: Callable[[Said], Iterator[Event]]


def stream(events: Iterable[Event]) -> bytes:
    """Server-sent events; OpenAI's clients wait for the last line, the others pass over it."""
    lines = [
        (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"
        for name, data in events
    ]
    if lines and '"chat.completion.chunk"' in lines[0]:
        lines.append("data: [DONE]\n\n")
    return "".join(lines).encode()


def models() -> Json:
    """A list of models that OpenAI's and Anthropic's clients both read."""
    one = {"id": "stand-in", "object": "model", "type": "model", "created": 1, "owned_by": "tests"}
    return {"object": "list", "data": [one], "models": [], "has_more": False}


def _named(prefix: str) -> str:
    return f"{prefix}_{next(_numbers):06}"


# ── Anthropic: Messages ──────────────────────────────────────────────────────────────────────────


def _message(said: Said) -> Json:
    call = said.call
    content: Json = {"type": "text", "text": said.text}
    if call:
        content = {"type": "tool_use", "id": _named("toolu"), "name": call.tool}
        content["input"] = dict(call.arguments)
    return {
        "id": _named("msg"),
        "type": "message",
        "role": "assistant",
        "model": said.model,
        "content": [content],
        "stop_reason": "tool_use" if call else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": said.usage.fresh,
            "cache_read_input_tokens": said.usage.read,
            "cache_creation_input_tokens": said.usage.written,
            "output_tokens": said.usage.output,
        },
    }


def _message_events(said: Said) -> Iterator[Event]:
    whole = _message(said)
    (content,) = whole["content"]
    if said.call:
        empty = {**content, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(content["input"])}
    else:
        empty = {**content, "text": ""}
        delta = {"type": "text_delta", "text": said.text}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    begun = {**whole, "content": [], "stop_reason": None}
    for data in (
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": whole["usage"]},
        {"type": "message_stop"},
    ):
        yield str(data["type"]), data


# ── OpenAI: Responses ────────────────────────────────────────────────────────────────────────────


def _response(said: Said) -> Json:
    usage = said.usage
    if said.call:
        item: Json = {
            "type": "function_call",
            "id": _named("fc"),
            "call_id": _named("call"),
            "name": said.call.tool,
            "arguments": json.dumps(said.call.arguments),
            "status": "completed",
        }
        if said.call.namespace:
            item["namespace"] = said.call.namespace
    else:
        part = {"type": "output_text", "text": said.text, "annotations": []}
        item = {"type": "message", "id": _named("msg"), "role": "assistant"}
        item |= {"status": "completed", "content": [part]}
    return {
        "id": _named("resp"),
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": said.model,
        "output": [item],
        "usage": {
            "input_tokens": usage.sent,
            "input_tokens_details": {"cached_tokens": usage.read},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.sent + usage.output,
        },
    }


def _response_events(said: Said) -> Iterator[Event]:
    whole = _response(said)
    (item,) = whole["output"]
    begun = {**whole, "status": "in_progress", "output": []}
    steps: list[Json] = [{"type": "response.created", "response": begun}]
    at = {"output_index": 0}
    if said.call:
        empty = {**item, "arguments": "", "status": "in_progress"}
        steps.append({"type": "response.output_item.added", **at, "item": empty})
    else:
        text = {**at, "item_id": item["id"], "content_index": 0}
        empty = {**item, "content": [], "status": "in_progress"}
        steps += [
            {"type": "response.output_item.added", **at, "item": empty},
            {"type": "response.output_text.delta", **text, "delta": said.text},
            {"type": "response.output_text.done", **text, "text": said.text},
        ]
    steps += [
        {"type": "response.output_item.done", **at, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    for number, data in enumerate(steps):
        yield str(data["type"]), {**data, "sequence_number": number}


# ── OpenAI: Chat Completions ─────────────────────────────────────────────────────────────────────


def _chat_message(said: Said) -> Json:
    if not said.call:
        return {"role": "assistant", "content": said.text}
    function = {"name": said.call.tool, "arguments": json.dumps(said.call.arguments)}
    call = {"index": 0, "id": _named("call"), "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _chat(said: Said) -> Json:
    end = "tool_calls" if said.call else "stop"
    choice = {"index": 0, "message": _chat_message(said), "finish_reason": end}
    completion = {"id": _named("chatcmpl"), "object": "chat.completion", "created": 1}
    return {**completion, "model": said.model, "choices": [choice], "usage": _chat_usage(said)}


def _chat_usage(said: Said) -> Json:
    usage = said.usage
    return {
        "prompt_tokens": usage.sent,
        "prompt_tokens_details": {"cached_tokens": usage.read},
        "completion_tokens": usage.output,
        "total_tokens": usage.sent + usage.output,
    }


def _chat_events(said: Said) -> Iterator[Event]:
    chunk = {"id": _named("chatcmpl"), "object": "chat.completion.chunk", "created": 1}
    chunk |= {"model": said.model}
    end = "tool_calls" if said.call else "stop"
    choices = (
        {"index": 0, "delta": _chat_message(said), "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": end},
    )
    for choice in choices:
        yield "", {**chunk, "choices": [choice]}
    yield "", {**chunk, "choices": [], "usage": _chat_usage(said)}


# ── Gemini: generateContent ──────────────────────────────────────────────────────────────────────


def _content(said: Said) -> Json:
    usage = said.usage
    part: Json = {"text": said.text}
    if said.call:
        part = {"functionCall": {"name": said.call.tool, "args": dict(said.call.arguments)}}
    content = {"role": "model", "parts": [part]}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": usage.sent,
            "cachedContentTokenCount": usage.read,
            "candidatesTokenCount": usage.output,
            "totalTokenCount": usage.sent + usage.output,
        },
        "modelVersion": said.model,
    }


def _content_events(said: Said) -> Iterator[Event]:
    whole = _content(said)
    (candidate,) = whole["candidates"]
    begun = {name: candidate[name] for name in ("content", "index")}
    end = {**candidate, "content": {"role": "model", "parts": []}}
    yield "", {"candidates": [begun], "modelVersion": said.model}
    yield "", {**whole, "candidates": [end]}


_DIALECTS = (
    ("/messages", Dialect(_message, _message_events)),
    ("/responses", Dialect(_response, _response_events)),
    ("/chat/completions", Dialect(_chat, _chat_events)),
    ("enerateContent", Dialect(_content, _content_events)),
)


def dialect_of(path: str) -> Dialect | None:
    """The dialect that is spoken at a path."""
    return next((dialect for end, dialect in _DIALECTS if path.endswith(end)), None)
