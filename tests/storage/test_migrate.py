"""Conversion of the sessions of other tools, and the way back."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.formats.session_file import SessionState
from synapse_ls.formats.session_values import parse_switch
from synapse_ls.setup import session_conversion as migration
from synapse_ls.setup.migrate.migration_rollback import roll_back_migration
from synapse_ls.setup.session_conversion import (
    convert_sessions,
    plan_conversion,
    rollback_conversion,
)
from synapse_ls.storage.session_changes import record_prompt
from synapse_ls.storage.session_store import SessionStore, format_timestamp
from synapse_ls.text.user_error import UserError

NOW = 1_795_294_000.0
CARL = {
    "uuid": "ex1",
    "started": "2026-11-21T20:46:22.468092",
    "cwd": "/p",
    "label": "p",
    "title": None,
    "prompt_count": 3,
    "last_activity": "2026-11-21T20:47:22.468092",
    "overrides": {"DEVMODE": None, "GLOBAL_STATE": "inactive", "API_STATE": True},
    "last_context_signature": "b:CRITICAL|d:False|a:GLOBAL|m:API|c:BRIEF",
}
AIOX = {
    "sessionId": "session-1700000000000-abc123def",
    "startTime": 1_795_290_000_000,
    "lastActivity": 1_795_291_000_000,
    "workflowActive": None,
    "workflowState": None,
    "lastCommands": ["*develop"],
    "agentSequence": [{"agentId": "dev", "agentName": "Dex", "activatedAt": 1_795_290_500_000}],
    "taskHistory": [],
    "currentStory": "docs/stories/1.story.md",
}
OLD = {"uuid": "old", "schema_version": "1.0", "prompt_count": 9, "theirs": [1]}
AGENT = {
    "id": "qa",
    "activated_at": format_timestamp(NOW),
    "activation_quality": "full",
    "source": "uap",
}


def put(root: Path, path: str, content: object) -> None:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    data = content if isinstance(content, bytes) else json.dumps(content, indent=1).encode()
    target.write_bytes(data)


def tree(root: Path) -> dict[str, bytes]:
    """Every file with its bytes; locks and the .gitignore are no sessions."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.suffix != ".lock" and path.name != ".gitignore"
    }


def session(root: Path, session_id: str) -> dict[str, Any]:
    loaded = SessionStore(str(root / ".synapse" / "sessions")).load(session_id)
    assert loaded is not None
    return loaded.to_document()


