from __future__ import annotations

import time
from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from synapse_ls.manage.settings import hook_settings
from synapse_ls.sessions import changes
from synapse_ls.sessions.store import SessionStore
from tests.cli.conftest import Synapse


def test_every_part_has_its_line(synapse: Synapse, team: Path, snapshot: SnapshotAssertion) -> None:
    done = synapse("status", "--remaining", "42.5%")
    assert (done.code, done.err) == (0, "")
    assert done.out.replace(str(team), "ROOT") == snapshot


def test_json_is_stable(synapse: Synapse, team: Path, snapshot: SnapshotAssertion) -> None:
    report = synapse("status", "--format", "json").json
    assert report.pop("root") == str(team)
    assert report == snapshot


def test_a_session_brings_its_agent(synapse: Synapse, team: Path) -> None:
    def change(session: dict[str, object]) -> None:
        changes.record_prompt(session, "Refund twice", time.time())
        changes.activate_agent(session, "dev", now=time.time())

    store = SessionStore(str(team / ".synapse/sessions"))
    store.update("s-1", change, cwd=str(team), now=time.time())
    done = synapse("status", "--session", "current")
    assert "agent     @dev (from the session)\n" in done.out
    assert "session   s-1 “Refund twice” · 1 prompt, active just now\n" in done.out


def test_the_current_session_is_pointed_out(synapse: Synapse, team: Path) -> None:
    store = SessionStore(str(team / ".synapse/sessions"))
    store.update("s-1", lambda _: None, cwd=str(team), now=time.time())
    assert "a new one (the current one is s-1: --session current)" in synapse("status").out


def test_a_registered_hook_is_found(synapse: Synapse, team: Path) -> None:
    from synapse_ls.text.json import dumps

    (team / ".claude").mkdir()
    (team / ".claude/settings.json").write_text(dumps(hook_settings("claude")))
    assert "hook      registered in .claude/settings.json\n" in synapse("status").out
