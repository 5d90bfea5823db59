from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from synapse_ls.formats.session_file import SessionState
from synapse_ls.integrations.hook_commands import hook_command
from synapse_ls.storage import session_changes
from synapse_ls.storage.session_store import SessionStore
from synapse_ls.text.fast_json import dumps
from tests.cli.conftest import Synapse
from tests.trees import write_tree


def test_every_part_has_its_line(synapse: Synapse, team: Path, snapshot: SnapshotAssertion) -> None:
    done = synapse("status", "--remaining", "42.5%")
    assert (done.code, done.err) == (0, "")
    assert done.out.replace(str(team), "ROOT") == snapshot


def test_json_is_stable(synapse: Synapse, team: Path, snapshot: SnapshotAssertion) -> None:
    report = synapse("status", "--format", "json").json
    assert report.pop("root") == str(team)
    assert report == snapshot


def test_a_session_brings_its_agent(synapse: Synapse, team: Path) -> None:
    def change(session: SessionState) -> None:
        session_changes.record_prompt(session, "Refund twice", time.time())
        session_changes.activate_agent(session, "dev", now=time.time())

    store = SessionStore(str(team / ".synapse/sessions"))
    store.update("s-1", change, cwd=str(team), now=time.time())
    done = synapse("status", "--session", "current")
    assert "agent     @dev (from the session)\n" in done.out
    assert "session   s-1 “Refund twice” · 1 prompt, active just now\n" in done.out


def test_the_current_session_is_pointed_out(synapse: Synapse, team: Path) -> None:
    store = SessionStore(str(team / ".synapse/sessions"))
    store.update("s-1", lambda _: None, cwd=str(team), now=time.time())
    assert "a new one (the current one is s-1: --session current)" in synapse("status").out


def test_sessions_that_cannot_be_read_hide_nothing_else(synapse: Synapse, team: Path) -> None:
    (team / ".synapse/sessions").write_text("a file where the folder should be")
    done = synapse("status")
    assert (done.code, "tree has" in done.out) == (0, True)
    assert "session   a new one · Cannot read " in done.out


def test_what_is_wrong_with_the_configuration_is_noted(synapse: Synapse, team: Path) -> None:
    (team / ".synapse/config.toml").write_text('[guard]\nmode = "enforced"\n')
    for _ in range(2):  # from the files, and from the cache
        assert 'note: .synapse/config.toml: `"enforced"` is not a value of `guard.mode`, so ' in (
            synapse("status").err
        )


def test_a_registered_hook_is_found(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude")
    assert (
        "hook      registered in .claude/settings.json; last delivered: never\n"
        in synapse("status").out
    )


@pytest.mark.parametrize("command", ["status", "domains", "check", "context", "explain"])
def test_an_empty_tree_says_what_to_do(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    (tmp_path / "new/.synapse").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "new")
    assert "note: the tree is empty: run `synapse init`\n" in synapse(command).err


def test_a_title_is_quoted(synapse: Synapse, team: Path) -> None:
    store = SessionStore(str(team / ".synapse/sessions"))
    store.update("s-1", lambda s: setattr(s, "title", "Refund twice"), cwd="", now=time.time())
    assert "(the current one is “Refund twice”: --session current)" in synapse("status").out


def test_a_hook_that_cannot_be_called_is_told(synapse: Synapse, team: Path) -> None:
    line = hook_command(
        "claude", "Stop", "local", python="/gone/python", script="/gone/synapse_ls/hook.py"
    )
    handler = {"type": "command", "command": line}
    settings = {"hooks": {"Stop": [{"hooks": [handler]}]}}
    write_tree(team, {".claude/settings.json": dumps(settings)})
    done = synapse("status")
    for missing in ("/gone/python", "/gone/synapse_ls/hook.py"):
        told = f"note: the hook in .claude/settings.json calls {missing}, which does not exist\n"
        assert done.err.count(told) == 1
    assert len(synapse("status", "--format", "json").json["notes"]) == 2


def test_settings_that_are_no_json_are_told_with_their_place(synapse: Synapse, team: Path) -> None:
    write_tree(team, {".claude/settings.json": '{\n  "hooks": oops\n}\n'})
    assert (
        "note: .claude/settings.json:2:12 is no JSON that Claude Code reads: expected a value\n"
        in (synapse("status").err)
    )


def test_workflow_and_phase_are_told_as_the_block_spells_them(synapse: Synapse, team: Path) -> None:
    done = synapse("status", "--session", work(team, "story-development-cycle", "review"))
    assert (
        "workflow  story-development-cycle (story_development), phase qa_review (from the session)\n"
        in done.out
    )


def work(root: Path, workflow: str, phase: str) -> str:
    """The id of a session that is at work on a phase of a workflow."""

    def change(session: SessionState) -> None:
        session_changes.set_workflow(session, workflow, phase, time.time())

    SessionStore(str(root / ".synapse/sessions")).update("s-1", change, cwd="", now=time.time())
    return "s-1"


def test_the_debug_view_is_not_taken_for_a_block_over_its_budget(
    synapse: Synapse, team: Path
) -> None:
    tokens = synapse("status", "--format", "json").json["tokens"]
    (team / ".synapse/config.toml").write_text(
        f'profile = "tight"\n[profiles.tight.brackets.FRESH]\nbudget = {tokens}\n'
    )
    manifest = team / ".synapse/manifest"
    manifest.write_text(f"{manifest.read_text()}DEVMODE=true\n")
    told = synapse("status").out
    assert "over the budget" not in told
    assert f"of {tokens} tokens, the debug view outside of the budget\n" in told


def test_an_agent_can_be_named(synapse: Synapse, team: Path) -> None:
    assert "\nagent     @dev (given)\n" in synapse("status", "--agent", "dev").out


def test_a_block_that_nothing_bounds_reaches_no_limit(synapse: Synapse, team: Path) -> None:
    rules = "".join(f"GLOBAL_RULE_{i}=Rule {i} {'x' * 90}\n" for i in range(60))
    (team / ".synapse/global").write_text(rules)
    for command in ("status", "explain"):
        assert re.search(
            r"\nblock +\d+ tokens \(no limit\)\n", synapse(command, "--profile", "synapse-live").out
        )
