"""Clients whose session start brings the rules: Copilot's agent in the cloud, and Cursor by its channels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.integrations.copilot import CLIENT as COPILOT
from synapse_ls.integrations.cursor import CLIENT as CURSOR
from synapse_ls.integrations.hook_client import HookClient
from tests.trees import TEAM, write_tree

LIVE = {**TEAM, ".synapse/config.toml": 'profile = "synapse-live"\n'}


class Session:
    """A session of a client by its documented schema, with a clock of its own."""

    def __init__(self, root: Path, host: HookClient, **common: Any) -> None:
        self.root, self.host, self.common = root, host, common
        self.now = 1_800_000_000.0

    def send(self, name: str, *, later: float = 60, **fields: Any) -> str:
        """Returns the text that an event puts before the model, "" for none."""
        self.now += later
        replies: list[dict[str, Any]] = []
        event = self.host.parse_event({**self.common, **fields}, name)
        dispatch_event(event, self.host, replies.append, clock=lambda: self.now)
        (reply,) = replies
        text: str = reply.get("additionalContext", reply.get("additional_context", ""))
        return text


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "tree", LIVE)


@pytest.fixture
def cloud(root: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("COPILOT_AGENT_JOB_ID", "1")
    return Session(root, COPILOT, sessionId="s1", cwd=str(root))


def editor(root: Path, version: str) -> Session:
    """Returns a conversation of Cursor ``version``."""
    return Session(
        root,
        CURSOR,
        conversation_id="c1",
        session_id="c1",
        workspace_roots=[str(root)],
        cursor_version=version,
    )


# Copilot


def test_the_start_of_a_task_brings_what_its_prompt_wants(cloud: Session) -> None:
    told = cloud.send("sessionStart", source="new", initialPrompt="sum up *brief")
    assert "[GLOBAL]" in told
    assert "[STAR-COMMANDS]" in told


def test_the_prompt_then_brings_only_what_the_start_did_not(cloud: Session) -> None:
    cloud.send("sessionStart", source="new", initialPrompt="hello there")
    assert cloud.send("userPromptSubmitted", prompt="hello there") == ""
    told = cloud.send("userPromptSubmitted", prompt="sum up *brief")
    assert "[STAR-COMMANDS]" in told
    assert "[GLOBAL]" not in told


def test_an_agent_that_the_initial_prompt_calls_stays_at_work(cloud: Session) -> None:
    told = cloud.send("sessionStart", source="new", initialPrompt="@dev add a test")
    assert "[ACTIVE AGENT: @dev]" in told
    assert cloud.send("postToolUse", toolName="bash", toolArgs={"command": "ls"}) == ""


def test_a_second_registration_of_the_start_is_silent(cloud: Session) -> None:
    assert cloud.send("sessionStart", source="new", initialPrompt="go")
    assert cloud.send("sessionStart", source="new", initialPrompt="go", later=0.1) == ""
    assert cloud.send("userPromptSubmitted", prompt="go") == ""


def test_a_resumed_session_is_not_told_again(cloud: Session) -> None:
    cloud.send("sessionStart", source="new", initialPrompt="go")
    assert cloud.send("sessionStart", source="resume") == ""


def test_on_a_persons_machine_the_prompt_brings_the_rules_and_the_start_none(root: Path) -> None:
    terminal = Session(root, COPILOT, sessionId="s1", cwd=str(root))
    assert terminal.send("sessionStart", source="new", initialPrompt="go") == ""
    assert "[GLOBAL]" in terminal.send("userPromptSubmitted", prompt="go", later=0.1)


@pytest.mark.parametrize("loader", ["", "4711"])
def test_a_prompt_of_the_command_line_has_everything_at_once(
    root: Path, monkeypatch: pytest.MonkeyPatch, loader: str
) -> None:
    (root / ".synapse/config.toml").write_text('profile = "synapse"\n')
    rules = "\n".join(f"GLOBAL_RULE_{n}=Keep the names of part {n} short" for n in range(90))
    (root / ".synapse/global").write_text(rules)
    monkeypatch.setenv("COPILOT_CLI_BINARY_VERSION", "1.0.102")
    if loader:
        monkeypatch.setenv("COPILOT_LOADER_PID", loader)
    session = Session(root, COPILOT, sessionId="s1", cwd=str(root))
    is_whole = "part 89 short" in session.send("userPromptSubmitted", prompt="go")
    assert is_whole == (not loader)


# Cursor


@pytest.mark.parametrize("version", ["3.20.17", "2026.10.15-a1b2c3d"])
def test_what_the_start_of_a_conversation_told_stands(root: Path, version: str) -> None:
    chat = editor(root, version)
    assert "[GLOBAL]" in chat.send("sessionStart", composer_mode="agent")
    assert chat.send("beforeSubmitPrompt", prompt="hello there") == ""
    assert chat.send("postToolUse", tool_name="Shell", tool_input={"command": "ls"}) == ""
    assert chat.send("beforeSubmitPrompt", prompt="go on") == ""


def test_print_mode_is_served_without_prompts(root: Path) -> None:
    chat = editor(root, "2026.10.15-a1b2c3d")
    assert "[GLOBAL]" in chat.send("sessionStart", composer_mode="agent")
    (root / ".synapse" / "global").write_text("GLOBAL_RULE_0=Say why.\n")
    told = chat.send("postToolUse", tool_name="Shell", tool_input={"command": "ls"})
    assert "Say why." in told
    assert chat.send("postToolUse", tool_name="Shell", tool_input={"command": "ls"}) == ""


def test_what_only_a_prompt_told_is_for_its_turn(root: Path) -> None:
    chat = editor(root, "3.20.17")
    assert "[GLOBAL]" in chat.send("beforeSubmitPrompt", prompt="hello")
    assert chat.send("postToolUse", tool_name="Shell", tool_input={"command": "ls"}) == ""
    assert "[GLOBAL]" in chat.send("beforeSubmitPrompt", prompt="go on")


@pytest.mark.parametrize("version", ["2.4.0", "3.12.17", ""])
def test_where_no_channel_is_known_the_first_tool_makes_it_stand(root: Path, version: str) -> None:
    chat = editor(root, version)
    assert "[GLOBAL]" in chat.send("sessionStart", composer_mode="agent")
    assert "[GLOBAL]" in chat.send("beforeSubmitPrompt", prompt="hello")
    assert "[GLOBAL]" in chat.send("postToolUse", tool_name="Shell", tool_input={"command": "ls"})
    assert chat.send("postToolUse", tool_name="Shell", tool_input={"command": "ls"}) == ""
    chat.send("stop", status="completed")
    assert chat.send("beforeSubmitPrompt", prompt="go on") == ""


@pytest.mark.parametrize("status", ["completed", "aborted", ""])
def test_what_the_tools_of_an_interrupted_turn_brought_is_injected_again(
    root: Path, status: str
) -> None:
    chat = editor(root, "3.20.17")
    chat.send("sessionStart", composer_mode="agent")
    chat.send("beforeSubmitPrompt", prompt="hello")
    (root / ".synapse" / "global").write_text("GLOBAL_RULE_0=Say why.\n")
    tool: dict[str, Any] = {"tool_name": "Shell", "tool_input": {"command": "ls"}}
    assert "Say why." in chat.send("postToolUse", **tool)
    if status:
        chat.send("stop", status=status)
    is_again = "Say why." in chat.send("beforeSubmitPrompt", prompt="go on")
    assert is_again == (status != "completed")


def test_a_start_that_its_prompt_has_overtaken_repeats_nothing(root: Path) -> None:
    chat = editor(root, "3.20.17")
    assert "[GLOBAL]" in chat.send("beforeSubmitPrompt", prompt="hello")
    assert chat.send("sessionStart", composer_mode="agent", later=0.5) == ""


def test_a_conversation_that_starts_again_keeps_what_it_holds(root: Path) -> None:
    chat = editor(root, "3.20.17")
    chat.send("sessionStart", composer_mode="agent")
    assert chat.send("sessionStart", composer_mode="agent") == ""
    assert chat.send("beforeSubmitPrompt", prompt="hello") == ""


def test_the_reply_to_a_prompt_lets_it_go_on(root: Path) -> None:
    event = CURSOR.parse_event({"prompt": "hello"}, "beforeSubmitPrompt")
    assert CURSOR.context_reply(event, "x") == {"continue": True, "additional_context": "x"}
