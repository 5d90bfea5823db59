"""Where a client calls our server as its hook: the doctor calls it, too."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.setup.doctor import server_probe
from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import agreed_to, codes, doctor, replace_program, settings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="programs of a shell"),
]
in_forks = pytest.mark.usefixtures("forks")
"""What is not about how a hook or server starts."""

VERSIONS = {"claude": "2.1.330 (Claude Code)", "codex": "codex-cli 0.169.0"}


@pytest.fixture(autouse=True)
def clients(computer: None, tmp_path: Path) -> None:
    for name, version in VERSIONS.items():
        program = tmp_path / "bin" / name
        program.write_text(f"#!/bin/sh\necho '{version}'\n")
        program.chmod(0o755)


def install(synapse: Synapse, client: str = "claude", *more: str) -> None:
    assert synapse("install", "--client", client, "--via", "mcp", *more).code == 0


def test_it_calls_the_server_and_times_both_ways(synapse: Synapse, team: Path) -> None:
    install(synapse)
    document = synapse("doctor", "--client", "claude", "--runs", "3", "--format", "json").json
    (found,) = document["clients"]
    assert document["ok"] and found["canary"]["ok"], document["troubles"]
    assert "[GLOBAL]" in found["canary"]["text"]
    assert not found["rivals"]
    kinds = {one["event"]: one["via"] for one in found["registrations"]}
    assert (kinds["UserPromptSubmit"], kinds["SessionStart"]) == ("mcp", "command")
    assert found["guard"] == [{"scope": "project", "ok": True}]
    assert found["latency"]["runs"] == found["command_latency"]["runs"] == 3
    assert found["latency"]["median_ms"] < found["command_latency"]["median_ms"]
    assert [(s["protocol"], s["ok"]) for s in found["servers"]] == [("hooks", True)]


def test_it_says_what_happens_where_the_server_is_declined(synapse: Synapse, team: Path) -> None:
    install(synapse)
    done = synapse("doctor", "--client", "claude", "--runs", "2")
    assert "declined" in done.out and "gets no rules" in done.out
    pair = r"(?:fastest of 2 calls|as a command, the fastest) took ([\d.]+) ms, ([\d.]+) × a bare interpreter \(([\d.]+) ms\)"
    for took, ratio, start in re.findall(pair, done.out):
        assert float(ratio) == pytest.approx(float(took) / float(start), abs=0.051)
    assert len(re.findall(pair, done.out)) == 2


@in_forks
def test_it_says_where_a_client_starts_no_other_server(synapse: Synapse, team: Path) -> None:
    note = synapse("install", "--client", "codex", "--via", "mcp", "--scope", "user").err
    assert "Codex starts the server synapse-hooks once in a session; if it ends" in note
    said = "Codex does not start synapse-hooks again within a session: where it was killed"
    assert said in synapse("doctor", "--client", "codex", "--runs", "0").out
    install(synapse)
    assert "again within a session" not in synapse("doctor", "--client", "claude").out


def test_a_registration_by_command_has_one_latency(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude")
    document = synapse("doctor", "--client", "claude", "--runs", "1", "--format", "json").json
    assert document["clients"][0]["command_latency"] is None
    assert "declined" not in synapse("doctor", "--client", "claude", "--runs", "0").out


@in_forks
@pytest.mark.parametrize("where", ["settings", "state"])
def test_a_server_that_was_declined_is_an_error(synapse: Synapse, team: Path, where: str) -> None:
    install(synapse)
    said = {"disabledMcpjsonServers": ["synapse-hooks"]}
    if where == "settings":
        settings(team, ".claude/settings.local.json", said)
    else:
        settings(Path(os.environ["HOME"]), ".claude.json", {"projects": {str(team): said}})
    document = doctor(synapse, "--client", "claude")
    assert "declined-server" in codes(document, "claude") and not document["ok"]


@in_forks
@pytest.mark.parametrize(
    ("state", "told"),
    [
        (None, ["unapproved-server"]),
        ({"enabledMcpjsonServers": []}, ["unapproved-server"]),
        ({"enabledMcpjsonServers": ["other"]}, ["unapproved-server"]),
        ({"enabledMcpjsonServers": ["synapse-hooks"]}, []),
        ({"hasTrustDialogAccepted": False}, ["unapproved-server", "untrusted-folder"]),
        (
            {"enabledMcpjsonServers": ["synapse-hooks"], "hasTrustDialogAccepted": False},
            ["untrusted-folder"],
        ),
        ({"disabledMcpjsonServers": ["synapse-hooks"]}, ["declined-server"]),
    ],
)
def test_a_server_that_nobody_has_approved_is_a_warning(
    synapse: Synapse, team: Path, state: dict[str, Any] | None, told: list[str]
) -> None:
    install(synapse)
    if state is not None:
        settings(Path(os.environ["HOME"]), ".claude.json", {"projects": {str(team): state}})
    document = doctor(synapse, "--client", "claude")
    assert codes(document, "claude") == told
    assert document["ok"] is ("declined-server" not in told)


@in_forks
@pytest.mark.parametrize(
    "said", [{"enableAllProjectMcpServers": True}, {"enabledMcpjsonServers": ["synapse-hooks"]}]
)
def test_settings_may_approve_the_server(
    synapse: Synapse, team: Path, said: dict[str, Any]
) -> None:
    install(synapse)
    settings(team, ".claude/settings.local.json", said)
    assert codes(doctor(synapse, "--client", "claude"), "claude") == []


def test_nobody_is_asked_about_the_server_of_a_user(synapse: Synapse, team: Path) -> None:
    install(synapse, "claude", "--scope", "user", "--trust")
    assert codes(doctor(synapse, "--client", "claude"), "claude") == []


@in_forks
@pytest.mark.parametrize(
    ("client", "version", "severity"),
    [("claude", "2.0.9 (Claude Code)", "error"), ("codex", "codex-cli 0.168.2", "warning")],
)
def test_a_client_that_is_older_than_its_settings_is_told(
    synapse: Synapse, team: Path, tmp_path: Path, client: str, version: str, severity: str
) -> None:
    install(synapse, client)
    agreed_to(team, Path(os.environ["HOME"]))
    assert "old-client" not in codes(doctor(synapse, "--client", client), client)
    (tmp_path / "bin" / client).write_text(f"#!/bin/sh\necho '{version}'\n")
    document = doctor(synapse, "--client", client)
    (trouble,) = (t for t in document["troubles"] if t["code"] == "old-client")
    assert trouble["severity"] == severity and document["ok"] is (severity == "warning")
    assert "this is " in trouble["sentence"]
    assert f"synapse install --via command --client {client}" in trouble["remedy"]
    (tmp_path / "bin" / client).unlink()
    assert "old-client" not in codes(doctor(synapse, "--client", client), client)


def test_codex_may_have_it_switched_off(synapse: Synapse, team: Path) -> None:
    agreed_to(team, Path(os.environ["HOME"]))
    install(synapse, "codex", "--scope", "user")
    config = Path(os.environ["HOME"], ".codex/config.toml")
    config.write_text(config.read_text() + "enabled = false\n")
    document = doctor(synapse, "--client", "codex")
    assert "declined-server" in codes(document, "codex") and not document["ok"]


def test_a_server_that_is_not_registered_is_an_error(synapse: Synapse, team: Path) -> None:
    install(synapse)
    (team / ".mcp.json").unlink()
    document = doctor(synapse, "--client", "claude")
    (trouble,) = (t for t in document["troubles"] if t["code"] == "silent-hook")
    assert "synapse-hooks is not registered in .mcp.json" in trouble["sentence"]
    assert "synapse install --via mcp" in trouble["remedy"]


@pytest.mark.parametrize(
    ("script", "why"),
    [("exit 3", "ended with exit code 3"), ("sleep 60", "no answer within"), ("echo x", "no JSON")],
)
def test_the_server_that_the_client_would_start_is_started(
    synapse: Synapse,
    team: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    why: str,
) -> None:
    install(synapse)
    file = team / ".claude/settings.json"
    file.write_text(file.read_text().replace('"timeout": 5', '"timeout": 1'))
    hooks = replace(server_probe.HOOKS_PROTOCOL, patience=1)
    monkeypatch.setattr(server_probe, "HOOKS_PROTOCOL", hooks)
    replace_program(tmp_path, f'[ "$1" = hook-server ] && {script}\nexit 0')
    document = doctor(synapse, "--client", "claude")
    (trouble,) = (t for t in document["troubles"] if t["code"] == "silent-hook")
    assert why in trouble["sentence"] and not document["ok"]
    assert f"Run `{tmp_path}/bin/synapse-ls hook-server --client claude`" in trouble["remedy"]
    (server,) = document["clients"][0]["servers"]
    assert not server["ok"] and "guard-in-the-way" not in codes(document, "claude")


@pytest.mark.parametrize("client", VERSIONS)
def test_status_finds_the_server_where_it_is(
    synapse: Synapse, team: Path, tmp_path: Path, client: str
) -> None:
    install(synapse, client)
    assert synapse("status", "--format", "json").json["delivery"]["problem"] is None
    (tmp_path / "bin/synapse-ls").unlink()
    (said,) = [one for one in synapse("status").err.splitlines() if "cannot be started" in one]
    assert "Install synapse-ls outside of the project" in said


def test_where_there_is_no_program_that_is_what_is_to_be_installed(
    synapse: Synapse, team: Path, tmp_path: Path
) -> None:
    install(synapse)
    (tmp_path / "bin/synapse-ls").unlink()
    found = doctor(synapse, "--client", "claude")["troubles"]
    told = {t["code"]: t["remedy"] for t in found}
    assert told["silent-hook"] == told["silent-server"]
    assert told["silent-hook"].startswith("Install synapse-ls outside of the project")


def test_an_edited_server_is_unknown_and_the_remedy_leads_out(synapse: Synapse, team: Path) -> None:
    install(synapse)
    file = team / ".mcp.json"
    file.write_text(file.read_text().replace('"hook-server"', '"hook-servers"'))
    document = doctor(synapse, "--client", "claude")
    (trouble,) = (t for t in document["troubles"] if t["code"] == "unknown-line")
    remedy = "Take synapse-hooks out of .mcp.json, then run `synapse install --via mcp"
    assert (trouble["path"], trouble["line"]) == (".mcp.json", 3)
    assert trouble["remedy"].startswith(remedy)
    assert not any("not registered" in t["sentence"] for t in document["troubles"])
    refused = synapse("install", "--client", "claude", "--via", "mcp")
    assert refused.code == 2 and "Take it out, or give it another name." in refused.err
    file.unlink()
    install(synapse)
    assert "unknown-line" not in codes(doctor(synapse, "--client", "claude"), "claude")


def test_nothing_that_stands_in_the_settings_is_run(synapse: Synapse, team: Path) -> None:
    install(synapse)
    found = json.loads((team / ".mcp.json").read_text())
    server = found["mcpServers"]["synapse-hooks"]
    evil = team / "evil" / "synapse-ls"
    evil.parent.mkdir()
    evil.write_text(f"#!/bin/sh\ntouch {team}/ran\n")
    evil.chmod(0o755)
    server["command"] = str(evil)
    server["args"].append("; touch ran")
    (team / ".mcp.json").write_text(json.dumps(found))
    document = doctor(synapse, "--client", "claude")
    assert "unknown-line" in codes(document, "claude") and not document["ok"]
    assert not (team / "ran").exists()


@in_forks
def test_a_guard_that_no_longer_enforces_is_not_registered_as_it_would_be(
    synapse: Synapse, team: Path
) -> None:
    config = team / ".synapse/config.toml"
    config.write_text('[guard]\nmode = "enforce"\n')
    install(synapse)
    assert "outdated-registration" not in codes(doctor(synapse, "--client", "claude"), "claude")
    config.write_text('[guard]\nmode = "warn"\n')
    assert "outdated-registration" in codes(doctor(synapse, "--client", "claude"), "claude")
    install(synapse)
    assert "outdated-registration" not in codes(doctor(synapse, "--client", "claude"), "claude")
