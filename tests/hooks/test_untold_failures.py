"""Errors in the digests of clients whose transcripts tell of none: from their events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hooks import session_upkeep
from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.integrations.claude import CLIENT as CLAUDE
from synapse_ls.integrations.cursor import CLIENT as CURSOR
from synapse_ls.integrations.hook_client import HookClient
from synapse_ls.integrations.vscode import CLIENT as VSCODE
from tests.hooks.hook_clients import Claude
from tests.integrations.transcripts.support import Record, lines_of
from tests.trees import TEAM, write_tree

ERROR = "Error: connect ECONNREFUSED 127.0.0.1:5432"


class Editor(Claude):
    """A session of Cursor or VS Code; both have run a command that failed."""

    HOST: HookClient = CURSOR
    NAMES = ("beforeSubmitPrompt", "postToolUse", "preCompact")
    TURN: tuple[Record, ...] = (
        {"role": "user", "message": {"content": [{"type": "text", "text": "Run the tests"}]}},
        {
            "role": "assistant",
            "message": {
                "content": [{"type": "tool_use", "name": "Shell", "input": {"command": "npm test"}}]
            },
        },
    )

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.transcript.write_bytes(lines_of(*self.TURN))

    def send(self, name: str, **fields: Any) -> dict[str, Any]:
        self.now += 60
        replies: list[dict[str, Any]] = []
        raw = {
            "session_id": self.session,
            "conversation_id": self.session,
            "generation_id": f"g-{self.now}",
            "workspace_roots": [str(self.root)],
            "cwd": str(self.root),
            "transcript_path": str(self.transcript),
            "hook_event_name": name,
            **fields,
        }
        dispatch_event(
            self.HOST.parse_event(raw, name), self.HOST, replies.append, clock=lambda: self.now
        )
        return replies[0]

    def asks(self) -> None:
        self.send(self.NAMES[0], prompt="Run the tests")

    def fails(self, error: str = ERROR, command: str = "npm test") -> None:
        self.send(
            "postToolUseFailure",
            tool_name="Shell",
            tool_input={"command": command},
            error_message=error,
            failure_type="error",
        )

    def runs(self, command: str) -> None:
        self.send(
            self.NAMES[1], tool_name="Shell", tool_input={"command": command}, tool_output="{}"
        )

    def compacts(self) -> None:
        self.send(self.NAMES[2], trigger="auto")


class Code(Editor):
    HOST = VSCODE
    NAMES = ("UserPromptSubmit", "PostToolUse", "PreCompact")
    TURN = (
        {"type": "session.start", "data": {"sessionId": "s"}},
        {"type": "user.message", "data": {"content": "Run the tests"}},
        {
            "type": "tool.execution_start",
            "data": {
                "toolCallId": "a",
                "toolName": "run_in_terminal",
                "arguments": {"command": "npm test"},
            },
        },
        {"type": "tool.execution_complete", "data": {"toolCallId": "a", "success": False}},
    )

    def fails(self, error: str = ERROR, command: str = "npm test") -> None:
        self.send(
            "PostToolUse",
            tool_name="run_in_terminal",
            tool_input={"command": command},
            tool_response=f"{error}\nCommand exited with code 1",
        )

    def runs(self, command: str) -> None:
        self.send(
            "PostToolUse",
            tool_name="run_in_terminal",
            tool_input={"command": command},
            tool_response="ok",
        )


@pytest.fixture(params=[Editor, Code], ids=["cursor", "vscode"])
def client(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Editor:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session_upkeep, "start_worker", lambda *_: False)
    made: Editor = request.param(write_tree(tmp_path / "app", TEAM))
    made.asks()
    return made


def errors(client: Claude) -> str:
    """The errors of the last digest."""
    (*_, last) = sorted((client.root / ".synapse/memory/digests").glob("*.md"))
    text = last.read_text(encoding="utf-8")
    return text.partition("## Errors and Resolutions\n\n")[2].partition("\n\n")[0]


def test_an_error_that_an_event_told_is_in_the_digest(client: Editor) -> None:
    client.fails()
    client.fails()
    client.compacts()
    assert errors(client) == f'- "{ERROR}", from `npm test`, 2 times: not solved'
    left = (client.root / ".synapse/continuation/latest.md").read_text(encoding="utf-8")
    assert "ECONNREFUSED" in left


def test_how_it_went_away_is_told_too_and_then_it_is_told_no_more(client: Editor) -> None:
    client.fails()
    client.runs("docker compose up -d")
    client.runs("npm test")
    client.compacts()
    assert errors(client).endswith(
        "from `npm test`: `npm test` succeeded after: ran `docker compose`"
    )
    with client.transcript.open("ab") as file:
        file.write(lines_of(*client.TURN))
    client.send(client.NAMES[0], prompt="Run the tests once more")
    client.compacts()
    assert errors(client) == ""


def test_an_error_that_is_not_solved_is_told_again(client: Editor) -> None:
    client.fails()
    client.compacts()
    with client.transcript.open("ab") as file:
        file.write(lines_of(*client.TURN))
    client.send(client.NAMES[0], prompt="Go on")
    client.compacts()
    assert "ECONNREFUSED" in errors(client) and "succeeded" not in errors(client)


def test_secrets_are_masked(client: Editor) -> None:
    token = "ghp_" + "1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV2wX"
    client.fails(f"Error: bad token {token}")
    assert token[:16] not in str(client.document())


def test_of_a_client_whose_transcript_tells_nothing_is_noted_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    client = Claude(write_tree(tmp_path / "app", TEAM))
    client.prompt("go")
    client.send(
        "PostToolUseFailure", tool_name="Bash", tool_input={"command": "npm test"}, error=ERROR
    )
    assert "met" not in client.document()["recovery"]
    assert CLAUDE.transcript_has_failures
