"""A sub-agent in VS Code: its prompt and its tools are reported as those of the session, and the
transcript shows whose they are.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.hooks.test_vscode_edits import DEV, LIVE, Chat
from tests.trees import write_tree

TASK = "read the page"


class Delegating(Chat):
    """A chat whose transcript is written before each call of the hook."""

    def row(self, kind: str, **data: Any) -> None:
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"type": kind, "data": data}) + "\n")

    def types(self, prompt: str, *, instead_of: int | None = None) -> str:
        self.row("user.message", content=prompt)
        return super().types(prompt, instead_of=instead_of)

    def delegates(self, call: str, task: str = TASK) -> str:
        """Returns what the start of the sub-agent and its prompt bring."""
        self.row(
            "tool.execution_start",
            toolCallId=call,
            toolName="runSubagent",
            arguments={"prompt": task, "description": "Look"},
        )
        start = self.send("SubagentStart", agent_id=call, agent_type="default")
        self.row("user.message", content=task)
        return start + self.send("UserPromptSubmit", prompt=task)

    def returns(self, call: str) -> str:
        self.row("tool.execution_complete", toolCallId=call, success=True)
        return self.send("PostToolUse", tool_name="runSubagent", tool_use_id=call)

    def session(self) -> Any:
        return json.loads((self.root / ".synapse/sessions/chat-1.json").read_text("utf-8"))


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Delegating:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Delegating(write_tree(tmp_path / "team", LIVE), tmp_path / "workspaceStorage/1")


def edit(chat: Delegating) -> None:
    (chat.root / ".synapse/global").write_text("GLOBAL_RULE_0=Say why.\n")


def test_a_sub_agent_is_given_the_rules_once(chat: Delegating) -> None:
    chat.types("@dev begin")
    assert chat.delegates("call_1").count(DEV) == 1


def test_the_task_of_a_sub_agent_is_no_prompt_of_the_session(chat: Delegating) -> None:
    chat.types("@dev begin")
    before = chat.session()["prompt_count"]
    chat.delegates("call_1", "@qa look")
    assert chat.session()["prompt_count"] == before
    chat.returns("call_1")
    chat.ends()
    assert chat.ask("go on") == ""


def test_what_a_tool_of_a_sub_agent_brings_is_missing_in_the_main_window(chat: Delegating) -> None:
    chat.types("@dev begin")
    chat.delegates("call_1")
    edit(chat)
    assert "Say why." in chat.send("PostToolUse", tool_name="read_file", tool_use_id="call_2")
    assert "Say why." in chat.returns("call_1")


def test_the_call_that_ends_with_a_sub_agent_is_the_main_agents(chat: Delegating) -> None:
    chat.types("@dev begin")
    chat.delegates("call_1")
    edit(chat)
    assert "Say why." in chat.send("PostToolUse", tool_name="runSubagent", tool_use_id="call_1")
    chat.returns("call_1")
    assert "Say why." not in chat.types("go on")


def test_a_prompt_after_a_sub_agent_that_was_cancelled_is_a_persons(chat: Delegating) -> None:
    chat.types("@dev begin")
    chat.delegates("call_1")
    edit(chat)
    assert "Say why." in chat.types("go on")
    assert chat.send("PostToolUse", tool_name="read_file", tool_use_id="call_2") == ""


def test_the_first_of_two_sub_agents_goes_on_when_the_second_has_ended(chat: Delegating) -> None:
    chat.types("@dev begin")
    chat.delegates("call_1")
    chat.delegates("call_2", "read the other page")
    chat.returns("call_2")
    edit(chat)
    assert "Say why." in chat.send("PostToolUse", tool_name="read_file", tool_use_id="call_3")
    assert "Say why." in chat.returns("call_1")
