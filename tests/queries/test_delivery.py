"""Whether the hook hands anything over, and what shows that it does not."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.integrations.client_settings import PROJECT, USER, Surroundings
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.queries.status_report import DeliveryReport, delivery_notes, delivery_report
from synapse_ls.setup.install.hook_installation import plan_installation
from tests.hooks.hook_clients import Claude
from tests.trees import TEAM, write_tree

AGENT = "github.copilot.editsAgent"


class Workspace:
    """A tree that is open in VS Code, with its chats."""

    def __init__(self, folder: Path) -> None:
        self.root = write_tree(folder / "team", TEAM)
        self.home = folder / "home"
        self.chats = folder / "workspaceStorage/0a1b/chatSessions"
        self.chats.mkdir(parents=True)
        self._write({"kind": 0, "v": {"version": 3, "requests": []}})

    def install(self, name: str = "vscode", scope: str = PROJECT) -> None:
        around = Surroundings(self.root, self.home)
        for change in plan_installation(around, [CLIENTS[name]], scope):
            change.file.parent.mkdir(parents=True, exist_ok=True)
            change.file.write_bytes(change.after or b"")

    def prompt(self, ago: float, text: str = "Add a unit test", **more: Any) -> None:
        """A prompt of so many seconds ago."""
        request = {
            "timestamp": round(1000 * (time.time() - ago)),
            "agent": {"id": AGENT},
            "message": {"text": text},
            **more,
        }
        self._write({"kind": 2, "k": ["requests"], "v": [request]})

    def answer(self) -> None:
        self._write({"kind": 1, "k": ["requests", 0, "result"], "v": {"metadata": {}}})

    def call_hook(self, ago: float) -> None:
        """A prompt of so many seconds ago, on which a client called the hook."""
        client = Claude(self.root)
        client.now = time.time() - ago - 60
        assert client.prompt("Add a unit test")

    def report(self) -> DeliveryReport:
        return delivery_report(str(self.root), str(self.chats), home=str(self.home))

    def problem(self) -> str:
        """What keeps rules from agents, "" for nothing."""
        problem = self.report().problem
        return problem.code if problem else ""

    def _write(self, record: dict[str, Any]) -> None:
        with (self.chats / "chat-1.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Workspace(tmp_path)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Puts `synapse-ls` on the search path, or leaves that without."""

    def put(there: bool) -> None:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        for name in ("synapse-ls", "synapse-ls.exe"):
            if there:
                (folder / name).touch(mode=0o755)
            else:
                (folder / name).unlink(missing_ok=True)
        monkeypatch.setenv("PATH", str(folder))

    put(True)
    return put


def test_a_tree_of_which_no_agent_was_told_was_never_delivered(workspace: Workspace) -> None:
    assert (workspace.report().last, workspace.report().client) == (None, None)


def test_the_last_delivery_has_its_moment_and_its_client(workspace: Workspace) -> None:
    workspace.call_hook(ago=30)
    found = workspace.report()
    assert found.client == "claude"
    assert found.last is not None and found.last.endswith("Z")


def test_a_shared_hook_without_its_program_is_a_problem(
    workspace: Workspace, program: Callable[[bool], None]
) -> None:
    workspace.install()
    assert workspace.problem() == ""
    program(False)
    assert workspace.problem() == "no-program"
    (note,) = delivery_notes(workspace.report())
    assert ".github/hooks/synapse.json cannot be started" in note
    assert "pipx install FOLDER" in note and "--scope user" in note


def test_a_client_that_nobody_uses_here_is_no_problem_in_the_editor(
    workspace: Workspace, program: Callable[[bool], None]
) -> None:
    workspace.install("cursor")
    workspace.install("vscode")
    program(False)
    workspace.install("vscode", USER)
    assert workspace.problem() == ""


def test_a_client_that_called_the_hook_lately_finds_its_program(
    workspace: Workspace, program: Callable[[bool], None]
) -> None:
    workspace.install("claude")
    workspace.call_hook(ago=30)
    program(False)
    assert workspace.problem() == ""


def test_an_answered_prompt_that_called_no_hook_is_a_problem_at_once(
    workspace: Workspace, program: Callable[[bool], None]
) -> None:
    workspace.install()
    workspace.prompt(ago=2)
    assert workspace.problem() == ""  # the hook may be at work on it
    workspace.answer()
    assert workspace.problem() == "not-called"


@pytest.mark.parametrize(("there", "installed", "code"), [
    (True, True, "not-called"), (False, True, "no-program"), (True, False, "not-registered"),
])  # fmt: skip
def test_the_problem_says_why_a_prompt_called_no_hook(
    workspace: Workspace,
    program: Callable[[bool], None],
    there: bool,
    installed: bool,
    code: str,
) -> None:
    program(there)
    if installed:
        workspace.install()
    workspace.prompt(ago=100)
    problem = workspace.report().problem
    assert problem is not None and problem.code == code
    assert "called no hook" in problem.sentence


def test_a_prompt_is_heard_where_the_hook_was_called_after_it(
    workspace: Workspace, program: Callable[[bool], None]
) -> None:
    workspace.install()
    workspace.prompt(ago=100)
    workspace.call_hook(ago=99)
    assert workspace.problem() == ""
    workspace.prompt(ago=50)
    assert workspace.problem() == "not-called"


@pytest.mark.parametrize("more", [
    {"agent": {"id": "synapse.chat"}}, {"agent": {"id": "github.copilot.default"}},
    {"slashCommand": {"name": "compact"}}, {"text": "/compact"},
])  # fmt: skip
def test_what_calls_no_hook_is_no_sign(
    workspace: Workspace, program: Callable[[bool], None], more: dict[str, Any]
) -> None:
    workspace.install()
    workspace.prompt(ago=100, **more)
    assert workspace.problem() == ""


def test_a_chat_of_an_earlier_version_is_read(
    workspace: Workspace, program: Callable[[bool], None]
) -> None:
    workspace.install()
    request = {"timestamp": 1, "agent": {"id": AGENT}, "message": {"text": "x"}, "result": {}}
    (workspace.chats / "chat-0.json").write_text(json.dumps({"requests": [request]}))
    assert workspace.problem() == "not-called"


@pytest.mark.parametrize("line", ["", "{", "[]", '{"kind": 2, "k": ["requests"], "v": 3}', "\0"])
def test_a_chat_that_cannot_be_read_is_no_sign(
    workspace: Workspace, program: Callable[[bool], None], line: str
) -> None:
    workspace.install()
    (workspace.chats / "chat-2.jsonl").write_text(line)
    assert workspace.problem() == ""
