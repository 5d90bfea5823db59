"""An alias of GitHub's command line is judged as what it stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.workspace import git_settings
from tests.hooks.hook_clients import Claude
from tests.hooks.test_tool_before import client, decision, use

ALIASES = """\
git_protocol: https
aliases:
    co: pr checkout
    ship: pr merge --squash
    quoted: 'pr merge'
    shell: '!git push origin HEAD'
    long: |-
        pr merge --admin
    # a note
editor: vim
other: pr merge
"""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    settings = tmp_path / "settings" / "gh"
    settings.mkdir(parents=True)
    (settings / "config.yml").write_text(ALIASES, encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(settings.parent))
    monkeypatch.delenv("GH_CONFIG_DIR", raising=False)
    agent = client(tmp_path / "app", "enforce")
    (tmp_path / "app/.synapse/agent-devops").write_text(
        "AGENT_DEVOPS_AUTH_0=EXCLUSIVE: git push, gh pr merge\n", encoding="utf-8"
    )
    agent.prompt("@dev go on")
    return agent


@pytest.mark.parametrize("alias", ["ship", "quoted", "long", "shell", "ship 12 --auto"])
def test_an_alias_for_what_is_forbidden_is_denied(agent: Claude, alias: str) -> None:
    assert decision(use(agent, f"gh {alias}")) == "deny"


@pytest.mark.parametrize("command", ["gh co 12", "gh other", "gh pr view ship", "gh pr list"])
def test_what_stands_for_something_else_is_not(agent: Claude, command: str) -> None:
    assert use(agent, command) == {}


def test_the_file_itself_is_asked_about(agent: Claude, tmp_path: Path) -> None:
    path = tmp_path / "settings" / "gh" / "config.yml"
    tool = {"tool_name": "Write", "tool_input": {"file_path": str(path), "content": "x"}}
    assert decision(agent.send("PreToolUse", **tool)) == "ask"
    assert decision(use(agent, f"echo '    x: pr merge' >> {path}")) == "ask"
    assert decision(use(agent, "gh alias import aliases.yml")) == "ask"


def test_aliases_are_read_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.yml").write_text("aliases:\n  x: pr merge\n", encoding="utf-8")
    monkeypatch.setenv("GH_CONFIG_DIR", str(tmp_path))
    assert git_settings.read_forge_aliases() == {"gh x": "pr merge"}


@pytest.mark.parametrize("text", ["", "aliases:", "aliases: {}\n", "\naliases:\n:\n: :\n", "\0"])
def test_a_file_without_aliases_has_none(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.yml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("GH_CONFIG_DIR", str(tmp_path))
    assert git_settings.read_forge_aliases() == {}
