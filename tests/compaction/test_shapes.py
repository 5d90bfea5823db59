"""Messages as Anthropic and OpenAI have them: read tolerantly, written exactly."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.compaction import (
    CLEARED,
    SUMMARY,
    Compaction,
    Document,
    Image,
    Message,
    Opaque,
    Role,
    ShapeError,
    SlidingWindowStrategy,
    Text,
    Thinking,
    TokenCounter,
    ToolDefinition,
    ToolResult,
    ToolResultClearingStrategy,
    ToolUse,
    read_messages,
    read_request,
    write_messages,
    write_request,
)
from synapse_ls.compaction.strategies import split_units
from tests.compaction.support import AMPLE, LONG, run

ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": "Read it"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "I will.", "cache_control": {"type": "ephemeral"}},
            {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "t1",
                "content": [{"type": "text", "text": LONG}],
                "is_error": True,
                "cache_control": {"type": "ephemeral"},
            },
            {"type": "image", "source": {"type": "url", "url": "https://example.com/a"}},
            {"type": "document", "source": {"type": "text", "data": "x"}},
            {"type": "search_result", "title": "?"},
        ],
        "id": "m3",
    },
]
OPENAI: list[dict[str, Any]] = [
    {"role": "developer", "content": "Be brief"},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": LONG, "name": "f"},
    {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "refusal": "No."},
]  # fmt: skip
RESPONSES: list[dict[str, Any]] = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}], "content": None},
    {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": LONG},
    {"type": "custom_tool_call", "name": "patch", "input": "*** Begin", "call_id": "c2"},
    {"type": "custom_tool_call_output", "call_id": "c2", "output": LONG},
    {"type": "web_search_call", "id": "w"},
]
ALL = pytest.mark.parametrize("data", [ANTHROPIC, OPENAI, RESPONSES])


def blocks(data: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [message.content for message in read_messages(data)]


def test_anthropic() -> None:
    assert blocks(ANTHROPIC) == [
        (Text("Read it"),),
        (Thinking("hm", "s"), Text("I will."), ToolUse("t1", "Read", {"path": "a"})),
        (
            ToolResult("t1", (Text(LONG),), True),
            Image({"type": "url", "url": "https://example.com/a"}),
            Document({"type": "text", "data": "x"}),
            Opaque({"type": "search_result", "title": "?"}),
        ),
    ]


def test_openai() -> None:
    image = Image({"type": "base64", "media_type": "image/png", "data": "aGk="})
    assert blocks(OPENAI) == [
        (Text("Be brief"),),
        (image,),
        (ToolUse("c1", "f", {"a": 1}),),
        (ToolResult("c1", (Text(LONG),)),),
        (Text("Done."), Text("No.")),
    ]
    assert read_messages(OPENAI)[0].role is Role.SYSTEM


def test_items_of_responses() -> None:
    assert blocks(RESPONSES) == [
        (Text("Hi"),),
        (Thinking("hm"),),
        (ToolUse("c1", "f", {}),),
        (ToolResult("c1", (Text(LONG),)),),
        (ToolUse("c2", "patch", "*** Begin"),),
        (ToolResult("c2", (Text(LONG),)),),
        (Opaque(RESPONSES[6]),),
    ]


@ALL
def test_what_has_not_changed_is_written_as_it_was(data: list[dict[str, Any]]) -> None:
    assert write_messages(read_messages(data)) == data


@ALL
def test_of_a_cleared_result_only_the_content_changes(data: list[dict[str, Any]]) -> None:
    messages = run(ToolResultClearingStrategy(0, AMPLE), read_messages(data))
    text = json.dumps(data).replace(json.dumps([{"type": "text", "text": LONG}]), f'"{CLEARED}"')
    assert write_messages(messages) == json.loads(text.replace(LONG, CLEARED))


@ALL
@pytest.mark.parametrize("shape", ["anthropic", "openai"])
def test_every_shape_can_be_written_as_another(data: list[dict[str, Any]], shape: str) -> None:
    written = write_messages(read_messages(data), shape)
    again = read_messages(json.loads(json.dumps(written)))
    calls = [b.id for m in again for b in m.content if isinstance(b, ToolUse)]
    assert calls == [b.id for m in read_messages(data) for b in m.content if isinstance(b, ToolUse)]
    assert write_messages(again, shape) == written


def test_anthropic_takes_objects_as_input_of_a_call() -> None:
    calls = [
        ToolUse("a", "patch", "*** Begin"),
        ToolUse("b", "now", None),
        ToolUse("c", "f", {"x": 1}),
    ]
    (written,) = write_messages([Message(Role.ASSISTANT, tuple(calls))], "anthropic")
    assert [part["input"] for part in written["content"]] == [{"input": "*** Begin"}, {}, {"x": 1}]


REASONED: list[dict[str, Any]] = [
    {"role": "user", "content": "Hi"},
    {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "hm"}],
        "encrypted_content": "gAAA",
    },
    {"role": "assistant", "content": "Hello."},
]


def test_a_result_that_only_calls_itself_a_text_is_written_as_it_is() -> None:
    (message,) = read_messages([{"role": "tool", "tool_call_id": "c", "content": {"type": "text"}}])
    (written,) = write_messages([message], "anthropic")
    assert written["content"][0]["content"] == [{"type": "text"}]


@pytest.mark.parametrize("shape", ["anthropic", "openai"])
def test_reasoning_that_another_maker_cannot_read_is_left_out(shape: str) -> None:
    written = write_messages(read_messages(REASONED), shape)
    assert written == [REASONED[0], REASONED[2]]


def test_reasoning_stays_where_its_maker_reads_it() -> None:
    sealed = {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "x"}]}
    assert write_messages(read_messages([sealed]), "anthropic") == [sealed]
    assert write_messages(read_messages(REASONED)) == REASONED


def test_a_block_that_is_gone_is_not_written() -> None:
    message = read_messages(ANTHROPIC)[1]
    (written,) = write_messages([replace(message, content=message.content[1:])])
    assert [part["type"] for part in written["content"]] == ["text", "tool_use"]


def test_the_calls_of_an_answer_that_has_changed_are_written_where_they_were() -> None:
    message = read_messages(OPENAI)[2]
    (written,) = write_messages([replace(message, content=(Text("So"), *message.content))])
    assert written["content"] == "So"
    assert written["tool_calls"] == OPENAI[2]["tool_calls"]


def test_a_summary_is_recognised_and_written_as_text() -> None:
    summary = Message(Role.USER, (Compaction(f"{SUMMARY}\nAll was said."),))
    (written,) = write_messages([summary])
    assert written == {"role": "user", "content": f"{SUMMARY}\nAll was said."}
    assert read_messages([written]) == [summary]


def test_what_is_pinned_says_so() -> None:
    (message,) = read_messages([{"role": "user", "content": "stay", "pinned": True}])
    assert message.pinned
    for shape in ("", "anthropic", "openai"):
        assert "pinned" not in write_messages([message], shape)[0]


def test_a_request_has_instructions_and_tools() -> None:
    body = {
        "model": "m",
        "system": [{"type": "text", "text": "Be brief"}],
        "messages": ANTHROPIC,
        "tools": [
            {"name": "a", "description": "A", "input_schema": {"type": "object"}},
            {"type": "function", "function": {"name": "b", "parameters": {}}},
            {"type": "function", "name": "c", "parameters": {}},
        ],
    }
    request = read_request(body)
    assert request.messages[0] == Message.system("Be brief")
    assert request.tools == [
        ToolDefinition("a", "A", {"type": "object"}),
        ToolDefinition("b"),
        ToolDefinition("c"),
    ]
    assert write_request(request.messages, request.body) == body


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({}, "neither a list"),
        ("x", "neither a list"),
        ([{"role": "user"}, 3], "message 2 is no object"),
        ([{"content": "x"}], "message 1 has no role"),
        ([{"role": "narrator"}], 'message 1 has the role "narrator"'),
    ],
)
def test_what_is_no_history_is_refused(data: Any, why: str) -> None:
    with pytest.raises(ShapeError, match=why):
        read_request(data)


leaves = st.none() | st.booleans() | st.integers() | st.text(st.characters(codec=None), max_size=9)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "text",
                    "content",
                    "id",
                    "input",
                    "name",
                    "function",
                    "output",
                    "image_url",
                ]
            ),
            inner | st.sampled_from(["text", "tool_use", "tool_result", "image", "thinking"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)
objects = st.dictionaries(st.sampled_from(["type", "id", "function", "text", "content"]), values)
parts = st.text(max_size=9) | objects
items = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system"])},
    optional={
        "content": st.none() | st.text(max_size=9) | st.lists(parts, max_size=3),
        "tool_calls": st.lists(objects, max_size=2),
        "function_call": values,
        "type": st.just("message"),
    },
)


@given(st.lists(items, max_size=5))
def test_no_message_with_a_role_is_refused_or_lost(data: list[Any]) -> None:
    messages = read_messages(data)
    assert TokenCounter().estimate_messages(messages) >= 4 * len(data)
    assert write_messages(messages) == data
    for shape in ("anthropic", "openai"):
        json.dumps(write_messages(messages, shape))
    left = run(ToolResultClearingStrategy(0, 10**9), messages)
    assert len(write_messages(left)) == len(data)


class Dumped:
    """An object of a vendor's library, as pydantic makes them."""

    def __init__(self, **fields: object) -> None:
        self.fields = fields

    def model_dump(self, *, by_alias: bool, exclude_none: bool) -> dict[str, object]:
        assert by_alias and exclude_none
        return self.fields


