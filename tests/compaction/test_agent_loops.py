"""The agents' loops of ``docs/compaction.md``, through the vendors' libraries, against a stand-in."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from synapse_ls.compaction import Message, ProviderError, TokenCounter, read_messages
from tests.compaction.vendor_dialects import check_order, type_validator

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compaction.md"
LIMIT = 600
Answer = Callable[[int, dict[str, Any]], dict[str, Any]]


class StandIn:
    """A server that keeps what it is sent, and answers as it is told to."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answer: Answer = openai_answer
        self.status = 200
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                stand_in.asked.append(body)
                said = json.dumps(stand_in.answer(len(stand_in.asked), body)).encode()
                self.send_response(stand_in.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    found = StandIn()
    thread = Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for maker, path in (("ANTHROPIC", ""), ("OPENAI", "/v1")):
        monkeypatch.setenv(f"{maker}_BASE_URL", f"{found.url}{path}")
        monkeypatch.setenv(f"{maker}_API_KEY", "none")
    yield found
    found.server.shutdown()
    found.server.server_close()
    thread.join()


def example(mark: str) -> dict[str, Any]:
    """What the block of the page that has ``mark`` in it defines."""
    text = PAGE.read_text(encoding="utf-8")
    (block,) = [b for b in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if mark in b]
    scope: dict[str, Any] = {
        "LIMIT": LIMIT,
        "MODEL": "a-model",
        "TOOLS": [],
        "run_tool": lambda name, _: f"{name} says " + "much " * 90,
    }
    exec(compile(block, str(PAGE), "exec"), scope)
    return scope


def claude_answer(number: int, body: dict[str, Any]) -> dict[str, Any]:
    """A call of two tools, then words."""
    done = number % 3 == 0
    content: list[dict[str, Any]] = [{"type": "text", "text": f"Step {number}."}]
    if not done:
        content.insert(0, {"type": "thinking", "thinking": "hm", "signature": "sig"})
        content += [
            {"type": "tool_use", "id": f"t{number}{x}", "name": "read", "input": {"x": x}}
            for x in "ab"
        ]
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": "a-model",
        "content": content,
        "stop_reason": "end_turn" if done else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def openai_answer(number: int, body: dict[str, Any]) -> dict[str, Any]:
    """Reasoning and a call of two tools, then words."""
    reasoning = {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": "g"}
    text = {"type": "output_text", "text": f"Step {number}.", "annotations": []}
    words = {
        "type": "message",
        "id": f"msg_{number}",
        "role": "assistant",
        "status": "completed",
        "content": [text],
    }
    calls = [
        {"type": "function_call", "id": f"fc_{number}{x}", "call_id": f"c{number}{x}", "name": "read",
         "arguments": '{"x": 1}', "status": "completed"}
        for x in "ab"
    ]  # fmt: skip
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": "a-model",
        "output": [reasoning, *([words] if number % 3 == 0 else calls)],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def check_bodies(stand_in: StandIn, dialect: str, place: str) -> None:
    check, lengths = type_validator(dialect), []
    for body in stand_in.asked:
        check(body[place])
        check_order(dialect, body[place])
        assert TokenCounter().estimate_messages(read_messages(body[place])) <= LIMIT
        lengths.append(len(body[place]))
    assert lengths != sorted(lengths), "nothing was ever compacted"


def test_the_loop_with_anthropic_runs_as_written(stand_in: StandIn) -> None:
    pytest.importorskip("anthropic", reason="anthropic is not installed (group dev)")
    stand_in.answer = claude_answer
    history: list[Any] = []
    ask = example("anthropic.Anthropic()")["ask"]
    said = [ask(history, f"Go on, {number}") for number in range(6)]
    assert said[-1] == "Step 18."
    check_bodies(stand_in, "anthropic", "messages")


def test_the_loop_with_openai_runs_as_written(stand_in: StandIn) -> None:
    pytest.importorskip("openai", reason="openai is not installed (group dev)")
    stand_in.answer = openai_answer
    history: list[Any] = []
    ask = example("openai.OpenAI()")["ask"]
    said = [ask(history, f"Go on, {number}") for number in range(6)]
    assert said[-1] == "Step 18."
    check_bodies(stand_in, "responses", "input")


def test_the_provider_is_asked_for_a_summary_of_a_text(stand_in: StandIn) -> None:
    pytest.importorskip("anthropic", reason="anthropic is not installed (group dev)")
    stand_in.answer = lambda _, body: claude_answer(3, body)
    strategy = example("AsyncAnthropic()")["strategy"]
    history = [Message.user("Go on. " * 40), Message.assistant("Done.")] * 12
    left = asyncio.run(strategy.compact(history))
    assert left[0].text == "[Summary of earlier conversation]\nStep 3."
    (body,) = stand_in.asked
    (asked,) = body["messages"]
    assert asked["role"] == "user"
    assert asked["content"].startswith("<conversation>")
    assert "Summarize" in body["system"]


def test_the_provider_says_that_there_is_no_answer(stand_in: StandIn) -> None:
    pytest.importorskip("anthropic", reason="anthropic is not installed (group dev)")
    stand_in.status = 400
    strategy = example("AsyncAnthropic()")["strategy"]
    with pytest.raises(ProviderError, match="no summary"):
        asyncio.run(strategy.compact([Message.user("Go on. " * 100)] * 12))
