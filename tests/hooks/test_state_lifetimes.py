"""What a session and its windows still know after a compaction, a lost reply and a new beginning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks import session_upkeep
from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.hooks.status_line import build_status_line
from synapse_ls.integrations import hook_event
from synapse_ls.integrations.cursor import CLIENT as CURSOR
from synapse_ls.text.fast_json import dumps
from tests.hooks.hook_clients import Claude, Scripted
from tests.integrations.transcripts.claude_records import answer, prompt
from tests.integrations.transcripts.support import lines_of
from tests.trees import TEAM, write_tree

WARNING = "set to warn"
GUARDED = {
    **TEAM,
    ".synapse/manifest": TEAM[".synapse/manifest"]
    + "        AGENT_DEVOPS_STATE=active\n        AGENT_DEVOPS_AGENT_TRIGGER=devops\n",
    ".synapse/agent-devops": "AGENT_DEVOPS_AUTH_0=EXCLUSIVE: git push\n",
    ".synapse/config.toml": "profile = 'synapse-live'\n[guard]\nmode = 'warn'\n",
}


class Cursor:
    """A conversation in Cursor, whose event of a command about to be run takes no context."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now = 1_800_000_000.0

    def send(self, name: str, **fields: Any) -> str:
        """The context that an event brings the agent."""
        self.now += 60
        replies: list[dict[str, Any]] = []
        raw = {"conversation_id": "c", "session_id": "c", "hook_event_name": name, **fields}
        raw |= {"workspace_roots": [str(self.root)], "cwd": str(self.root)}
        dispatch_event(
            CURSOR.parse_event(raw, name), CURSOR, replies.append, clock=lambda: self.now
        )
        (reply,) = replies
        return str(reply.get("additional_context", ""))

    def prompt(self, text: str) -> str:
        return self.send("beforeSubmitPrompt", prompt=text, generation_id=f"g{self.now}")

    def push(self) -> str:
        return self.send("beforeShellExecution", command="git push origin main")


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cursor:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Cursor(write_tree(tmp_path / "app", GUARDED))


def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **traits: Any) -> Scripted:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Scripted(write_tree(tmp_path / "app", GUARDED), **traits)


def push(client: Scripted) -> None:
    raw = {"tool_name": "Bash", "tool_input": {"command": "git push"}}
    assert client.send(hook_event.TOOL_BEFORE, raw=raw) == ""


def test_a_warning_waits_for_the_next_prompt(agent: Cursor) -> None:
    agent.prompt("@dev go on")
    assert agent.push() == ""
    assert WARNING in agent.prompt("go on")
    assert WARNING not in agent.prompt("go on")


def test_a_warning_that_waits_outlives_a_compaction(agent: Cursor) -> None:
    agent.prompt("@dev go on")
    agent.push()
    agent.send("preCompact", trigger="auto", context_tokens=184_000, context_window_size=200_000)
    assert WARNING in agent.prompt("go on")


def test_the_same_warning_waits_once(agent: Cursor) -> None:
    agent.prompt("@dev go on")
    agent.push()
    agent.send("preCompact", trigger="auto")
    agent.push()
    assert agent.prompt("go on").count(WARNING) == 1


def test_a_warning_comes_with_what_is_told_after_a_compaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = scripted(tmp_path, monkeypatch)
    client.prompt("@dev go on")
    push(client)
    client.send(hook_event.COMPACTING)
    assert WARNING in client.send(hook_event.SESSION_START, source="compact")
    assert WARNING not in client.prompt()


def test_a_warning_outlives_a_compaction_that_nobody_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = scripted(tmp_path, monkeypatch)
    client.figures = {"used": 150_000, "window": 200_000}
    client.prompt("@dev go on")
    push(client)
    client.figures = {"used": 20_000, "window": 200_000}
    assert WARNING in client.prompt()
    assert client.document()["context"]["compactions"] == 1


