"""What ``synapse uninstall`` says of what it leaves in the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.storage.session_store import create_private_folder, ignore_in_git
from tests.cli.conftest import Synapse
from tests.trees import write_tree

CARL = {
    ".carl/manifest": "GLOBAL_STATE=active\nGLOBAL_ALWAYS_ON=true\n",
    ".carl/global": "GLOBAL_RULE_0=x\n",
}


def test_the_tree_is_said_to_stay(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude")
    write_tree(team, {".synapse/continuation/latest.md": "Go on.\n"})
    done = synapse("uninstall")
    assert "the rules in .synapse/ stay, with the sessions and notes beside them" in done.err


@pytest.mark.parametrize("kept", [False, True])
def test_a_folder_of_sessions_goes_where_only_our_gitignore_is_left(
    synapse: Synapse, team: Path, kept: bool
) -> None:
    synapse("install", "--client", "claude")
    sessions = team / ".synapse/sessions"
    create_private_folder(str(sessions), str(team))
    if kept:
        (sessions / ".gitignore").write_text("mine\n", "utf-8")
    done = synapse("uninstall")
    assert sessions.exists() == kept
    assert ("sessions and notes" in done.err) == kept
    assert "the rules in .synapse/ stay" in done.err


def test_sessions_that_stay_are_said_to_hold_words_of_prompts(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude")
    write_tree(team, {".synapse/sessions/s.json": "{}"})
    done = synapse("uninstall")
    assert (
        "each session holds words of a prompt, as its title; delete .synapse/sessions/" in done.err
    )


def test_notes_that_hooks_kept_in_another_tree_are_said_to_stay(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_tree(tmp_path / "carl", CARL)
    monkeypatch.chdir(root)
    synapse("install", "--client", "claude")
    write_tree(root, {".synapse/sessions/s.json": "{}"})
    assert "nothing needs it now" in synapse("uninstall").err


def test_nothing_is_said_while_another_client_calls_the_hook(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude,codex")
    assert "stay" not in synapse("uninstall", "--client", "codex").err


def test_an_empty_folder_goes(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    squad = {
        "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
        "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Idempotent steps\n",
    }
    root = write_tree(tmp_path / "squads-only", squad)
    monkeypatch.chdir(root)
    synapse("install", "--client", "claude", "--live")
    synapse("uninstall")
    assert not (root / ".synapse").exists()


def test_our_own_ignore_file_goes_where_nothing_is_left_that_it_is_for(
    synapse: Synapse, team: Path
) -> None:
    file = team / ".synapse/.gitignore"
    file.unlink(missing_ok=True)
    synapse("install", "--client", "claude")
    ignore_in_git(str(team / ".synapse/sessions"), str(team))
    assert file.exists()
    synapse("uninstall")
    assert not file.exists()


def test_an_ignore_file_of_the_person_s_own_stays(synapse: Synapse, team: Path) -> None:
    write_tree(team, {".synapse/.gitignore": "sessions/\n# mine\n" * 30})
    synapse("install", "--client", "claude")
    assert synapse("uninstall").code == 0
    assert (team / ".synapse/.gitignore").exists()
