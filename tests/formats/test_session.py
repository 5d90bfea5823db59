from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats import session_file
from synapse_ls.formats.session_file import SessionState, detect_schema, parse

NOW = "2026-11-21T20:46:22.468Z"
FIELDS = [
    "uuid",
    "schema_version",
    "started",
    "last_activity",
    "cwd",
    "label",
    "title",
    "prompt_count",
    "active_agent",
    "active_workflow",
    "active_squad",
    "active_task",
    "context",
    "overrides",
    "history",
]


def written(session: SessionState | None) -> dict[str, Any]:
    """A session as its file has it."""
    assert session is not None
    document: dict[str, Any] = json.loads(json.dumps(session.to_document()))
    return document


def new() -> dict[str, Any]:
    return written(session_file.new_session("s1", "/home/me/app", NOW))


def written_again(data: dict[str, Any]) -> dict[str, Any]:
    """What any object is as a session."""
    return written(SessionState(data))


def read(**changes: object) -> dict[str, Any]:
    found, problem = parse(json.dumps({**new(), **changes}))
    assert not problem
    return written(found)


def test_a_new_session_has_the_fields_of_the_reference_in_their_order() -> None:
    assert list(new()) == FIELDS


def test_a_new_session_begins_with_nothing() -> None:
    assert new() == {
        "uuid": "s1",
        "schema_version": "2.0",
        "started": NOW,
        "last_activity": NOW,
        "cwd": "/home/me/app",
        "label": "app",
        "title": None,
        "prompt_count": 0,
        "active_agent": {"id": None, "activated_at": None, "activation_quality": None},
        "active_workflow": None,
        "active_squad": None,
        "active_task": None,
        "context": {"last_bracket": "FRESH", "last_tokens_used": 0, "last_context_percent": 100},
        "overrides": {},
        "history": {
            "star_commands_used": [],
            "domains_loaded_last": [],
            "agents_activated": [],
        },
    }


@pytest.mark.parametrize(
    ("cwd", "label"), [("C:\\work\\app\\", "app"), ("/", ""), ("app", "app"), ("", "")]
)
def test_the_label_is_the_folders_name(cwd: str, label: str) -> None:
    assert session_file.new_session("s", cwd, NOW).label == label


def test_what_was_written_is_read_unchanged() -> None:
    found, problem = parse(json.dumps(new()))
    assert (written(found), problem) == (new(), "")


def test_unknown_fields_and_the_order_of_fields_stay() -> None:
    data = {"theirs": {"deep": [1, None]}, **new(), "last": 1.5}
    data["context"]["theirs"] = "x"
    found, problem = parse(json.dumps(data))
    assert (list(written(found)), problem) == (list(data), "")
    assert written(found) == data


def test_a_missing_field_is_filled() -> None:
    data = new()
    del data["context"], data["history"]["agents_activated"]
    session, _ = parse(json.dumps(data))
    found = written(session)
    assert found["context"]["last_bracket"] == "FRESH"
    assert found["history"]["agents_activated"] == []


@pytest.mark.parametrize(
    ("field", "wrong", "right"),
    [
        ("uuid", 7, ""),
        ("title", ["x"], None),
        ("prompt_count", "3", 3),
        ("prompt_count", 3.0, 3),
        ("prompt_count", -1, 0),
        ("prompt_count", True, 0),
        ("prompt_count", None, 0),
        ("prompt_count", float("nan"), 0),
        ("overrides", [], {}),
        ("active_workflow", [], None),
        ("active_task", 7, None),
    ],
)
def test_a_field_of_a_wrong_type_is_repaired(field: str, wrong: object, right: object) -> None:
    found = read(**{field: wrong})[field]
    assert (type(found), found) == (type(right), right)


def test_inner_fields_of_a_wrong_type_are_repaired() -> None:
    found = read(
        active_agent={"id": 7, "theirs": 1},
        context={"last_bracket": None, "last_tokens_used": "x", "last_context_percent": 59.5},
        history={"star_commands_used": ["brief", 1], "domains_loaded_last": "GLOBAL"},
    )
    assert found["active_agent"] == {
        "id": None,
        "theirs": 1,
        "activated_at": None,
        "activation_quality": None,
    }
    assert found["context"] == {
        "last_bracket": "FRESH",
        "last_tokens_used": 0,
        "last_context_percent": 59.5,
    }
    assert found["history"]["star_commands_used"] == ["brief"]
    assert found["history"]["domains_loaded_last"] == []


