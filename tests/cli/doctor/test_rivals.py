"""Hooks that tell the same rules, and those of others."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import codes, doctor, settings

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells"),
    pytest.mark.usefixtures("forks"),
]


def test_two_registrations_under_one_client_are_told(synapse: Synapse, team: Path) -> None:
    for scope in ("project", "local"):
        synapse("install", "--client", "claude", "--scope", scope)
    assert codes(doctor(synapse), "claude") == ["double-registration"]


def test_vs_code_that_runs_claude_s_hooks_too_is_told(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--client", "vscode")
    assert codes(doctor(synapse), "vscode") == []
    settings(team, ".vscode/settings.json", {"chat.useClaudeHooks": True})
    assert codes(doctor(synapse), "vscode") == ["double-registration"]


def test_the_original_engine_tells_the_same_rules_twice(synapse: Synapse, team: Path) -> None:
    engine = {"type": "command", "command": "node .claude/hooks/synapse-engine.cjs"}
    settings(team, ".claude/settings.json", {"hooks": {"UserPromptSubmit": [{"hooks": [engine]}]}})
    synapse("install", "--client", "claude")
    assert codes(doctor(synapse), "claude") == [], "there is no such script"
    (team / ".claude/hooks").mkdir()
    (team / ".claude/hooks/synapse-engine.cjs").write_text("")
    document = doctor(synapse, "--client", "claude")
    (trouble,) = document["troubles"]
    assert (trouble["code"], trouble["severity"]) == ("rival-engine", "error")
    assert trouble["path"] == ".claude/settings.json" and "--replace" in trouble["remedy"]


def test_settings_of_the_user_count_once_in_the_home_folder(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synapse("install", "--client", "claude", "--scope", "user")
    monkeypatch.chdir(os.environ["HOME"])
    document = doctor(synapse, "--client", "claude")
    assert {r["scope"] for r in document["clients"][0]["registrations"]} == {"user"}


def test_hooks_of_others_are_listed(synapse: Synapse, team: Path) -> None:
    settings(
        team,
        ".github/hooks/other.json",
        {"version": 1, "hooks": {"userPromptSubmitted": [{"type": "command", "bash": "./mine"}]}},
    )
    synapse("install", "--client", "copilot")
    document = doctor(synapse, "--client", "copilot")
    (rival,) = document["clients"][0]["rivals"]
    assert (rival["path"], rival["line"], rival["command"]) == (
        ".github/hooks/other.json",
        1,
        "./mine",
    )
    assert codes(document, "copilot") == ["rival-hook"]


INLINE = {"hooks": {"userPromptSubmitted": [{"type": "command", "bash": "./mine"}]}}


TABLES = """\
model = "gpt-5"

[[hooks.UserPromptSubmit]]
[[hooks.UserPromptSubmit.hooks]]
type = "command"
command = './mine'
"""


SETS = {"mine": {"PreInvocation": [{"type": "command", "command": "./mine"}]}}


@pytest.mark.parametrize(
    ("client", "path", "text", "line"),
    [
        ("copilot", ".github/copilot/settings.json", json.dumps(INLINE), 1),
        ("codex", ".codex/config.toml", TABLES, 6),
        ("antigravity", ".agents/hooks.json", json.dumps(SETS, indent=1), 6),
        ("antigravity", "_agents/hooks.json", json.dumps(SETS), 1),
    ],
)
def test_hooks_of_others_are_found_wherever_the_client_reads_them(
    synapse: Synapse, team: Path, client: str, path: str, text: str, line: int
) -> None:
    (team / path).parent.mkdir(parents=True)
    (team / path).write_text(text)
    synapse("install", "--client", client)
    (rival,) = doctor(synapse, "--client", client)["clients"][0]["rivals"]
    assert (rival["path"], rival["line"], rival["command"]) == (path, line, "./mine")
