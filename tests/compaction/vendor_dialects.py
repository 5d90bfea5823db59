"""Random conversations in the dialects of five APIs, and what their vendors' own types say of one.

A conversation is neutral first: turns of a prompt, rounds of calls with their answers, and words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

Item = dict[str, Any]
PIXEL = b"\x89PNG\r\n"


class Call(NamedTuple):
    """A call of a tool, and what it said."""

    identity: str
    name: str
    given: dict[str, Any]
    said: str
    failed: bool


class Round(NamedTuple):
    """What a model said and called at once, after thinking or not."""

    thought: str
    words: str
    calls: list[Call]


class Turn(NamedTuple):
    """A prompt, with a picture or not, and the rounds that it led to; the last has no calls."""

    prompt: str
    picture: bool
    rounds: list[Round]


def random_turns(random: Random) -> list[Turn]:
    """Returns a conversation of one to seven turns."""
    count = iter(range(10**6))

    def words(most: int) -> str:
        known = ("aye", "the", "größe", "日本", "cat", "\n", "{}")
        return " ".join(random.choice(known) for _ in range(random.randint(1, most)))

    def call() -> Call:
        name = random.choice(("read", "read", "search"))
        return Call(f"call{next(count)}", name, {"q": words(4)}, words(80), random.random() < 0.2)

    def made_round(calls: int) -> Round:
        thought = words(9) if random.random() < 0.4 else ""
        spoken = words(6) if not calls or random.random() < 0.5 else ""
        return Round(thought, spoken, [call() for _ in range(calls)])

    def turn() -> Turn:
        rounds = [made_round(random.randint(1, 3)) for _ in range(random.randint(0, 3))]
        return Turn(words(12), random.random() < 0.15, [*rounds, made_round(0)])

    return [turn() for _ in range(random.randint(1, 7))]


def write_chat(turns: Iterable[Turn]) -> Iterator[Item]:
    """Yields the messages of Chat Completions."""
    yield {"role": "developer", "content": "Be brief."}
    for turn in turns:
        said: Any = turn.prompt
        if turn.picture:
            url = {"url": "data:image/png;base64,iVBORw0K"}
            said = [{"type": "text", "text": turn.prompt}, {"type": "image_url", "image_url": url}]
        yield {"role": "user", "content": said}
        for one in turn.rounds:
            calls = [
                {"id": c.identity, "type": "function", "function": {"name": c.name, "arguments": json.dumps(c.given)}}
                for c in one.calls
            ]  # fmt: skip
            yield {
                "role": "assistant",
                "content": one.words or None,
                **({"tool_calls": calls} if calls else {}),
            }
            for c in one.calls:
                yield {"role": "tool", "tool_call_id": c.identity, "content": c.said}


def write_responses(turns: Iterable[Turn]) -> Iterator[Item]:
    """Yields the items of Responses; reasoning has words, is sealed, or is kept by its maker."""
    for place, turn in enumerate(turns):
        said: list[Item] = [{"type": "input_text", "text": turn.prompt}]
        if turn.picture:
            said.append({"type": "input_image", "detail": "auto", "image_url": "https://example.com/a.png"})  # fmt: skip
        yield {"type": "message", "role": "user", "content": said}
        for number, one in enumerate(turn.rounds):
            if one.thought:
                told = [{"type": "summary_text", "text": one.thought}] if number % 3 == 1 else []
                sealed = {"encrypted_content": "gAAA"} if number % 3 == 2 else {}
                yield {
                    "type": "reasoning",
                    "id": f"rs_{place}_{number}",
                    "summary": told,
                    **sealed,
                }
            for c in one.calls:
                yield {"type": "function_call", "call_id": c.identity, "name": c.name, "arguments": json.dumps(c.given)}  # fmt: skip
            if one.words:
                text = {"type": "output_text", "text": one.words, "annotations": []}
                yield {
                    "type": "message",
                    "id": f"msg_{place}_{number}",
                    "role": "assistant",
                    "status": "completed",
                    "content": [text],
                }
            for c in one.calls:
                yield {"type": "function_call_output", "call_id": c.identity, "output": c.said}


def write_anthropic(turns: Iterable[Turn]) -> Iterator[Item]:
    """Yields the messages of Anthropic's Messages."""
    for turn in turns:
        said: Any = turn.prompt
        if turn.picture:
            source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0K"}
            said = [{"type": "image", "source": source}, {"type": "text", "text": turn.prompt}]
        yield {"role": "user", "content": said}
        for one in turn.rounds:
            parts: list[Item] = []
            if one.thought:
                parts.append({"type": "thinking", "thinking": one.thought, "signature": "sig"})
            if one.words:
                parts.append({"type": "text", "text": one.words})
            parts += [
                {"type": "tool_use", "id": c.identity, "name": c.name, "input": c.given}
                for c in one.calls
            ]
            yield {"role": "assistant", "content": parts}
            if one.calls:
                answers = [
                    {
                        "type": "tool_result",
                        "tool_use_id": c.identity,
                        "content": [{"type": "text", "text": c.said}],
                        **({"is_error": True} if c.failed else {}),
                    }
                    for c in one.calls
                ]
                yield {"role": "user", "content": answers}


