"""``synapse sync``: what it says, and what it exits with."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse


def change_rules(team: Path) -> None:
    (team / ".synapse/global").write_text("GLOBAL_RULE_0=Write tiny functions\n", "utf-8")


def test_it_says_what_it_did_to_which_file(team: Path, synapse: Synapse) -> None:
    done = synapse("sync", "agents")
    assert done.code == 0
    assert done.out == "created  AGENTS.md  Codex and others\n"


def test_a_target_is_named_by_its_file_or_by_a_client(team: Path, synapse: Synapse) -> None:
    synapse("sync", "./GEMINI.md")
    synapse("sync", "--client", "codex")
    assert (team / "GEMINI.md").exists()
    assert (team / "AGENTS.md").exists()


def test_all_clients_have_all_files(team: Path, synapse: Synapse) -> None:
    report = synapse("sync", "--client", "all", "--dry-run", "--format", "json").json
    assert [one["target"] for one in report["targets"]] == [
        "cursor",
        "copilot",
        "agents",
        "claude",
        "gemini",
    ]
    assert not (team / "AGENTS.md").exists()


def test_a_client_without_such_a_file_is_refused(team: Path, synapse: Synapse) -> None:
    done = synapse("sync", "--client", "antigravity")
    assert done.code == 2
    assert "no file that can be written" in done.err


def test_an_unknown_target_is_refused(team: Path, synapse: Synapse) -> None:
    done = synapse("sync", "README.md")
    assert done.code == 2
    assert "Choose one of cursor, copilot, agents, claude, gemini." in done.err


def test_without_a_file_it_says_how_to_begin(team: Path, synapse: Synapse) -> None:
    done = synapse("sync")
    assert (done.code, done.out) == (0, "")
    assert "synapse sync agents" in done.err


def test_check_names_file_line_and_difference(team: Path, synapse: Synapse) -> None:
    synapse("sync", "agents")
    assert synapse("sync", "--check").code == 0
    change_rules(team)
    before = (team / "AGENTS.md").read_bytes()
    done = synapse("sync", "--check")
    line = before.decode().splitlines().index("- Write small functions") + 1
    assert done.code == 1
    assert done.out.startswith(f"AGENTS.md:{line} does not say what the rules say now\n")
    assert "\n-- Write small functions\n" in done.out
    assert "\n+- Write tiny functions\n" in done.out
    assert (team / "AGENTS.md").read_bytes() == before


def test_check_fails_where_somebody_has_edited(team: Path, synapse: Synapse) -> None:
    synapse("sync", "agents")
    file = team / "AGENTS.md"
    file.write_text(file.read_text("utf-8").replace("small", "large"), "utf-8")
    done = synapse("sync", "--check")
    assert done.code == 1
    assert "somebody has changed what `synapse sync` wrote" in done.err
    assert "--force" in done.err


def test_a_file_that_is_left_alone_fails(team: Path, synapse: Synapse) -> None:
    synapse("sync", "agents")
    file = team / "AGENTS.md"
    file.write_text(file.read_text("utf-8").replace("small", "large"), "utf-8")
    assert synapse("sync").code == 1
    assert synapse("sync", "--force").code == 0
    assert "small" in file.read_text("utf-8")


def test_json_has_every_file_with_its_difference(team: Path, synapse: Synapse) -> None:
    synapse("sync", "agents")
    change_rules(team)
    done = synapse("sync", "--check", "--format", "json")
    (file,) = done.json["files"]
    assert (done.code, done.json["ok"], done.json["applied"]) == (1, False, False)
    assert (file["path"], file["action"], file["drift"]) == ("AGENTS.md", "change", True)
    assert "+- Write tiny functions" in file["diff"]


def test_the_linter_names_a_file_that_is_out_of_date(team: Path, synapse: Synapse) -> None:
    synapse("sync", "agents")
    assert "SYN211" not in synapse("check").out
    change_rules(team)
    assert "SYN211" in synapse("check").out


def test_the_linter_leaves_other_files_for_agents_alone(team: Path, synapse: Synapse) -> None:
    (team / "AGENTS.md").write_bytes(b"\xff<<<<<<< HEAD\n\xe2\x80\xae")
    (team / "CLAUDE.md").symlink_to("/nowhere")
    report = synapse("check", "--format", "json").out
    assert "AGENTS.md" not in report
    assert "CLAUDE.md" not in report


def test_install_registers_the_language_server_with_copilot_cli(
    team: Path, synapse: Synapse
) -> None:
    done = synapse("install", "--client", "copilot", "--lsp", "--format", "json")
    assert ".github/lsp.json" in [file["path"] for file in done.json["files"]]
    before = (team / ".github/lsp.json").read_bytes()
    assert b'"": "synapse"' in before
    synapse("install", "--client", "copilot", "--lsp")
    assert (team / ".github/lsp.json").read_bytes() == before
    synapse("uninstall", "--client", "copilot")
    assert not (team / ".github").exists()


def test_other_language_servers_stay_registered(team: Path, synapse: Synapse) -> None:
    file = team / ".github/lsp.json"
    file.parent.mkdir()
    file.write_text('{"lspServers": {"go": {"command": "gopls"}}}\n', "utf-8")
    before = file.read_bytes()
    synapse("install", "--client", "copilot", "--lsp")
    assert b"gopls" in file.read_bytes()
    assert b"serve" in file.read_bytes()
    synapse("uninstall", "--client", "copilot")
    assert file.read_bytes() == before


def test_clients_that_cannot_start_the_language_server_are_refused(
    team: Path, synapse: Synapse
) -> None:
    done = synapse("install", "--client", "claude", "--lsp")
    assert done.code == 2
    assert "Only GitHub Copilot CLI" in done.err


def test_a_file_without_its_last_mark_is_told_which_one_and_holds_up_no_other(
    team: Path, synapse: Synapse
) -> None:
    synapse("sync", "agents", "gemini")
    agents = team / "AGENTS.md"
    broken = agents.read_text("utf-8").replace("<!-- synapse:end -->", "")
    agents.write_text(broken, "utf-8")
    change_rules(team)
    done = synapse("sync")
    assert done.code == 1
    assert "Put the marks right (`<!-- synapse:end -->` is the last)" in done.err
    assert agents.read_text("utf-8") == broken
    assert "tiny" in (team / "GEMINI.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("workspace", "told", "untold"),
    [
        (
            "plain",
            "## Identity\n\nYou keep the tide tables of the harbour office.\n\n## Constraints\n\n"
            "- Answer from the files of this repository only.\n- Say when a figure is a guess.\n\n"
            "## Units\n\n",
            "Check the date line",  # every third prompt
        ),
        (
            "brainiac",
            "## Core Identity\n\nYou are Mira, the assistant of the Portolan team",
            "Short-Term Memory",
        ),
    ],
)
def test_texts_that_are_always_told_are_written_as_they_are(
    workspace: str,
    told: str,
    untold: str,
    synapse: Synapse,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = shutil.copytree(
        Path(__file__).parent.parent / "workspaces" / workspace, tmp_path / "tree"
    )
    monkeypatch.chdir(root)
    assert synapse("sync", "agents").out == "created  AGENTS.md  Codex and others\n"
    text = (root / "AGENTS.md").read_text()
    assert told in text
    assert untold not in text
    assert synapse("sync", "--check").code == 0
    assert "SYN211" not in synapse("check", "--format", "concise").out
    assert synapse("sync", "--remove").code == 0
    assert not (root / "AGENTS.md").exists()
