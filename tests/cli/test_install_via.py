"""`synapse install --via mcp`: clients call a server as their hook."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.install import installed_clients
from tests.cli.conftest import Synapse
from tests.cli.test_install import files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs of a shell")

ABLE = ("claude", "codex")
FILES = {
    ("claude", "project"): (".claude/settings.json", ".mcp.json"),
    ("claude", "local"): (".claude/settings.local.json", "~/.claude.json"),
    ("claude", "user"): ("~/.claude/settings.json", "~/.claude.json"),
    ("codex", "project"): (".codex/hooks.json", ".codex/config.toml"),
    ("codex", "user"): ("~/.codex/hooks.json", "~/.codex/config.toml"),
}
MINE = {
    ".claude/settings.json": '{\n  "model": "x",\n  "hooks": {"Stop": []}\n}',
    ".claude/settings.local.json": '{"permissions": {}}\n',
    ".mcp.json": '{"mcpServers": {"other": {"command": "x"}}}',
    ".claude.json": '{"numStartups": 3, "mcpServers": {}}\n',
    ".codex/hooks.json": '{"hooks": {}}',
    ".codex/config.toml": '# mine\nmodel = "x"\n\n[mcp_servers.other]\ncommand = "x"',
}


@pytest.fixture(autouse=True)
def programs(surroundings: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A computer with Claude Code and Codex of versions that can."""
    folder = tmp_path / "bin"
    folder.mkdir()
    add_program(folder / "claude", "2.1.118 (Claude Code)")
    add_program(folder / "codex", "codex-cli 0.169.0")
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    for client in CLIENTS.values():
        for name in (*client.variables, client.user_folder.variable):
            monkeypatch.delenv(name or "-", raising=False)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    return folder


def add_program(path: Path, said: str, then: str = "") -> None:
    path.write_text(f"#!/bin/sh\necho '{said}'\n{then}\n")
    path.chmod(0o755)


def place_of(name: str, team: Path) -> Path:
    return Path(os.environ["HOME"], name[2:]) if name.startswith("~/") else team / name