def write_gemini(turns: Iterable[Turn]) -> Iterator[Item]:
    """Yields contents of Gemini; calls have no ids, and the first of a round has a signature."""
    for turn in turns:
        parts: list[Item] = [{"text": turn.prompt}]
        if turn.picture:
            parts.append({"inline_data": {"mime_type": "image/png", "data": PIXEL}})
        yield {"role": "user", "parts": parts}
        for one in turn.rounds:
            said: list[Item] = []
            if one.thought:
                said.append({"text": one.thought, "thought": True})
            if one.words:
                said.append({"text": one.words})
            for number, c in enumerate(one.calls):
                signed = {} if number else {"thought_signature": b"\x01sig"}
                said.append({"function_call": {"name": c.name, "args": c.given}, **signed})
            yield {"role": "model", "parts": said}
            if one.calls:
                answers = [
                    {"function_response": {"name": c.name, "response": {"error" if c.failed else "output": c.said}}}
                    for c in one.calls
                ]  # fmt: skip
                yield {"role": "user", "parts": answers}


def write_bedrock(turns: Iterable[Turn]) -> Iterator[Item]:
    """Yields the messages of Converse."""
    for turn in turns:
        parts: list[Item] = [{"text": turn.prompt}]
        if turn.picture:
            parts.append({"image": {"format": "png", "source": {"bytes": PIXEL}}})
        yield {"role": "user", "content": parts}
        for one in turn.rounds:
            said: list[Item] = []
            if one.thought:
                said.append({"reasoningContent": {"reasoningText": {"text": one.thought, "signature": "s"}}})  # fmt: skip
            if one.words:
                said.append({"text": one.words})
            said += [
                {"toolUse": {"toolUseId": c.identity, "name": c.name, "input": c.given}}
                for c in one.calls
            ]
            yield {"role": "assistant", "content": said}
            if one.calls:
                answers = []
                for number, c in enumerate(one.calls):
                    told: Item = {"json": {"said": c.said}} if number % 2 else {"text": c.said}
                    failed = {"status": "error"} if c.failed else {}
                    answers.append({"toolResult": {"toolUseId": c.identity, "content": [told], **failed}})  # fmt: skip
                yield {"role": "user", "content": answers}


DIALECTS: Mapping[str, Callable[[Iterable[Turn]], Iterator[Item]]] = {
    "chat": write_chat,
    "responses": write_responses,
    "anthropic": write_anthropic,
    "gemini": write_gemini,
    "bedrock": write_bedrock,
}
"""Name of a dialect -> what writes a conversation in it."""


