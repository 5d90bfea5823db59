"""What can happen to a session."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.session_file import SessionState
from synapse_ls.formats.session_values import parse_switch
from synapse_ls.storage import session_changes
from synapse_ls.storage.session_store import format_timestamp
from tests.text.secret_lists import draw

NOW = 1_795_294_000.4684
ISO = "2026-11-21T20:46:40.468Z"
LATER = NOW + 60


CONTEXT = {"last_bracket": "FRESH", "last_tokens_used": 0, "last_context_percent": 100}


def session(**fields: Any) -> SessionState:
    return SessionState(fields)


def test_a_moment_is_written_in_utc_with_milliseconds() -> None:
    assert format_timestamp(NOW) == ISO


def test_a_moment_is_rounded_into_the_next_second() -> None:
    assert format_timestamp(0.9996) == "1970-01-01T00:00:01.000Z"


def test_a_prompt_is_counted_and_dated() -> None:
    s = session()
    session_changes.record_prompt(s, "go", NOW)
    session_changes.record_prompt(s, "go", NOW)
    assert (s.to_document()["prompt_count"], s.to_document()["last_activity"]) == (2, ISO)


def test_the_first_prompt_has_no_earlier_ones() -> None:
    s = session()
    assert s.prompts_since_compaction == 0
    session_changes.record_prompt(s, "go", NOW)
    assert s.prompts_since_compaction == 1


def test_a_compaction_starts_the_count_again() -> None:
    s = session()
    for _ in range(3):
        session_changes.record_prompt(s, "go", NOW)
    session_changes.record_compaction(s, NOW)
    session_changes.record_prompt(s, "go", NOW)
    assert s.to_document()["prompt_count"] == 4
    assert s.to_document()["context"] == {
        **CONTEXT,
        "prompts_since_compaction": 1,
        "compactions": 1,
    }


def test_a_session_of_another_tool_brings_its_prompts_along() -> None:
    s = session(prompt_count=7)
    session_changes.record_prompt(s, "go", NOW)
    assert s.prompts_since_compaction == 8


@pytest.mark.parametrize("broken", [None, "five", True, -3, [1]])
def test_a_count_that_is_none_begins_at_0(broken: object) -> None:
    s = session(prompt_count=broken, context={"compactions": broken})
    session_changes.record_prompt(s, "go", NOW)
    session_changes.record_compaction(s, NOW)
    assert (s.to_document()["prompt_count"], s.to_document()["context"]["compactions"]) == (1, 1)


def test_a_broken_context_is_made_anew() -> None:
    s = session(context=None)
    session_changes.record_prompt(s, "go", NOW)
    assert s.to_document()["context"] == {**CONTEXT, "prompts_since_compaction": 1}


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Fix the login bug", "Fix the login bug"),
        ("  Fix\n\tthe   login ", "Fix the login"),
        ("a b", "a b"),
        ("", None),
        ("   ", None),
        ("*review the code", None),
        ("  *review the code", None),
        ("refactor", None),
        ("ab", None),
        ("é \u200b", None),
        ("Rename \x1b[31mred\x1b[0m things", "Rename red things"),
        (
            "Implement user authentication with tokens in the login service",
            "Implement user authentication with tokens in the",
        ),
        (
            "Implement user authentication with tokens, exactly fifty",
            "Implement user authentication with tokens,",
        ),
        ("x" * 60 + " y", "x" * 50),
        ("Write \ud800 docs", "Write docs"),
    ],
)
def test_the_title_of_a_prompt(prompt: str, title: str | None) -> None:
    assert session_changes.title_of(prompt) == title


@pytest.mark.parametrize("length", range(940, 1000, 5))
def test_no_part_of_a_secret_behind_a_long_link_stands_in_a_title(length: int) -> None:
    link = "\x1b]8;;https://a.example/".ljust(length, "x")
    title = session_changes.title_of(f"Use {link}\x07gh{'p_'}{draw(36)}\x1b]8;;\x07 now")
    assert "gh" not in str(title)


@given(st.text(max_size=200))
def test_a_title_is_one_short_printable_line(prompt: str) -> None:
    title = session_changes.title_of(prompt)
    assert title is None or (1 <= len(title) <= 50 and title.isprintable())


def test_the_first_prompt_that_has_a_title_gives_it() -> None:
    s = session()
    for prompt in ("*help me", "hi", "Fix the login bug", "Write more tests"):
        session_changes.record_prompt(s, prompt, NOW)
    assert s.to_document()["title"] == "Fix the login bug"


@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        (True, True),
        (False, False),
        (None, None),
        ("active", True),
        ("inactive", False),
        (" Inactive ", False),
        ("false", False),
        ("TRUE", True),
        (1, True),
        (0, False),
        ("perhaps", None),
        ({}, None),
    ],
)
def test_an_override_counts_as_what_it_says(value: object, meaning: bool | None) -> None:
    assert (
        parse_switch(session(overrides={"API_STATE": value}).overrides.get("API_STATE")) is meaning
    )


@pytest.mark.parametrize("overrides", [None, [], "DEVMODE", {}])
def test_without_an_override_the_tree_decides(overrides: object) -> None:
    assert parse_switch(session(overrides=overrides).overrides.get("DEVMODE")) is None


def test_an_override_is_set_and_taken_away() -> None:
    s = session()
    session_changes.set_override(s, "DEVMODE", True)
    assert parse_switch(s.overrides.get("DEVMODE")) is True
    session_changes.set_override(s, "DEVMODE", None)
    assert s.to_document()["overrides"] == {}


def test_an_agent_is_activated_and_remembered() -> None:
    s = session()
    session_changes.activate_agent(s, "dev", now=NOW)
    session_changes.activate_agent(s, "qa", quality="partial", now=LATER)
    assert s.to_document()["active_agent"] == {
        "id": "qa",
        "activated_at": format_timestamp(LATER),
        "activation_quality": "partial",
    }
    assert s.to_document()["history"]["agents_activated"] == ["dev", "qa"]


def test_how_an_agent_was_brought_up_is_not_known_of_one_that_was_only_called() -> None:
    s = session()
    session_changes.activate_agent(s, "dev", now=NOW)
    assert s.to_document()["active_agent"]["activation_quality"] is None
    session_changes.activate_agent(s, "dev", quality="full", now=LATER)
    session_changes.activate_agent(s, "dev", now=LATER)
    assert s.to_document()["active_agent"]["activation_quality"] == "full"


def test_an_agent_that_stays_active_keeps_its_time() -> None:
    s = session()
    session_changes.activate_agent(s, "dev", now=NOW)
    session_changes.activate_agent(s, "dev", now=LATER)
    assert s.to_document()["active_agent"]["activated_at"] == ISO


def test_an_agent_is_dismissed() -> None:
    s = session()
    session_changes.activate_agent(s, "dev", now=NOW)
    session_changes.activate_agent(s, None, now=LATER)
    assert s.to_document()["active_agent"] == {
        "id": None,
        "activated_at": None,
        "activation_quality": None,
    }
    assert s.to_document()["history"]["agents_activated"] == ["dev"]


def test_a_workflow_moves_on_and_keeps_its_beginning_and_unknown_fields() -> None:
    s = session()
    session_changes.set_workflow(s, "story_development", None, NOW)
    document = s.to_document()
    document["active_workflow"]["theirs"] = 1
    s = SessionState(document)
    session_changes.set_workflow(s, "story_development", "qa", LATER)
    assert s.to_document()["active_workflow"] == {
        "id": "story_development",
        "instance_id": None,
        "current_step": None,
        "current_phase": "qa",
        "started_at": ISO,
        "theirs": 1,
    }


def test_an_instance_of_a_workflow_is_left_by_its_bare_name() -> None:
    s = session(active_workflow={"id": "w", "instance_id": "i1", "started_at": ISO})
    session_changes.set_workflow(s, "w", None, LATER)
    assert s.to_document()["active_workflow"]["started_at"] == format_timestamp(LATER)


def test_a_task_has_its_story() -> None:
    s = session()
    session_changes.set_task(s, "implement", "STORY-42", NOW)
    assert s.to_document()["active_task"] == {
        "id": "implement",
        "story": "STORY-42",
        "executor_type": None,
        "started_at": ISO,
    }


def test_workflow_and_task_end() -> None:
    s = session(active_workflow={"id": "w"}, active_task={"id": "t"})
    session_changes.set_workflow(s, None, None, NOW)
    session_changes.set_task(s, None, None, NOW)
    document = s.to_document()
    assert (document["active_workflow"], document["active_task"]) == (None, None)


def test_what_was_last_known_of_the_window_is_kept() -> None:
    s = session(context={"last_tokens_used": 5, "theirs": 1})
    session_changes.record_usage(s, "MODERATE", None, 55.5)
    assert s.to_document()["context"] == {
        "last_tokens_used": 5,
        "theirs": 1,
        "last_bracket": "MODERATE",
        "last_context_percent": 55.5,
    }


@given(st.lists(st.lists(st.sampled_from([f"c{i}" for i in range(80)]), max_size=60)))
def test_a_ledger_holds_each_once_and_its_most_recent(batches: list[list[str]]) -> None:
    s = session()
    for batch in batches:
        session_changes.record_star_commands(s, batch)
    kept = s.to_document()["history"].get("star_commands_used", [])
    assert len(kept) == len(set(kept)) <= session_changes.LEDGER_LENGTH
    if batches and batches[-1]:
        last = list(dict.fromkeys(batches[-1]))[-session_changes.LEDGER_LENGTH :]
        assert kept[-len(last) :] == last
