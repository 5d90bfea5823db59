from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.formats.session_file import SessionState
from synapse_ls.storage import session_changes
from synapse_ls.storage.session_store import SessionStore
from tests.cli.conftest import Synapse

HOUR = 3600.0


@pytest.fixture
def store(team: Path) -> SessionStore:
    """Two sessions: one that is going on, and one of last month."""
    found = SessionStore(str(team / ".synapse/sessions"))
    for session_id, prompt, age in (("4f1c-a", "Refund twice", 0.1), ("4f1d-b", "Old story", 700)):
        at = time.time() - age * HOUR
        with found.transaction(session_id, cwd=str(team), now=at) as transaction:
            session_changes.record_prompt(transaction.session, prompt, at)
            transaction.commit()
    return found


def document(store: SessionStore, session_id: str = "4f1c-a") -> dict[str, Any]:
    session = store.load(session_id)
    assert session is not None
    return session.to_document()


def test_the_latest_session_is_first(synapse: Synapse, store: SessionStore) -> None:
    assert synapse("session", "list").out == (
        "id      last activity  prompts  bracket  agent  title\n"
        "4f1c-a  6 min ago            1  FRESH    -      Refund twice\n"
        "4f1d-b  29 d ago             1  FRESH    -      Old story\n"
    )


def test_a_moment_that_the_clock_has_yet_to_reach_is_not_just_now(
    synapse: Synapse, store: SessionStore, team: Path
) -> None:
    at = time.time() + 49 * HOUR
    with store.transaction("4f1e-c", cwd=str(team), now=at) as transaction:
        session_changes.record_prompt(transaction.session, "Ahead", at)
        transaction.commit()
    assert "4f1e-c  2 d from now" in synapse("session", "list").out
    assert "(2 d from now)" in synapse("session", "show", "4f1e").out


def test_the_list_as_json(synapse: Synapse, store: SessionStore) -> None:
    first = synapse("session", "list", "--format", "json").json[0]
    assert first.pop("last_activity").endswith("Z")
    assert first.pop("label")
    assert first == {
        "id": "4f1c-a",
        "title": "Refund twice",
        "prompts": 1,
        "bracket": "FRESH",
        "agent": None,
        "file": ".synapse/sessions/4f1c-a.json",
        "problem": None,
    }


def test_no_sessions_is_an_answer(synapse: Synapse, team: Path) -> None:
    done = synapse("session", "list")
    assert done.code == 0
    assert done.out.startswith("There are no sessions yet")


def test_a_file_that_is_no_session_is_pointed_out(synapse: Synapse, store: SessionStore) -> None:
    (Path(store.folder) / "broken.json").write_text("{")
    done = synapse("session", "list")
    assert "broken" not in done.out
    assert "broken.json" in done.err


@pytest.mark.parametrize("given", ["4f1c-a", "4f1c", "current"])
def test_a_session_is_found_by(synapse: Synapse, store: SessionStore, given: str) -> None:
    assert "session   4f1c-a\n" in synapse("session", "show", given).out


def test_a_beginning_of_several_is_refused(synapse: Synapse, store: SessionStore) -> None:
    done = synapse("session", "show", "4f1")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith('error: "4f1" is the beginning of 2 sessions: 4f1c-a, 4f1d-b.')


def test_a_session_that_does_not_exist_is_an_error(synapse: Synapse, store: SessionStore) -> None:
    done = synapse("session", "show", "x")
    assert done.code == 2
    assert done.err.startswith('error: There is no session "x".')


def test_show_as_json_is_the_document(synapse: Synapse, store: SessionStore) -> None:
    assert synapse("session", "show", "4f1c", "--format", "json").json == json.loads(
        json.dumps(document(store))
    )


def test_show_and_status_name_the_same_work(
    synapse: Synapse, store: SessionStore, team: Path
) -> None:
    (team / ".aiox").mkdir()
    (team / ".aiox/cycle-1-state.yaml").write_text(
        "workflow_id: story-development-cycle\nworkflow_name: Cycle\ninstance_id: cycle-1\n"
        "target_context: core\nstarted_at: '2026-01-01T00:00:00Z'\n"
        "updated_at: '2026-01-01T00:00:00Z'\nstatus: active\ncurrent_phase: development\n"
        "current_step_index: 0\nsteps:\n"
        "  - phase: development\n    agent: dev\n    task: pay\n    status: in_progress\n"
    )

    def work_lines(*command: str) -> list[list[str]]:
        words = [line.split() for line in synapse(*command).out.splitlines()]
        return [line for line in words if line[0] in ("agent", "workflow", "task", "squad")]

    shown = work_lines("session", "show", "4f1c")
    assert "pay" in str(shown)
    assert shown == work_lines("status", "--session", "4f1c")


