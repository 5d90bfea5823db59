"""A Brainiac tree and one of sections in front of everybody who asks."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from synapse_ls.live.disk_queries import query_context
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.mcp.tool_definition import query_answer
from synapse_ls.queries.context_question import Question, answer_question
from tests.engine.test_profile import IDENTITY, SHORT_TERM
from tests.hooks.hook_clients import Claude
from tests.queries.test_same_bytes import Case, command_line, editor_panel, hook_of_claude, mcp_tool

TREES = Path(__file__).parent.parent / "workspaces"
MakeClient = Callable[[str], Claude]


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeClient:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return lambda name: Claude(Path(shutil.copytree(TREES / name, tmp_path / "tree")))


@pytest.mark.parametrize("prompt", ["ticket machines", "Wer macht's? Ação!", "go on"])
def test_everybody_gives_the_same_bytes(prompt: str, client: MakeClient) -> None:
    root = client("brainiac").root
    case = Case(prompt)
    (text,) = {ask(root, case) for ask in (command_line, editor_panel, mcp_tool)}
    # A client adds the prompt itself.
    assert text == f"{hook_of_claude(root, case)}\n\n## User Prompt\n{prompt}"


def test_a_process_is_a_profile_that_agents_and_editors_can_ask_for(client: MakeClient) -> None:
    root = client("brainiac").root
    found = answer_question(Question(str(root), "And now?", profile="brainiac-reflection"))
    editor = query_context(
        LiveTree(str(root)), {"prompt": "And now?", "profile": "brainiac-reflection"}
    )
    given = {"prompt": "And now?", "profile": "brainiac-reflection", "session": "new"}
    agent = query_answer(str(root), given).assembly.text
    assert found.assembly.text == editor.block == agent
    assert "## New Event\n" in agent


def test_everybody_gives_the_same_bytes_of_sections(client: MakeClient) -> None:
    root = client("plain").root
    asked = (command_line, editor_panel, mcp_tool, hook_of_claude)
    (text,) = {ask(root, Case("hello")) for ask in asked}
    assert text.startswith("## Identity\nYou keep the tide tables")


def test_a_window_is_told_once_and_then_what_is_new(client: MakeClient) -> None:
    claude = client("brainiac")
    first = claude.prompt("Go on")
    assert first.startswith("## Core Identity\n")
    assert claude.prompt("Go on") == ""

    memory = claude.root / SHORT_TERM
    memory.write_text(memory.read_text().replace("- [ ] Switch reads", "- [x] Switch reads"))
    changed = claude.prompt("Go on")
    assert "#### Goals\n- [x] Switch reads of reservations" in changed
    assert changed.startswith("## Revoked\n- Short-Term Memory: no longer applies: “- [ ] Switch")
    assert "You are Mira" not in changed


def test_a_memory_comes_with_the_prompt_that_asks_for_it(client: MakeClient) -> None:
    claude = client("brainiac")
    assert "Ana owns the schema" not in claude.prompt("Go on")
    told = claude.prompt("Which people are in the team?")
    assert told.startswith("## Relevant Long-Term Memory\n")
    assert "Ana owns the schema" in told
    # It stands, though nothing asks for it any more.
    assert [claude.prompt("Go on") for _ in range(7)] == [""] * 7


def test_an_identity_that_changes_is_told_again(client: MakeClient) -> None:
    claude = client("brainiac")
    claude.prompt("Go on")
    (claude.root / IDENTITY).write_text("# Core Identity\n\nYou are Noa.\n")
    assert "You are Noa." in claude.prompt("Go on")


def test_a_command_is_answered_in_the_words_of_the_text(client: MakeClient) -> None:
    told = client("brainiac").prompt("*synapse domains")
    assert "\n\n## Synapse\n- Show this to the user as it is.\n" in told


def test_a_section_waits_for_its_prompt(client: MakeClient) -> None:
    claude = client("plain")
    told = [claude.prompt("Go on") for _ in range(6)]
    assert ["Check the date line" in text for text in told] == [False, False, True] * 2
    assert told[0].startswith("## Identity")
    assert told[1] == ""


@pytest.mark.parametrize(("name", "path"), [
    ("brainiac", "system/core_identity.md"), ("brainiac", "memory/long_term/x.md"),
    ("plain", "docs/units.md"),
])  # fmt: skip
def test_who_enforces_is_asked_before_rules_or_memories_change(
    client: MakeClient, name: str, path: str
) -> None:
    claude = client(name)
    (claude.root / ".synapse").mkdir(exist_ok=True)
    with (claude.root / ".synapse/config.toml").open("a") as file:
        file.write("\n[guard]\nmode = 'enforce'\n")
    tool = {"file_path": str(claude.root / path), "content": "x"}
    reply = claude.send("PreToolUse", tool_name="Write", tool_input=tool)
    assert reply["hookSpecificOutput"]["permissionDecision"] == "ask"