def test_a_warning_outlives_a_reply_that_was_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = scripted(tmp_path, monkeypatch)
    client.received = set()
    client.prompt("@dev go on")
    client.prompt()
    push(client)
    again = client.prompt()
    assert "[ACTIVE AGENT: @dev]" in again and WARNING in again


def test_a_warning_of_a_sub_agent_outlives_its_compaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = scripted(tmp_path, monkeypatch)
    client.prompt("@dev go on")
    client.send(hook_event.SUBAGENT_START, subagent="sub-1", agent="qa")
    raw = {"tool_name": "Bash", "tool_input": {"command": "git push"}}
    client.send(hook_event.TOOL_BEFORE, raw=raw, subagent="sub-1")
    client.send(hook_event.COMPACTING, subagent="sub-1")
    assert WARNING in client.tool(subagent="sub-1")


def test_a_warning_ends_with_the_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = scripted(tmp_path, monkeypatch)
    client.prompt("@dev go on")
    push(client)
    client.send(hook_event.SESSION_START, source="clear")
    assert WARNING not in client.prompt()


def test_a_cleared_window_has_no_matches_of_earlier_prompts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = scripted(tmp_path, monkeypatch)
    assert "[KEYWORD" in client.prompt("Raise the coverage", files=(str(client.root / "a.py"),))
    client.send(hook_event.SESSION_START, source="clear")
    assert "[KEYWORD" not in client.prompt("Hello there")
    (window,) = client.document()["windows"].values()
    assert "files" not in window


def test_the_star_commands_of_a_cleared_window_are_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = scripted(tmp_path, monkeypatch)
    client.prompt("*brief")
    client.send(hook_event.SESSION_START, source="clear")
    (window,) = client.document()["windows"].values()
    assert "commands" not in window


def test_a_compaction_that_was_announced_in_a_cleared_window_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = scripted(tmp_path, monkeypatch)
    client.prompt()
    client.send(hook_event.COMPACTING)
    client.send(hook_event.SESSION_START, source="clear")
    client.prompt()
    assert "compactions" not in client.document()["context"]


def test_what_the_status_line_said_of_a_cleared_window_says_nothing_of_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    client = Claude(write_tree(tmp_path / "app", GUARDED))
    client.prompt("Hello there")
    usage = {"input_tokens": 190_000, "output_tokens": 9}
    status = {
        "session_id": client.session,
        "cwd": str(client.root),
        "model": {"id": "claude-opus-5"},
        "context_window": {"context_window_size": 200_000, "current_usage": usage},
    }
    build_status_line(dumps(status).encode())
    client.send("SessionStart", source="clear")
    assert "[FRESH]" in client.prompt("Hello again")
    assert client.document()["context"]["status_line"]["window"] == 200_000


def test_a_transcript_is_still_known_when_its_window_began_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    client = Claude(write_tree(tmp_path / "app", TEAM))
    client.transcript.write_bytes(lines_of(prompt("Build it", 1), answer(9_000, "Done.", second=2)))
    client.prompt("Build it")
    client.send("SessionStart", source="clear")
    (window,) = client.document()["windows"].values()
    assert window["transcript"] == [str(client.transcript), None]
    client.transcript.write_bytes(b"")
    client.prompt("Build it")
    assert "compactions" not in client.document()["context"]


def test_a_cleared_session_that_goes_on_is_taken_over_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    client = Claude(write_tree(tmp_path / "app", TEAM), "first")
    client.transcript.write_bytes(
        lines_of(prompt("@dev Build it", 1), answer(9_000, "TODO: index the table.", second=2))
    )
    client.prompt("@dev Build it")
    client.send("SessionEnd", reason="clear")
    client.prompt("@dev Build it after all")
    client.send("SessionEnd", reason="other")
    other = Claude(client.root, "second")
    other.transcript, other.now = client.root / "second.jsonl", client.now + 60
    assert "[CONTINUATION]" in other.prompt("Hello")
