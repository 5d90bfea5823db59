from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats import legacy_sessions
from tests.formats.test_session import documents, written, written_again

CARL: dict[str, Any] = {
    "uuid": "ex1",
    "started": "2026-11-21T20:46:22.468092",
    "cwd": "/p/app",
    "label": "p",
    "title": "Fix it",
    "prompt_count": 7,
    "last_activity": "2026-11-22T20:46:22",
    "overrides": {"DEVMODE": None, "GLOBAL_STATE": "inactive", "API_STATE": True},
    "last_context_signature": "b:CRITICAL|d:False|a:GLOBAL|m:API,DOCS|c:BRIEF",
}
AIOX: dict[str, Any] = {
    "sessionId": "session-1795293925465-abc",
    "startTime": 1795293925465,
    "lastActivity": 1795293926000,
    "workflowActive": "story_development",
    "workflowState": "validated",
    "lastCommands": ["validate-story-draft", "*develop"],
    "agentSequence": [
        {"agentId": "po", "agentName": "Pax", "activatedAt": 1795293925465},
        {"agentId": "dev", "agentName": "Dex", "activatedAt": 1795293925999},
    ],
    "taskHistory": [],
    "currentStory": "docs/stories/1.1.md",
}


def session_from_carl(data: dict[str, Any]) -> dict[str, Any]:
    return written(legacy_sessions.session_from_carl(data))


def session_from_aiox(data: dict[str, Any]) -> dict[str, Any]:
    return written(legacy_sessions.session_from_aiox(data))


def test_a_carl_session_keeps_what_it_counted_and_is_called() -> None:
    found = session_from_carl(CARL)
    assert (found["uuid"], found["cwd"], found["label"]) == ("ex1", "/p/app", "p")
    assert (found["title"], found["prompt_count"], found["schema_version"]) == ("Fix it", 7, "2.0")


def test_carls_local_times_are_taken_for_utc() -> None:
    found = session_from_carl(CARL)
    assert found["started"] == "2026-11-21T20:46:22.468Z"
    assert found["last_activity"] == "2026-11-22T20:46:22.000Z"


@pytest.mark.parametrize("time", ["2026-11-21T20:46:22+02:00", "2026-11-21T20:46:22Z", "soon"])
def test_a_time_with_a_zone_or_none_at_all_stays(time: str) -> None:
    assert session_from_carl({**CARL, "started": time})["started"] == time


def test_carls_overrides_become_what_they_say() -> None:
    assert session_from_carl(CARL)["overrides"] == {
        "DEVMODE": None,
        "GLOBAL_STATE": False,
        "API_STATE": True,
    }


def test_carls_signature_tells_bracket_domains_and_commands() -> None:
    found = session_from_carl(CARL)
    assert found["context"]["last_bracket"] == "CRITICAL"
    assert found["history"]["domains_loaded_last"] == ["GLOBAL", "API", "DOCS"]
    assert found["history"]["star_commands_used"] == ["brief"]


@pytest.mark.parametrize("signature", [None, "", 7, "garbage", "b:|a:none"])
def test_a_signature_that_says_nothing_changes_nothing(signature: object) -> None:
    found = session_from_carl({**CARL, "last_context_signature": signature})
    assert found["context"]["last_bracket"] == "FRESH"
    assert found["history"]["domains_loaded_last"] == []


def test_an_aiox_state_becomes_a_session() -> None:
    found = session_from_aiox(AIOX)
    assert (found["uuid"], found["schema_version"]) == ("session-1795293925465-abc", "2.0")
    assert found["started"] == "2026-11-21T20:45:25.465Z"
    assert found["active_agent"]["id"] == "dev"
    assert found["active_agent"]["activated_at"] == "2026-11-21T20:45:25.999Z"
    assert found["active_workflow"]["id"] == "story_development"
    assert found["active_workflow"]["current_phase"] == "validated"
    assert (found["active_task"]["id"], found["active_task"]["story"]) == (
        None,
        "docs/stories/1.1.md",
    )
    assert found["history"]["agents_activated"] == ["po", "dev"]
    assert found["history"]["star_commands_used"] == ["validate-story-draft", "develop"]


def test_the_older_aiox_state_becomes_a_session() -> None:
    found = session_from_aiox(
        {"currentSession": "s-7", "lastAgent": "qa", "lastWorkflow": {"id": "sdc"}}
    )
    assert (found["uuid"], found["active_agent"]["id"]) == ("s-7", "qa")
    assert found["active_workflow"]["id"] == "sdc"


def test_an_aiox_state_of_nulls_is_an_empty_session() -> None:
    found = session_from_aiox({"currentSession": None, "lastAgent": None, "lastWorkflow": None})
    assert (found["uuid"], found["active_agent"]["id"], found["active_workflow"]) == (
        "",
        None,
        None,
    )


def test_what_has_no_place_stays_under_its_name() -> None:
    assert session_from_aiox({**AIOX, "theirs": 1})["theirs"] == 1
    assert session_from_carl({**CARL, "theirs": 1})["theirs"] == 1


@given(st.integers(0, 10**14 - 1))
def test_milliseconds_are_told_as_the_calendar_has_them(milliseconds: int) -> None:
    epoch = datetime.datetime(1970, 1, 1)
    moment = epoch + datetime.timedelta(milliseconds=milliseconds)
    found = session_from_aiox({"sessionId": "s", "startTime": milliseconds})
    assert found["started"] == moment.isoformat(timespec="milliseconds") + "Z"


@given(documents, st.dictionaries(st.sampled_from([*AIOX, *CARL]), st.none() | st.text()))
def test_any_object_becomes_a_session(data: dict[str, Any], more: dict[str, Any]) -> None:
    for convert in (session_from_carl, session_from_aiox):
        found = convert({**data, **more})
        assert repr(written_again(found)) == repr(found)
