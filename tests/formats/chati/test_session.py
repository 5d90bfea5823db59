"""``.chati/session.yaml`` as its three writers leave it."""

from __future__ import annotations

from textwrap import dedent

import pytest

from synapse_ls.formats.chati.session_file import EMPTY_SESSION, parse

INSTALLED = """\
project:
  name: Board
  type: greenfield
  state: discover
execution_mode: interactive
execution_profile: guided
current_agent: ""
language: en
ides: [claude-code]
mcps: []
user_level: auto
user_level_confidence: 0.0
agents:
  greenfield-wu: {status: pending, score: 0, criteria_count: 0, completed_at: null}
backlog: []
last_handoff: ""
deviations: []
"""
MANAGED = """\
version: "3.2.5"
mode: build
project: {name: Board, type: greenfield, state: build}
project_type: greenfield
started_at: 2026-02-10T10:15:00Z
pipeline_position: 8
completed_agents: [brief]
agent_results: {brief: {score: 96}}
current_agent: dev
language: pt
execution_mode: {mode: human-in-the-loop, setAt: 2026-02-10T10:15:00Z, reason: risk}
agents:
  brief: {status: completed, score: 96, criteria_count: 9}
  dev: {status: in_progress, score: 12.5, criteria_count: 4}
last_handoff: brief
mode_transitions:
  - {timestamp: 2026-02-10T10:15:00Z, from: plan, to: build, trigger: qa-planning, type: automatic}
"""
REDUCED = """\
mode: validate
project_type: brownfield
started_at: 2026-02-10T10:15:00Z
completed_agents: [brownfield-wu]
agents:
  dev: {status: completed, score: 91, criteria_count: 4}
current_agent: qa-implementation
mode_transitions: []
history: []
updated_at: 2026-02-10T10:15:00Z
"""


@pytest.mark.parametrize(
    ("text", "state", "mode", "agent", "handoff"),
    [
        (INSTALLED, "discover", "planning", "", ""),
        (MANAGED, "build", "build", "dev", "brief"),
        (REDUCED, "validate", "build", "qa-implementation", ""),
    ],
)
def test_every_writer_gives_the_same_view(
    text: str, state: str, mode: str, agent: str, handoff: str
) -> None:
    view = parse(text).document
    assert (view.state.value, view.mode, view.agent.value) == (state, mode, agent)
    assert view.handoff.value == handoff


@pytest.mark.parametrize("text", [INSTALLED, MANAGED])
def test_what_installer_and_manager_write_is_sound(text: str) -> None:
    assert parse(text).problems == ()


def test_what_the_state_keeper_leaves_has_lost_its_project() -> None:
    (problem,) = parse(REDUCED).problems
    assert (problem.kind, problem.data) == ("invalid-chati-session", (("field", "project"),))
    assert "drops fields" in problem.message


def test_the_states_project_wins_over_the_mode() -> None:
    view = parse("mode: planning\nproject: {state: build}\n").document
    assert view.mode == "build"
    ((what, counts, other),) = [
        (c.subject, c.effective.value, c.other.value) for c in view.conflicts
    ]
    assert (what, counts, other) == ("mode", "build", "planning")


def test_states_of_one_mode_are_no_conflict() -> None:
    assert parse("mode: validate\nproject: {state: build}\n").document.conflicts == ()


def test_an_agent_that_only_a_list_names_has_completed() -> None:
    text = "completed_agents: [brief, dev]\nagent_results: {brief: {score: 96}}\nagents: {dev: {status: completed, score: 7}}\n"
    view = parse(text).document
    assert [(a.name, a.status, a.score) for a in view.agents] == [
        ("dev", "completed", "7"),
        ("brief", "completed", "96"),
    ]


def test_an_empty_value_takes_nothing_from_the_next_line() -> None:
    view = parse("workflow:\ncurrent_agent:\nlanguage: en\n").document
    assert (view.workflow.value, view.agent.value, view.language) == ("", "", "en")


@pytest.mark.parametrize(
    ("written", "turns"), [("17", 17), ("0", 0), ("-3", None), ("many", None), ("true", None)]
)
def test_turns_are_a_count(written: str, turns: int | None) -> None:
    assert parse(f"turn_count: {written}\n").document.turns == turns


@pytest.mark.parametrize("written", ["T1.1", "{id: T1.1, title: Avatars}", "{title: T1.1}"])
def test_the_task_at_hand_is_a_name_or_has_one(written: str) -> None:
    assert parse(f"current_task: {written}\n").document.task.value == "T1.1"


def test_a_score_is_told_without_noise() -> None:
    text = (
        "agents: {a: {score: 95.0}, b: {score: 87.5}, c: {score: .nan}, d: {score: 1e300}, e: {}}\n"
    )
    assert [agent.score for agent in parse(text).document.agents] == ["95", "87.5", "", "", ""]


@pytest.mark.parametrize("text", ["", "just words", "- a\n- b\n", "# nothing\n"])
def test_a_file_without_fields_says_so(text: str) -> None:
    view, problems = parse(text)
    assert view is EMPTY_SESSION
    assert [problem.kind for problem in problems] == ["invalid-chati-session"]


def test_problems_stand_where_the_value_is() -> None:
    text = dedent(
        """\
        project: {name: A, type: redfield, state: build}
        current_agent: dev
        language: de
        execution_mode: interactive
        backlog: [{id: 7, title: T, priority: high, status: open}]
        """
    )
    marked = [problem.span.cut(text) for problem in parse(text).problems]
    assert marked == ["redfield", "de", "7", "open"]


def test_a_near_word_is_the_remedy() -> None:
    (problem,) = parse(INSTALLED.replace("guided", "guidde")).problems
    assert problem.remedy == "Write `guided`."
