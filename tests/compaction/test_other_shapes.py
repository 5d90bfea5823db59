"""Messages as Gemini and Bedrock Converse have them: counted, kept together, written back."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from synapse_ls.compaction import (
    Message,
    SlidingWindowStrategy,
    TokenCounter,
    ToolResult,
    ToolResultClearingStrategy,
    ToolUse,
    read_messages,
    read_request,
    write_messages,
    write_request,
)
from tests.compaction.support import run

LONG = "word " * 400
GEMINI: list[dict[str, Any]] = [
    {"role": "user", "parts": [{"text": "Read it"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {"path": "a"}}}]},
    {
        "role": "user",
        "parts": [{"functionResponse": {"name": "read", "response": {"output": LONG}}}],
    },
    {"role": "model", "parts": [{"text": "Done."}]},
    {"role": "user", "parts": [{"text": "Go on"}]},
    {"role": "model", "parts": [{"text": "So."}]},
]
BEDROCK: list[dict[str, Any]] = [
    {"role": "user", "content": [{"text": "Read it"}]},
    {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "t1", "name": "read", "input": {"path": "a"}}}],
    },
    {
        "role": "user",
        "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": LONG}]}}],
    },
    {"role": "assistant", "content": [{"text": "Done."}]},
    {"role": "user", "content": [{"text": "Go on"}]},
    {"role": "assistant", "content": [{"text": "So."}]},
]
BOTH = pytest.mark.parametrize("items", [GEMINI, BEDROCK], ids=["gemini", "bedrock"])


@BOTH
def test_what_is_unchanged_is_written_as_it_was(items: list[dict[str, Any]]) -> None:
    before = copy.deepcopy(items)
    assert write_messages(read_messages(items)) == before
    assert items == before


@BOTH
def test_all_words_are_counted(items: list[dict[str, Any]]) -> None:
    assert TokenCounter().estimate_messages(read_messages(items)) > len(LONG) // 4


@BOTH
def test_a_call_and_its_result_stay_together(items: list[dict[str, Any]]) -> None:
    messages = read_messages(items)
    for size in range(1, 7):
        strategy = SlidingWindowStrategy(size, max_tokens=100_000)
        kept = run(strategy, messages)
        calls = [b for m in kept for b in m.content if isinstance(b, ToolUse)]
        results = [b for m in kept for b in m.content if isinstance(b, ToolResult)]
        assert [call.id for call in calls] == [result.tool_use_id for result in results]


@BOTH
def test_a_result_that_is_cleared_keeps_its_shape(items: list[dict[str, Any]]) -> None:
    cleared = run(ToolResultClearingStrategy(0, max_tokens=200), read_messages(items))
    written = write_messages(cleared)
    assert LONG not in str(written)
    assert [list(one) for one in written] == [list(one) for one in items]
    place = "parts" if "parts" in items[2] else "content"
    assert list(written[2][place][0]) == list(items[2][place][0])


@BOTH
def test_a_message_that_is_new_is_written_as_its_neighbours(items: list[dict[str, Any]]) -> None:
    new = Message.assistant("In short.")
    written = write_messages([*read_messages(items), new])[-1]
    assert written.keys() == items[0].keys()
    assert written["role"] == items[-1]["role"]


def test_a_request_to_gemini_is_read_and_written_whole() -> None:
    body = {
        "contents": GEMINI,
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "read", "description": "Reads"}]}],
    }
    request = read_request(body)
    assert request.messages[0].text == "Be brief."
    assert [tool.name for tool in request.tools] == ["read"]
    assert write_request(request.messages, request.body) == body


def test_a_request_to_bedrock_is_read_and_written_whole() -> None:
    body = {
        "messages": BEDROCK,
        "system": [{"text": "Be brief."}],
        "toolConfig": {"tools": [{"toolSpec": {"name": "read", "inputSchema": {"json": {}}}}]},
    }
    request = read_request(body)
    assert request.messages[0].text == "Be brief."
    assert [tool.name for tool in request.tools] == ["read"]
    assert write_request(request.messages, request.body) == body


def test_reasoning_of_gemini_is_no_answer() -> None:
    (message,) = read_messages([{"role": "model", "parts": [{"text": "hm", "thought": True}]}])
    assert message.text == ""