def test_the_content_of_an_answer_is_read_as_the_library_gives_it() -> None:
    content = [
        Dumped(type="text", text="I look."),
        Dumped(type="tool_use", id="t1", name="read", input={"path": "a"}),
    ]
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "x"}
    history = [{"role": "assistant", "content": content}, {"role": "user", "content": [result]}]
    said, answered = read_messages(history)
    assert [type(block).__name__ for block in said.content] == ["Text", "ToolUse"]
    assert write_messages([said, answered]) == [
        {"role": "assistant", "content": [one.fields for one in content]},
        {"role": "user", "content": [result]},
    ]


def test_a_message_object_is_a_message() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    fields = {"role": "assistant", "content": None, "tool_calls": [call]}
    (message,) = read_messages([Dumped(**fields)])
    assert write_messages([message]) == [fields]


def test_what_is_no_json_is_refused_with_its_place() -> None:
    with pytest.raises(ShapeError, match=r"message 2, content\[0\], data is a set"):
        read_messages(
            [{"role": "user", "content": "a"}, {"role": "user", "content": [{"data": {1}}]}]
        )


@pytest.mark.parametrize("given", ["text", 5, None, {"role": "user"}])
def test_what_is_no_list_of_messages_gets_a_sentence(given: Any) -> None:
    with pytest.raises(ShapeError, match="a list of messages is needed"):
        read_messages(given)


def test_reasoning_stays_with_the_call_that_it_led_to() -> None:
    items = [
        {"role": "user", "content": "go"},
        {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "x"},
        {"role": "user", "content": "and on"},
    ]
    messages = read_messages(items)
    units = [(unit.start, unit.stop) for unit in split_units(messages)]
    assert units == [(0, 1), (1, 4), (4, 5)]


def test_a_strategy_says_what_it_needs() -> None:
    history: Any = [{"role": "user", "content": "go"}]
    with pytest.raises(TypeError, match="message 1 is a dict; read_messages"):
        asyncio.run(SlidingWindowStrategy(2, max_tokens=100).compact(history))