def type_validator(dialect: str) -> Callable[[list[Item]], None]:
    """Returns what raises for items that the vendor's own types refuse.

    Skips the test, with a sentence, where the vendor's library is not installed.
    """
    import pytest

    library = {"gemini": "google.genai", "bedrock": "botocore", "anthropic": "anthropic"}
    name = library.get(dialect, "openai")
    pytest.importorskip(name, reason=f"{name} is not installed (group dev)")
    if dialect == "bedrock":
        return _bedrock_validator()
    if dialect == "gemini":
        from google.genai import types as gemini

        def check_contents(items: list[Item]) -> None:
            for item in items:
                gemini.Content.model_validate(item)

        return check_contents
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any]
    if dialect == "anthropic":
        from anthropic.types import MessageParam

        adapter = TypeAdapter(list[MessageParam])
    elif dialect == "chat":
        from openai.types.chat import ChatCompletionMessageParam

        adapter = TypeAdapter(list[ChatCompletionMessageParam])
    else:
        from openai.types.responses import ResponseInputItemParam

        adapter = TypeAdapter(list[ResponseInputItemParam])
    return lambda items: _exhaust(adapter.validate_python(items))


def _exhaust(value: object) -> None:
    """Walks all of a value: what is declared as iterable is validated when it is walked."""
    if isinstance(value, Mapping):
        for inner in value.values():
            _exhaust(inner)
    elif not isinstance(value, str | bytes) and isinstance(value, Iterable):
        for inner in value:
            _exhaust(inner)


def _bedrock_validator() -> Callable[[list[Item]], None]:
    from botocore.session import get_session
    from botocore.validate import ParamValidator

    model = get_session().get_service_model("bedrock-runtime").operation_model("Converse")
    shape, validator = model.input_shape, ParamValidator()

    def check(items: list[Item]) -> None:
        report = validator.validate({"modelId": "m", "messages": items}, shape)
        assert not report.has_errors(), report.generate_report()

    return check


def check_order(dialect: str, items: Sequence[Item]) -> None:
    """Asserts what the APIs demand and no type says: calls are answered at once, speakers take turns,
    a user begins, reasoning is followed by what it led to.
    """
    if dialect == "responses":
        _check_responses(items)
    elif dialect == "chat":
        _check_chat(items)
    else:
        _check_turns(dialect, items)


def _check_responses(items: Sequence[Item]) -> None:
    kinds = [item.get("type", "message") for item in items]
    called = [item["call_id"] for item in items if item.get("type") == "function_call"]
    said = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    assert called == said
    for kind, following in zip(kinds, [*kinds[1:], "nothing"], strict=True):
        assert kind != "reasoning" or following in ("reasoning", "function_call", "message")
    # Reasoning that led to a call is there when the call is: items of a round are never parted.
    rest = [item for item in items if item.get("role") not in ("system", "developer")]
    assert not rest or rest[0].get("role") == "user"


def _check_chat(items: Sequence[Item]) -> None:
    waiting: list[str] = []
    for item in items:
        if item["role"] == "tool":
            assert item["tool_call_id"] in waiting
            waiting.remove(item["tool_call_id"])
        else:
            assert not waiting
            waiting = [call["id"] for call in item.get("tool_calls", ())]
    assert not waiting


_CALL = {"anthropic": "tool_use", "gemini": "function_call", "bedrock": "toolUse"}
_ANSWER = {"anthropic": "tool_result", "gemini": "function_response", "bedrock": "toolResult"}


def _check_turns(dialect: str, items: Sequence[Item]) -> None:
    place = "parts" if dialect == "gemini" else "content"
    expected: list[object] = []
    before = ""
    for number, item in enumerate(items):
        parts = item[place] if isinstance(item[place], list) else [{"text": item[place]}]
        assert parts
        assert number or item["role"] == "user"
        assert dialect == "anthropic" or item["role"] != before  # that API joins them itself
        before = item["role"]
        answers = [_identity(part, _ANSWER[dialect]) for part in parts]
        answers = [one for one in answers if one is not None]
        assert answers == expected
        assert answers == [_identity(part, _ANSWER[dialect]) for part in parts][: len(answers)]
        calls = [_identity(part, _CALL[dialect]) for part in parts]
        expected = [one for one in calls if one is not None]
    assert not expected


def _identity(part: Item, kind: str) -> object:
    if part.get("type") == kind:
        return part.get("id") or part["tool_use_id"]
    inner = part.get(kind)
    return None if inner is None else inner.get("toolUseId") or inner["name"]