def test_show_survives_odd_fields(synapse: Synapse, store: SessionStore) -> None:
    path = Path(store.folder) / "4f1c-a.json"
    odd = {**document(store), "windows": {"x": 3}, "overrides": {"A": None}, "active_task": "pay"}
    odd["context"] = {**odd["context"], "compactions": "many", "last_context_percent": "low"}
    path.write_text(json.dumps(odd))
    done = synapse("session", "show", "4f1c")
    assert done.code == 0
    assert "task       pay (from the session)\n" in done.out


def test_set_is_what_the_next_prompt_is_answered_with(
    synapse: Synapse, store: SessionStore
) -> None:
    done = synapse("session", "set", "current", "agent=@dev", "TESTING_STATE=off", "DEVMODE=on")
    assert (done.code, done.err) == (0, "")
    report = synapse("explain", "--session", "current", "--format", "json", "coverage").json
    assert report["agent"] == {"id": "dev", "source": "session"}
    [testing] = [d for d in report["domains"] if d["label"] == "TESTING"]
    assert testing["reason"] == (
        "switched off for this session; L6 is inactive in FRESH until MODERATE (40–60% left)"
    )


def test_set_all_fields(synapse: Synapse, store: SessionStore) -> None:
    fields = ["workflow=story_development", "phase=qa_review", "task=pay", "story=S-1", "squad=etl"]
    synapse("session", "set", "current", *fields)
    session = document(store)
    assert session["active_workflow"]["current_phase"] == "qa_review"
    assert session["active_task"]["story"] == "S-1"
    assert session["active_squad"]["name"] == "etl"


def test_a_phase_moves_the_workflow_that_is_active(synapse: Synapse, store: SessionStore) -> None:
    synapse("session", "set", "current", "workflow=story_development")
    synapse("session", "set", "current", "phase=qa_review")
    workflow = document(store)["active_workflow"]
    assert (workflow["id"], workflow["current_phase"]) == ("story_development", "qa_review")


FIELDS = ("agent", "workflow", "task", "story", "squad")


@pytest.mark.parametrize("field", FIELDS)
def test_none_of_anything_is_given_without_a_notice(
    field: str, synapse: Synapse, store: SessionStore
) -> None:
    done = synapse("context", f"--{field}", "none")
    assert (done.code, done.err) == (0, "")


def test_none_clears_a_field_without_a_notice(synapse: Synapse, store: SessionStore) -> None:
    synapse("session", "set", "current", "workflow=story_development", "agent=dev", "task=pay")
    done = synapse("session", "set", "current", "workflow=none", "agent=none", "task=none")
    assert (done.code, done.err) == (0, "")
    session = document(store)
    assert session["active_agent"]["id"] is None
    assert (session["active_workflow"], session["active_task"]) == (None, None)


def test_an_empty_value_clears(synapse: Synapse, store: SessionStore) -> None:
    synapse("session", "set", "current", "agent=dev", "task=pay", "TESTING_STATE=off")
    synapse("session", "set", "current", "agent=", "task=", "TESTING_STATE=")
    session = document(store)
    assert session["active_agent"]["id"] is None
    assert session["active_task"] is None
    assert session["overrides"] == {}


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("agnt=dev", "Did you mean agent?"),
        ("colour=red", "Set agent, workflow, phase, task, story, squad, DEVMODE"),
        ("agent", "Write agent=VALUE, or agent= to clear it."),
        ("DEVMODE=maybe", 'DEVMODE is switched on or off, not "maybe".'),
        ("TESTNG_STATE=off", "Did you mean TESTING?"),
        ("CONSTITUTION_STATE=off", "the constitution applies whatever its state says."),
        ("phase=qa_review", "Set workflow=… as well."),
        ("story=S-1", "Set task=… as well."),
    ],
)
def test_what_cannot_be_set_changes_nothing(
    synapse: Synapse, store: SessionStore, assignment: str, told: str
) -> None:
    before = document(store)
    done = synapse("session", "set", "current", "squad=etl", assignment)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert document(store) == before


def test_an_agent_nobody_knows_is_set_with_a_note(synapse: Synapse, store: SessionStore) -> None:
    done = synapse("session", "set", "current", "agent=nobody")
    assert done.code == 0
    assert done.err == "note: no domain or definition is known for agent @nobody\n"