def hooks_of(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Event -> the hooks of all of its groups."""
    found = json.loads(path.read_text())["hooks"]
    return {
        event: [
            {**hook, **({"matcher": g["matcher"]} if "matcher" in g else {})}
            for g in groups
            for hook in g["hooks"]
        ]
        for event, groups in found.items()
    }


@pytest.mark.parametrize(("client", "scope"), FILES)
def test_no_event_is_both_a_command_and_a_call(
    synapse: Synapse, team: Path, client: str, scope: str
) -> None:
    assert synapse("install", "--client", client, "--scope", scope, "--via", "mcp").code == 0
    hooks = hooks_of(place_of(FILES[client, scope][0], team))
    tool_hooks = CLIENTS[client].tool_hooks
    assert tool_hooks is not None
    for event, found in hooks.items():
        assert {hook["type"] for hook in found} == {
            "mcp_tool" if event in tool_hooks.fields else "command"
        }
    assert {"SessionStart", "SessionEnd"} <= hooks.keys() - tool_hooks.fields.keys()
    assert all(2 <= h["timeout"] <= 5 for e in tool_hooks.fields if e in hooks for h in hooks[e])


def test_the_server_of_a_project_is_found_on_the_search_path_and_that_of_a_user_is_absolute(
    synapse: Synapse, team: Path
) -> None:
    for scope in ("project", "user"):
        synapse("install", "--client", "claude,codex", "--scope", scope, "--via", "mcp")
    shared = json.loads((team / ".mcp.json").read_text())["mcpServers"]["synapse-hooks"]
    assert (shared["command"], shared["args"]) == (
        "synapse-ls",
        ["hook-server", "--client", "claude"],
    )
    own = json.loads(place_of("~/.claude.json", team).read_text())["mcpServers"]["synapse-hooks"]
    assert own["command"] == sys.executable and own["args"][-2:] == ["--scope", "user"]
    assert 'command = "synapse-ls"' in (team / ".codex/config.toml").read_text()
    assert f'command = "{sys.executable}"' in place_of("~/.codex/config.toml", team).read_text()


@pytest.mark.parametrize(("client", "scope"), FILES)
@pytest.mark.parametrize("mine", [{}, MINE], ids=["nothing", "something"])
def test_it_is_idempotent_and_goes_to_the_byte(
    synapse: Synapse, team: Path, client: str, scope: str, mine: dict[str, str]
) -> None:
    for name in FILES[client, scope]:
        key = name.removeprefix("~/")
        if key in mine:
            place_of(name, team).parent.mkdir(exist_ok=True)
            place_of(name, team).write_text(mine[key])
    home = Path(os.environ["HOME"])
    before = files(team), files(home)
    words = ("install", "--client", client, "--scope", scope)
    shown = synapse(*words, "--via", "mcp", "--dry-run")
    assert "synapse-hooks" in shown.out and (files(team), files(home)) == before
    assert synapse(*words, "--via", "mcp").code == 0
    there = files(team), files(home)
    assert synapse(*words, "--via", "mcp").code == 0
    assert synapse(*words).code == 0  # what is there stays
    assert (files(team), files(home)) == there
    assert synapse("uninstall", "--client", client).code == 0
    assert (files(team), files(home)) == before


@pytest.mark.parametrize(("client", "scope"), FILES)
@pytest.mark.parametrize("mine", [{}, MINE], ids=["nothing", "something"])
def test_it_switches_between_the_kinds(
    synapse: Synapse, team: Path, client: str, scope: str, mine: dict[str, str]
) -> None:
    for name in FILES[client, scope]:
        key = name.removeprefix("~/")
        if key in mine:
            place_of(name, team).parent.mkdir(exist_ok=True)
            place_of(name, team).write_text(mine[key])
    home = Path(os.environ["HOME"])
    start = files(team), files(home)
    words = ("install", "--client", client, "--scope", scope)
    hooks, servers = (place_of(name, team) for name in FILES[client, scope])
    synapse(*words)
    by_command = json.loads(hooks.read_text())
    synapse(*words, "--via", "mcp")
    assert "synapse-hooks" in servers.read_text()
    assert synapse(*words, "--via", "command").code == 0
    assert json.loads(hooks.read_text()) == by_command
    assert not servers.exists() or "synapse-hooks" not in servers.read_text()
    synapse("uninstall")
    assert (files(team), files(home)) == start


def test_the_other_server_of_ours_stays(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--mcp", "--via", "mcp")
    synapse("install", "--client", "claude", "--via", "command")
    assert list(json.loads((team / ".mcp.json").read_text())["mcpServers"]) == ["synapse"]
    synapse("uninstall")
    assert not (team / ".mcp.json").exists()


def test_entries_that_were_edited_go_and_what_was_added_stays(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude,codex", "--via", "mcp")
    config = team / ".codex/config.toml"
    config.write_text(f'model = "x"\n{config.read_text()}enabled = false\n\n[other]\nx = 1\n')
    servers = json.loads((team / ".mcp.json").read_text())
    servers["mcpServers"]["other"] = {"command": "x"}
    (team / ".mcp.json").write_text(json.dumps(servers))
    synapse("uninstall")
    assert config.read_text() == 'model = "x"\n[other]\nx = 1\n'
    assert json.loads((team / ".mcp.json").read_text()) == {
        "mcpServers": {"other": {"command": "x"}}
    }


@pytest.mark.parametrize(
    ("said", "then", "why"),
    [
        ("2.1.117 (Claude Code)", "", "this is 2.1.117"),
        ("1.0.0", "", "this is 1.0.0"),
        ("nothing", "", "did not say"),
        ("2.1.330", "exit 3", "did not say"),
    ],
)
def test_a_client_that_could_not_read_it_is_refused_before_anything_is_written(
    synapse: Synapse, team: Path, programs: Path, said: str, then: str, why: str
) -> None:
    add_program(programs / "claude", said, then)
    before = files(team), files(Path(os.environ["HOME"]))
    for more in ((), ("--dry-run",)):
        done = synapse("install", "--client", "claude", "--via", "mcp", *more)
        assert done.code == 2 and why in done.err and "Nothing was written" in done.err
        assert "2.1.118" in done.err
    assert (files(team), files(Path(os.environ["HOME"]))) == before


def test_a_client_that_is_not_there_or_does_not_answer_is_refused(
    synapse: Synapse, team: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed_clients, "MAX_SECONDS", 0.1)
    add_program(programs / "claude", "2.1.330", "exec sleep 60")
    assert "did not say" in synapse("install", "--client", "claude", "--via", "mcp").err
    (programs / "claude").unlink()
    assert "did not say" in synapse("install", "--client", "claude", "--via", "mcp").err


def test_a_program_of_the_repository_is_not_asked_for_its_version(
    synapse: Synapse, team: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (programs / "claude").unlink()
    (team / "bin").mkdir()
    add_program(team / "bin/claude", "2.1.330", f"touch {team}/ran")
    monkeypatch.setenv("PATH", f"{team}/bin:.:/usr/bin:/bin")
    assert "did not say" in synapse("install", "--client", "claude", "--via", "mcp").err
    assert not (team / "ran").exists()


def test_what_cannot_be_is_refused(synapse: Synapse, team: Path) -> None:
    done = synapse("install", "--via", "mcp", "--client", "cursor")
    assert done.code == 2 and "Cursor calls no server as its hook" in done.err


def test_it_is_offered_in_every_scope_of_a_client_that_can() -> None:
    for name in ABLE:
        tool_hooks = CLIENTS[name].tool_hooks
        assert tool_hooks is not None
        assert {place.scope for place in tool_hooks.servers.places} == set(CLIENTS[name].scopes)


def test_the_server_of_one_person_in_a_project_stands_in_the_table_of_that_project(
    synapse: Synapse, team: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    (other / ".synapse").mkdir(parents=True)
    (other / ".synapse/manifest").write_text("GLOBAL_STATE=active\n")
    settings = place_of("~/.claude.json", team)
    settings.write_text(MINE[".claude.json"])
    synapse("install", "--client", "claude", "--scope", "user", "--via", "mcp")
    words = ("install", "--client", "claude", "--scope", "local", "--via", "mcp")
    for folder in (team, other):
        assert synapse(*words, "--root", str(folder)).code == 0
    document = json.loads(settings.read_text())
    assert set(document["projects"]) == {str(team), str(other)}
    for folder in (team, other):
        own = document["projects"][str(folder)]["mcpServers"]["synapse-hooks"]
        assert own["command"] == sys.executable and own["args"][-2:] == ["--scope", "local"]
    assert synapse("uninstall", "--scope", "local").code == 0
    document = json.loads(settings.read_text())
    assert set(document["projects"]) == {str(other)}
    assert "synapse-hooks" in document["mcpServers"]
    assert synapse("uninstall", "--root", str(other)).code == 0
    assert settings.read_text() == MINE[".claude.json"]


@pytest.mark.parametrize(("client", "scope"), FILES)
def test_it_is_recommended_where_the_version_of_the_client_allows_it(
    synapse: Synapse, team: Path, programs: Path, client: str, scope: str
) -> None:
    words = ("install", "--client", client, "--scope", scope)
    where = "" if scope == "project" else f" --scope {scope}"
    recommended = f"`synapse install --client {client}{where} --via mcp`"
    assert recommended in synapse(*words).err
    assert recommended not in synapse(*words, "--via", "command").err
    assert synapse(*words, "--via", "mcp").code == 0
    assert recommended not in synapse(*words).err
    assert synapse(*words, "--via", "command").code == 0
    add_program(programs / client, "0.168.9" if client == "codex" else "2.1.117")
    assert recommended not in synapse(*words).err


def test_another_server_of_the_name_stays(synapse: Synapse, team: Path) -> None:
    text = '{"mcpServers": {"synapse-hooks": {"command": "mine"}}}'
    (team / ".mcp.json").write_text(text)
    done = synapse("install", "--client", "claude", "--via", "mcp")
    assert done.code == 2 and "another server" in done.err
    assert (team / ".mcp.json").read_text() == text and not (team / ".claude").exists()


@pytest.mark.parametrize("mode", ["warn", "enforce", "off"])
def test_only_an_enforcing_guard_fails_closed_and_only_for_what_changes_something(
    synapse: Synapse, team: Path, mode: str
) -> None:
    (team / ".synapse/config.toml").write_text(f'[guard]\nmode = "{mode}"\n')
    synapse("install", "--client", "claude", "--via", "mcp")
    hooks = hooks_of(team / ".claude/settings.json")
    blocking = [(e, h) for e, found in hooks.items() for h in found if "onFailure" in h]
    if mode != "enforce":
        assert not blocking and len(hooks.get("PreToolUse", ())) == (mode == "warn")
        return
    ((event, hook),) = blocking
    assert (event, hook["onFailure"]) == ("PreToolUse", "block")
    closed, others = (re.compile(h["matcher"]) for h in hooks["PreToolUse"])
    for tool in ("Bash", "Write", "Edit", "NotebookEdit", "mcp__git__push"):
        assert closed.search(tool) and not others.search(tool)
    for tool in ("Read", "Grep", "BashOutput", "TodoWrite", "Task"):
        assert others.search(tool) and not closed.search(tool)


def test_people_are_told_what_it_means_for_others(synapse: Synapse, team: Path) -> None:
    said = synapse("install", "--client", "claude", "--via", "mcp").err
    assert "everybody who shares these settings needs 2.1.118 or later" in said
    assert "whoever declines it gets no rules" in said
    assert (
        "everybody"
        not in synapse("install", "--client", "claude", "--scope", "user", "--via", "mcp").err
    )
