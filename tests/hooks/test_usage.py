"""Which source says how much of the window is left."""

from __future__ import annotations

from typing import Any

import pytest

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import DEFAULT, ESTIMATED, MEASURED, REPORTED
from synapse_ls.formats.session_file import SessionState
from synapse_ls.integrations.model_windows import measure_window_usage
from tests.trees import TEAM, plan_of

LINE = {"used": 300_000, "window": 1_000_000, "model": "claude-opus-5[1m]", "compactions": 0}
FIGURES = {"used": 50_000, "window": 200_000, "model": "claude-opus-5", "origin": "a transcript"}


@pytest.fixture
def plan() -> Plan:
    return plan_of(TEAM)


def configured(windows: str) -> Plan:
    return plan_of({**TEAM, ".synapse/config.toml": f"[usage]\nwindows = {windows}\n"})


def session(**context: Any) -> SessionState:
    return SessionState({"prompt_count": 4, "context": context})


def told(plan: Plan, *given: Any, **more: Any) -> tuple[str, int | None, int | None, str]:
    usage = measure_window_usage(plan, *given, **more)
    return usage.source, usage.used, usage.window, usage.origin


def test_a_given_percentage_comes_first(plan: Plan) -> None:
    assert told(plan, session(status_line=LINE), FIGURES, remaining=30)[0] == REPORTED


def test_figures_of_the_client_say_where_they_are_from(plan: Plan) -> None:
    assert told(plan, None, FIGURES) == (MEASURED, 50_000, 200_000, "a transcript")
    assert measure_window_usage(plan, None, FIGURES).source_label == "measured: a transcript"


def test_the_status_line_knows_the_window_of_the_same_model(plan: Plan) -> None:
    known = session(status_line=LINE)
    assert told(plan, known, FIGURES) == (MEASURED, 50_000, 1_000_000, "a transcript")
    other = {**FIGURES, "model": "claude-sonnet-4-5"}
    assert told(plan, known, other) == (MEASURED, 50_000, 200_000, "a transcript")


def test_the_status_line_is_believed_where_the_client_says_nothing_else(plan: Plan) -> None:
    usage = told(plan, session(status_line=LINE, usage={"used": 7, "window": 9}))
    assert usage == (MEASURED, 300_000, 1_000_000, "Claude Code's status line")


def test_what_the_status_line_told_before_a_compaction_is_out_of_date(plan: Plan) -> None:
    known = session(status_line=LINE, compactions=1, prompts_since_compaction=2)
    assert told(plan, known)[0] == ESTIMATED


@pytest.mark.parametrize("line", [None, 3, {}, {"window": 0}, {"window": True}, {"window": "1M"}])
def test_a_note_that_is_none_is_not_believed(line: object, plan: Plan) -> None:
    assert told(plan, session(status_line=line), FIGURES)[2] == 200_000


def test_figures_kept_in_the_session_come_next(plan: Plan) -> None:
    kept = {"used": 20_000, "window": 128_000, "origin": "an event"}
    assert told(plan, session(usage=kept)) == (MEASURED, 20_000, 128_000, "an event")
    assert told(plan, session(usage={"reported": 40}))[0] == REPORTED
    assert told(plan, session(usage={"window": 5}))[0] == ESTIMATED


def test_a_new_session_is_fresh(plan: Plan) -> None:
    assert told(plan, None)[0] == DEFAULT


def test_the_configuration_has_the_last_word_on_windows() -> None:
    plan = configured('{ "claude-opus" = 400_000, "claude" = 1 }')
    assert told(plan, session(status_line=LINE), FIGURES)[2] == 400_000
    assert told(plan, None, {**FIGURES, "used": 500_000})[2] == 400_000
    assert measure_window_usage(plan, None, {**FIGURES, "used": 500_000}).remaining == 0


def test_the_default_gives_way_to_what_is_in_use(plan: Plan) -> None:
    assert told(plan, None, {"used": 50_000})[2] == 200_000
    assert told(plan, None, {"used": 250_000})[2] == 1_000_000