def prompt(root: Path, session_id: str) -> None:
    SessionStore(str(root / ".synapse" / "sessions")).update(
        session_id, lambda s: record_prompt(s, "go on", NOW), cwd="/p", now=NOW
    )


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A root with a session of every kind."""
    put(tmp_path, ".carl/sessions/ex1.json", CARL)
    put(tmp_path, ".aiox/session-state.json", AIOX)
    put(tmp_path, ".synapse/sessions/old.json", OLD)
    return tmp_path


def test_a_root_without_sessions_needs_nothing(tmp_path: Path) -> None:
    done = convert_sessions(str(tmp_path), now=NOW)
    assert (done.steps, done.skipped, done.backup) == ((), (), "")
    assert list(tmp_path.iterdir()) == []


def test_a_plan_changes_nothing(mixed: Path) -> None:
    before = tree(mixed)
    plan = plan_conversion(str(mixed))
    assert [(step.kind, step.session_id) for step in plan.steps] == [
        ("older", "old"),
        ("carl", "ex1"),
        ("aiox", AIOX["sessionId"]),
    ]
    assert tree(mixed) == before
    assert {path.name for path in (mixed / ".synapse" / "sessions").iterdir()} == {"old.json"}


def test_a_carl_session_is_converted(mixed: Path) -> None:
    convert_sessions(str(mixed), now=NOW)
    s = session(mixed, "ex1")
    assert (s["schema_version"], s["prompt_count"], s["label"]) == ("2.0", 3, "p")
    assert parse_switch(SessionState(s).overrides.get("GLOBAL_STATE")) is False
    assert parse_switch(SessionState(s).overrides.get("API_STATE")) is True
    assert parse_switch(SessionState(s).overrides.get("DEVMODE")) is None


@pytest.mark.skipif(sys.platform == "win32", reason="no tzset")
def test_the_local_time_of_carl_becomes_utc(mixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/Sao_Paulo")
    time.tzset()
    try:
        convert_sessions(str(mixed), now=NOW)
        assert session(mixed, "ex1")["started"] == "2026-11-21T23:46:22.468Z"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_an_aiox_session_is_converted(mixed: Path) -> None:
    convert_sessions(str(mixed), now=NOW)
    s = session(mixed, "session-1700000000000-abc123def")
    assert s["active_agent"]["id"] == "dev"
    assert s["started"] == format_timestamp(1_795_290_000)
    assert s["history"]["star_commands_used"] == ["develop"]


def test_an_older_schema_is_converted_in_place(mixed: Path) -> None:
    convert_sessions(str(mixed), now=NOW)
    s = session(mixed, "old")
    assert (s["schema_version"], s["prompt_count"], s["theirs"]) == ("2.0", 9, [1])


def test_the_files_of_other_tools_are_not_changed(mixed: Path) -> None:
    before = tree(mixed)
    convert_sessions(str(mixed), now=NOW)
    after = tree(mixed)
    for path in (".carl/sessions/ex1.json", ".aiox/session-state.json"):
        assert after[path] == before[path]


def test_the_backup_holds_what_is_replaced_byte_for_byte(mixed: Path) -> None:
    before = tree(mixed)[".synapse/sessions/old.json"]
    backup = Path(convert_sessions(str(mixed), now=NOW).backup)
    assert before in tree(backup / "before").values()


def test_a_second_migration_does_nothing_more(mixed: Path) -> None:
    convert_sessions(str(mixed), now=NOW)
    before = tree(mixed)
    again = convert_sessions(str(mixed), now=NOW)
    assert (again.steps, again.backup) == ((), "")
    assert {reason for _, reason in again.skipped} == {
        ".synapse/sessions/ex1.json is there already",
        ".synapse/sessions/session-1700000000000-abc123def.json is there already",
    }
    assert tree(mixed) == before


def test_a_session_of_ours_is_never_replaced_by_one_of_carl(tmp_path: Path) -> None:
    put(tmp_path, ".carl/sessions/ex1.json", CARL)
    prompt(tmp_path, "ex1")
    assert convert_sessions(str(tmp_path), now=NOW).steps == ()
    assert session(tmp_path, "ex1")["prompt_count"] == 1


def test_the_id_of_a_carl_session_cannot_leave_the_folder(tmp_path: Path) -> None:
    root = tmp_path / "a" / "b"
    put(root, ".carl/sessions/evil.json", {**CARL, "uuid": "../../../evil"})
    convert_sessions(str(root), now=NOW)
    assert {path.name for path in tmp_path.iterdir()} == {"a"}
    assert session(root, "../../../evil")["prompt_count"] == 3


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        (".carl/sessions/x.json", b"{", "is not JSON"),
        (".carl/sessions/x.json", b"\xff", "is not JSON"),
        (".carl/sessions/x.json", [1], "holds no JSON object"),
        (".carl/sessions/x.json", {"other": 1}, "holds no session of CARL"),
        (".aios/session-state.json", {"currentSession": None, "lastAgent": None}, "no session of"),
        (".synapse/sessions/x.json", b"null", "holds no JSON object"),
        (".synapse/sessions/_active-agent.json", {"id": None}, "names no agent"),
        (".synapse/sessions/_active-agent.json", AGENT, "there is no session"),
    ],
)
def test_what_cannot_be_converted_is_left_with_a_reason(
    tmp_path: Path, path: str, content: object, reason: str
) -> None:
    put(tmp_path, path, content)
    before = tree(tmp_path)
    result = convert_sessions(str(tmp_path), now=NOW)
    assert result.steps == ()
    assert result.skipped[0][0] == path
    assert reason in result.skipped[0][1]
    assert tree(tmp_path) == before


def test_the_agent_without_a_session_goes_to_the_latest_one(tmp_path: Path) -> None:
    prompt(tmp_path, "s1")
    put(tmp_path, ".synapse/sessions/_active-agent.json", AGENT)
    assert [step.kind for step in convert_sessions(str(tmp_path), now=NOW).steps] == ["agent"]
    s = session(tmp_path, "s1")
    assert s["active_agent"] == {key: AGENT[key] for key in AGENT if key != "source"}
    assert s["prompt_count"] == 1


def test_a_session_with_an_agent_keeps_it(mixed: Path) -> None:
    put(mixed, ".synapse/sessions/_active-agent.json", AGENT)
    put(mixed, ".carl/sessions/ex1.json", {**CARL, "last_activity": "2020-01-01T00:00:00"})
    result = convert_sessions(str(mixed), now=NOW)
    assert "has an agent of its own" in dict(result.skipped)[migration.ACTIVE_AGENT]


def test_an_agent_that_was_activated_before_the_session_is_not_its_agent(tmp_path: Path) -> None:
    prompt(tmp_path, "s1")
    agent = {**AGENT, "activated_at": "2020-01-01T00:00:00Z"}
    put(tmp_path, ".synapse/sessions/_active-agent.json", agent)
    assert convert_sessions(str(tmp_path), now=NOW).steps == ()


def test_a_rollback_brings_every_byte_back(mixed: Path) -> None:
    prompt(mixed, "s1")
    put(mixed, ".synapse/sessions/_active-agent.json", AGENT)
    before = tree(mixed)
    convert_sessions(str(mixed), now=NOW)
    assert tree(mixed) != before
    steps = {(step.action, step.path) for step in rollback_conversion(str(mixed))}
    assert tree(mixed) == before
    assert ("restored", ".synapse/sessions/old.json") in steps
    assert ("removed", ".synapse/sessions/ex1.json") in steps


@pytest.mark.parametrize("session_id", ["ex1", "old"])
def test_a_session_used_since_stops_the_whole_rollback(mixed: Path, session_id: str) -> None:
    convert_sessions(str(mixed), now=NOW)
    prompt(mixed, session_id)
    before = tree(mixed)
    with pytest.raises(UserError, match=rf"Not rolled back: .*{session_id}\.json changed after"):
        rollback_conversion(str(mixed))
    assert tree(mixed) == before


def test_a_rollback_goes_through_once_the_changed_session_is_moved_away(mixed: Path) -> None:
    before = tree(mixed)
    convert_sessions(str(mixed), now=NOW)
    prompt(mixed, "old")
    (mixed / ".synapse" / "sessions" / "old.json").rename(mixed.parent / "moved.json")
    rollback_conversion(str(mixed))
    assert tree(mixed) == before


def test_a_rollback_is_done_once(mixed: Path) -> None:
    convert_sessions(str(mixed), now=NOW)
    rollback_conversion(str(mixed))
    with pytest.raises(UserError, match="no migration to roll back"):
        rollback_conversion(str(mixed))


def test_two_migrations_are_rolled_back_from_the_last_to_the_first(mixed: Path) -> None:
    first = tree(mixed)
    convert_sessions(str(mixed), now=NOW)
    put(mixed, ".carl/sessions/ex2.json", {**CARL, "uuid": "ex2"})
    second = tree(mixed)
    convert_sessions(str(mixed), now=NOW)
    rollback_conversion(str(mixed))
    assert tree(mixed) == second
    rollback_conversion(str(mixed))
    added = ".carl/sessions/ex2.json"
    assert tree(mixed) == {**first, added: second[added]}


def test_a_rolled_back_migration_can_be_made_again(mixed: Path) -> None:
    convert_sessions(str(mixed), now=NOW)
    after = tree(mixed)
    rollback_conversion(str(mixed))
    convert_sessions(str(mixed), now=NOW)
    assert tree(mixed) == after


def test_a_damaged_backup_is_noticed(mixed: Path) -> None:
    backup = Path(convert_sessions(str(mixed), now=NOW).backup)
    for copy in (backup / "before").iterdir():
        copy.write_bytes(b"damaged")
    before = tree(mixed)
    with pytest.raises(UserError, match="missing or damaged"):
        rollback_conversion(str(mixed))
    assert tree(mixed) == before


def test_a_migration_of_the_tree_is_not_rolled_back_with_sessions(mixed: Path) -> None:
    convert_sessions(str(mixed), now=NOW)
    with pytest.raises(UserError, match="There is no migration of"):
        roll_back_migration(mixed)
