"""Lines of settings: compared with what the installation writes, and never run."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import synapse_ls
from synapse_ls.integrations.client_settings import LOCAL, PROJECT, USER
from synapse_ls.integrations.hook_registrations import (
    CURRENT,
    OUTDATED,
    UNKNOWN,
    hook_state,
    server_state,
)
from synapse_ls.integrations.settings_registry import CLIENTS
from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import codes, doctor, settings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells"),
    pytest.mark.usefixtures("forks"),
]

OF_ANOTHER_PLACE = f'"{sys.executable}" -I -S "{Path(synapse_ls.__file__).with_name("hook.py")}" --event {{event}} --client {{client}}'
"""A line that is ours, but not as it would be written here now."""
WITH_LINES = ("claude", "vscode", "copilot", "cursor", "gemini", "codex", "antigravity")
"""Clients whose settings are JSON files with command lines."""
HOSTILE = (
    "id > x; {line}",
    "{line}; id > x",
    "{line} & id > x",
    "$(id > x) {line}",
    "{line}\nid > x",
    "./evil/synapse-ls hook --event {event} --client {client}",
    "./evil/synapse hook --event {event} --client {client} || echo {{}}",
    "synapse-ls hook --event {event} --client {client} --root . ; id > x",
    '"./evil/python" -I -S "/opt/synapse_ls/hook.py" --event {event} --client {client} --scope local',
    '"/usr/bin/python3" -I -S "evil/synapse_ls/hook.py" --event {event} --client {client}',
    '"$(id > x)/python3" -I -S "/opt/synapse_ls/hook.py" --event {event} --client {client}',
    "PATH=evil:$PATH synapse-ls hook --event {event} --client {client}",
)


def lines(client: str, scope: str = PROJECT, event: str = "") -> dict[str, str]:
    """The command lines that are written for an event, by their keys."""
    known = CLIENTS[client]
    entry = known.hook_entry(event or known.prompt, scope)
    hook = entry.get("hooks", [entry])[0]
    return {k: v for k, v in hook.items() if k in ("command", "bash", "powershell")}


def replace_lines(file: Path, change: Any) -> None:
    """Changes every command line of hooks in a settings file."""

    def walk(value: Any, event: str) -> None:
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(inner, dict | list):
                walk(inner, key if isinstance(key, str) and key != "hooks" else event)
            elif key in ("command", "bash", "powershell"):
                value[key] = change(inner, event)

    found = json.loads(file.read_text())
    walk(found, "")
    file.write_text(json.dumps(found, indent=2))


def make_earlier(client: str, team: Path) -> Path:
    """Turns the settings of an installation into those of another place."""
    word = "copilot" if client == "vscode" else client
    file = team / CLIENTS[client].places[0].path

    def change(line: str, event: str) -> str:
        return OF_ANOTHER_PLACE.format(event=event, client=word)

    replace_lines(file, change)
    return file


@pytest.fixture
def evil(team: Path) -> Path:
    """Programs of the repository that leave a mark, where lines and the search path lead to."""
    mark = team / "ran"
    for folder in ("evil", ".venv/bin", "node_modules/.bin", "."):
        (team / folder).mkdir(parents=True, exist_ok=True)
        for name in ("synapse", "synapse-ls", "python", "python3", "git"):
            (team / folder / name).write_text(f"#!/bin/sh\n: > '{mark}'\n")
            (team / folder / name).chmod(0o755)
    return mark


@pytest.mark.parametrize("form", HOSTILE)
@pytest.mark.parametrize("name", CLIENTS)
def test_an_edited_line_is_unknown(name: str, form: str) -> None:
    known = CLIENTS[name]
    word = "copilot" if name == "vscode" else name
    said = {
        key: form.format(line=line, event=known.prompt, client=word)
        for key, line in lines(name).items()
    }
    for scope in known.scopes:
        assert hook_state(known, known.prompt, scope, said) == UNKNOWN


@pytest.mark.parametrize("name", CLIENTS)
def test_what_is_written_now_is_current_and_another_place_outdated(name: str) -> None:
    known = CLIENTS[name].with_guard(True)
    word = "copilot" if name == "vscode" else name
    for event in known.events:
        for scope in known.scopes:
            assert hook_state(known, event, scope, lines(name, scope, event)) == CURRENT
        other = f'"/opt/python" -I -S "/opt/lib/synapse_ls/hook.py" --event {event} --client {word}'
        assert hook_state(known, event, PROJECT, {"command": other}) == OUTDATED
        shell = f"& {other}; if (-not $?) {{ '{{}}'; exit 0 }}"
        assert hook_state(known, event, PROJECT, {"powershell": shell}) == OUTDATED
        assert hook_state(known, event, USER, {"command": f"{other} --scope user"}) == OUTDATED


def test_a_line_for_another_event_or_client_is_unknown() -> None:
    claude = CLIENTS["claude"]
    assert hook_state(claude, "SessionStart", PROJECT, lines("claude")) == UNKNOWN
    assert hook_state(claude, claude.prompt, PROJECT, lines("codex")) == UNKNOWN
    assert hook_state(claude, claude.prompt, LOCAL, {}) == UNKNOWN


@pytest.mark.parametrize(
    ("command", "form"), [*(("doctor", form) for form in HOSTILE), ("diagnose", HOSTILE[0])]
)
def test_a_line_of_the_repository_is_not_run(
    synapse: Synapse, team: Path, evil: Path, command: str, form: str
) -> None:
    synapse("install", "--client", "claude")
    replace_lines(
        team / ".claude/settings.json",
        lambda line, event: form.format(line=line, event=event, client="claude"),
    )
    said = synapse(command, "--runs", "1")
    assert "not checked" in said.out
    assert not (team / "x").exists() and not evil.exists()


@pytest.mark.parametrize(
    ("command", "name"), [*(("doctor", name) for name in WITH_LINES), ("diagnose", "claude")]
)
def test_programs_of_the_repository_are_not_run_for_lines_of_ours(
    synapse: Synapse,
    team: Path,
    evil: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    command: str,
) -> None:
    inside = [".", "", "evil", str(team / ".venv/bin"), str(team / "node_modules/.bin")]
    monkeypatch.setenv("PATH", os.pathsep.join([*inside, os.environ["PATH"]]))
    synapse("install", "--client", name, "--mcp")
    synapse(command, "--runs", "1")
    make_earlier(name, team)
    synapse(command, "--runs", "1")
    assert not evil.exists()


def test_a_program_of_the_repository_does_not_count_as_found(
    synapse: Synapse, team: Path, evil: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synapse("install", "--client", "claude", "--mcp")
    monkeypatch.setenv("PATH", f".:{team / '.venv/bin'}:/usr/bin:/bin")
    found = doctor(synapse, "--client", "claude")
    assert codes(found, "claude") == ["silent-hook", "silent-server"]
    assert not found["ok"] and not evil.exists()


@pytest.mark.parametrize("name", WITH_LINES)
def test_lines_of_another_place_are_outdated_and_replaced(
    synapse: Synapse, team: Path, name: str
) -> None:
    synapse("install", "--client", name)
    file = team / CLIENTS[name].places[0].path
    written = file.read_bytes()
    make_earlier(name, team)
    document = doctor(synapse, "--client", name)
    (trouble,) = [t for t in document["troubles"] if t["code"] == "outdated-registration"]
    assert trouble["remedy"].startswith(f"Run `synapse install --client {name}")
    assert {r["state"] for r in document["clients"][0]["registrations"]} == {"outdated"}
    assert document["clients"][0]["canary"]["ok"]
    synapse("install", "--client", name)
    assert json.loads(file.read_bytes()) == json.loads(written)
    synapse("uninstall")
    assert not file.exists()


def test_what_was_there_before_an_outdated_line_comes_back(synapse: Synapse, team: Path) -> None:
    file = team / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text('{\n  "model": "x",\n  "permissions": { }\n}\n')
    own = file.read_text()
    synapse("install", "--client", "claude")
    make_earlier("claude", team)
    synapse("install", "--client", "claude")
    synapse("uninstall")
    assert json.loads(file.read_text()) == json.loads(own)


ENTRIES = [
    {"command": "./evil/synapse", "args": ["mcp"]},
    {"command": "evil/synapse-ls", "args": ["mcp"]},
    {"command": "synapse-ls", "args": ["mcp"], "env": {"PATH": "evil"}},
    {"command": "synapse-ls", "args": ["mcp"], "cwd": "evil"},
    {"command": "sh", "args": ["-c", "id > x; synapse mcp "]},
    {"command": "./evil/python", "args": ["-I", "-m", "synapse_ls", "mcp"]},
    {"command": sys.executable, "args": ["-c", "open('x', 'w')", "-m synapse_ls mcp "]},
    {"command": "synapse-ls", "args": "mcp "},
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: f"{e['command']} {e['args']}"[-40:])
def test_a_server_of_the_repository_is_not_started(
    synapse: Synapse, team: Path, evil: Path, entry: dict[str, Any]
) -> None:
    synapse("install", "--client", "claude")
    settings(team, ".mcp.json", {"mcpServers": {"synapse": entry}})
    patients = doctor(synapse, "--client", "claude", "--runs", "1")["clients"]
    servers = [server for patient in patients for server in patient["servers"]]
    assert all(s["state"] == "unknown" and not s["ok"] for s in servers)
    assert not (team / "x").exists() and not evil.exists()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: f"{e['command']} {e['args']}"[-40:])
def test_an_edited_server_is_unknown(entry: dict[str, Any]) -> None:
    for client in CLIENTS.values():
        for place in client.servers.places if client.servers else ():
            assert client.servers is not None
            assert server_state(client.servers, place.scope, entry) == UNKNOWN


def test_a_server_of_another_place_is_outdated_and_answers(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--mcp")
    assert shutil.which("synapse-ls")
    before = {"type": "stdio", "command": sys.executable, "args": ["-I", "-m", "synapse_ls", "mcp"]}
    settings(team, ".mcp.json", {"mcpServers": {"synapse": before}})
    document = doctor(synapse, "--client", "claude")
    (server,) = document["clients"][0]["servers"]
    assert (server["state"], server["ok"]) == ("outdated", True)
    assert codes(document, "claude") == ["outdated-registration"]


def test_a_name_with_a_back_tick_turns_no_code_span_inside_out(
    synapse: Synapse, team: Path
) -> None:
    (team / ".synapse/manifest").write_text("A`B=active\n")
    out = synapse("diagnose", "--format", "markdown").out
    assert "`A`B\\` is ignored" in out
    assert all(line.replace("\\`", "").count("`") % 2 == 0 for line in out.splitlines())