def test_plain_words_in_the_place_of_objects_are_lifted() -> None:
    found = read(active_agent="dev", active_workflow="sdc", active_squad="etl", active_task="t1")
    assert found["active_agent"]["id"] == "dev"
    assert found["active_workflow"]["id"] == "sdc"
    assert found["active_workflow"]["current_phase"] is None
    assert (found["active_squad"]["name"], found["active_squad"]["domains_loaded"]) == ("etl", [])
    assert (found["active_task"]["id"], found["active_task"]["story"]) == ("t1", None)


def test_an_older_schema_is_read_as_todays_and_told() -> None:
    found, problem = parse('{"uuid": "s1", "schema_version": "1.0", "prompt_count": 4, "x": 1}')
    document = written(found)
    assert (document["schema_version"], document["prompt_count"], document["x"]) == ("2.0", 4, 1)
    assert problem == "has the older schema 1.0"


def test_a_session_of_carl_is_read_and_told() -> None:
    found, problem = parse('{"uuid": "s1", "prompt_count": 4, "overrides": {}}')
    assert (written(found)["prompt_count"], "CARL" in problem) == (4, True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not JSON"),
        ('{"uuid": "s1", "prompt', "is not JSON"),
        ("[" * 200_000, "is not JSON"),
        ("null", "holds no JSON object"),
        ("[1]", "holds no JSON object"),
        ("{}", "holds no session"),
        ('{"uuid": "s1", "schema_version": "3.0"}', "has the schema 3.0"),
        ('{"currentSession": null, "lastAgent": null}', "AIOX"),
    ],
)
def test_what_is_no_session_gives_a_reason(text: str, reason: str) -> None:
    found, problem = parse(text)
    assert found is None
    assert reason in problem


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"schema_version": "2.0"}, "synapse-2.0"),
        ({"schema_version": 2}, "synapse-2.0"),
        ({"schema_version": "1.3", "uuid": "s"}, "synapse-1"),
        ({"uuid": "s", "active_agent": None}, "synapse-1"),
        ({"uuid": "s", "overrides": {}, "last_context_signature": "b:FRESH"}, "carl"),
        ({"sessionId": "session-1", "agentSequence": []}, "aiox"),
        ({"currentSession": None, "lastAgent": None, "lastWorkflow": None}, "aiox"),
        ({"schema_version": "9.9", "uuid": "s"}, "unknown"),
        ({"uuid": "s"}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_shapes_are_told_apart(data: dict[str, Any], expected: str) -> None:
    assert detect_schema(data) == expected


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
documents = st.dictionaries(
    st.sampled_from([*FIELDS, "theirs", "sessionId"]) | st.text(max_size=4), values
)


@given(documents)
def test_any_object_becomes_a_session_that_is_one(data: dict[str, Any]) -> None:
    once = written_again(data)
    assert set(FIELDS) <= set(once)
    assert detect_schema(once) == "synapse-2.0"
    assert repr(written_again(once)) == repr(once)


@given(documents)
def test_nothing_that_is_unknown_is_lost(data: dict[str, Any]) -> None:
    once = written_again(data)
    for key in data.keys() - set(FIELDS):
        assert repr(once[key]) == repr(data[key])


@given(st.text() | documents.map(json.dumps))
def test_any_text_is_a_session_or_has_a_reason(text: str) -> None:
    found, problem = parse(text)
    assert found is not None or problem


def test_the_module_imports_next_to_nothing() -> None:
    package = str(Path(session_file.__file__).parent.parent.parent)
    code = (
        f"import sys; sys.path.append({package!r}); before = set(sys.modules); "
        "from synapse_ls.formats import session_file; session_file.parse('{}'); "
        "print(*(m for m in set(sys.modules) - before if not m.startswith('synapse_ls')))"
    )
    command = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"__future__", "_json"}