def test_a_domain_that_is_marked_non_negotiable_cannot_be_switched_off(
    synapse: Synapse, store: SessionStore, team: Path
) -> None:
    manifest = team / ".synapse/manifest"
    manifest.write_text(manifest.read_text() + "GUARDRAILS_NON_NEGOTIABLE=true\n")
    done = synapse("session", "set", "current", "guardrails_state=off")
    assert done.code == 2
    assert "it is marked GUARDRAILS_NON_NEGOTIABLE in .synapse/manifest." in done.err
    assert synapse("session", "set", "current", "GUARDRAILS_STATE=on").code == 0


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        (["workflow=nobody"], 'note: no workflow is called "nobody"\n'),
        (["workflow=story_developmnt"], '(did you mean "story_development"?)'),
        (["workflow=sdc", "phase=qa_revew"], 'is called "qa_revew" (did you mean "qa_review"?)'),
    ],
)
def test_a_workflow_or_phase_nobody_knows_is_set_with_a_note(
    synapse: Synapse, store: SessionStore, fields: list[str], told: str
) -> None:
    done = synapse("session", "set", "current", *fields)
    assert done.code == 0
    assert told in done.err


def test_names_that_something_goes_by_are_set_without_a_note(
    synapse: Synapse, store: SessionStore, team: Path
) -> None:
    definition = team / ".aiox-core/development/workflows/release-train.yaml"
    definition.parent.mkdir(parents=True)
    definition.write_text("workflow:\n  id: release-train\n  sequence: []\n")
    for fields in (["workflow=release_train"], ["workflow=sdc", "phase=implement"]):
        assert synapse("session", "set", "current", *fields).err == ""


def test_reset_has_everything_told_again(synapse: Synapse, store: SessionStore) -> None:
    def tell(session: SessionState) -> None:
        session.open_window("claude").standing = {"[GLOBAL]": {"x": "GLOBAL_RULE_0"}}
        session_changes.record_compaction(session, time.time())

    store.update("4f1c-a", tell, cwd="", now=time.time())
    synapse("session", "set", "current", "agent=dev")
    assert synapse("session", "reset", "current").code == 0
    session = document(store)
    assert "windows" not in session and session["prompt_count"] == 0
    assert "compactions" not in session["context"]
    assert session["active_agent"]["id"] == "dev"


def test_clean_archives_what_is_stale(synapse: Synapse, store: SessionStore) -> None:
    done = synapse("session", "clean")
    assert (done.code, done.out) == (0, "4f1d-b\n1 session archived.\n")
    assert (Path(store.folder) / "archive/4f1d-b.json").exists()


def test_a_dry_run_of_clean_moves_nothing(synapse: Synapse, store: SessionStore) -> None:
    done = synapse("session", "clean", "--hours", "0", "--dry-run")
    assert done.out == "4f1c-a\n4f1d-b\n2 sessions would be archived.\n"
    assert not (Path(store.folder) / "archive").exists()


def test_clean_goes_by_the_configuration(synapse: Synapse, store: SessionStore, team: Path) -> None:
    (team / ".synapse/config.toml").write_text("[session]\nstale_hours = 1000\n")
    assert synapse("session", "clean").out == "0 sessions archived.\n"


@pytest.mark.parametrize("hours", ["-1", "nan"])
def test_hours_are_a_length_of_time(synapse: Synapse, store: SessionStore, hours: str) -> None:
    done = synapse("session", "clean", f"--hours={hours}")
    assert done.code == 2
    assert "hours is no length of time." in done.err


def test_sessions_of_carl_are_migrated_and_back(synapse: Synapse, team: Path) -> None:
    (team / ".carl/sessions").mkdir(parents=True)
    carl = {"uuid": "c-1", "started": "2026-01-02T03:04:05", "cwd": str(team), "prompt_count": 3}
    carl["last_activity"] = carl["started"]
    (team / ".carl/sessions/c-1.json").write_text(json.dumps(carl))
    planned = synapse("session", "migrate", "--dry-run")
    assert planned.out.endswith("1 session would be converted.\n")
    done = synapse("session", "migrate")
    assert done.code == 0
    assert "1 session converted; the backup is " in done.out
    assert (team / ".synapse/sessions/c-1.json").exists()
    undone = synapse("session", "migrate", "--rollback")
    assert undone.out.endswith("Rolled back.\n")
    assert not (team / ".synapse/sessions/c-1.json").exists()


def test_a_rollback_without_a_migration_is_an_error(synapse: Synapse, team: Path) -> None:
    done = synapse("session", "migrate", "--rollback")
    assert done.code == 2
    assert done.err.startswith("error: There is no migration to roll back")


def test_a_long_id_does_not_widen_the_list(synapse: Synapse, store: SessionStore) -> None:
    store.update("x" * 90, lambda _: None, cwd="", now=time.time())
    out = synapse("session", "list").out
    assert f"{'x' * 35}…  " in out
    assert max(map(len, out.splitlines())) < 100


def test_show_has_a_percentage_for_people(synapse: Synapse, store: SessionStore) -> None:
    def change(session: SessionState) -> None:
        session.context.percent_left = 42.456

    store.update("4f1c-a", change, cwd="", now=time.time())
    shown = synapse("session", "show", "current").out
    assert ": 42.5% of the context window left when last measured\n" in shown
