"""Where a workflow stands, what comes next, and who does it."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.engine.workflow_route import (
    RoutePosition,
    describe_next,
    describe_position,
    locate_step,
    workflow_route,
)
from synapse_ls.formats import workflow_definition, workflow_state
from synapse_ls.formats.workflow_definition import WorkflowDefinition
from tests.activation.crew import CORE, CREW, state

DEFINITION = workflow_definition.parse(dedent(CREW[f"{CORE}/workflows/story-cycle.yaml"])).document


def at(
    index: int, *, definition: WorkflowDefinition | None = DEFINITION, **changed: str
) -> RoutePosition:
    text = state(index)
    for before, after in changed.items():
        text = text.replace(f"{before}: ", f"{before}: {after} #", 1)
    return locate_step(workflow_route(workflow_state.parse(text).document, definition))


def test_a_heading_is_nobodys_step() -> None:
    position = at(0)
    assert position.step is not None and position.step.id == "build"
    assert (position.step.number, position.total, position.done_count) == (2, 4, 1)


def test_the_step_at_the_index_is_where_the_work_is() -> None:
    position = at(2)
    assert describe_position(position) == "story-cycle: step 2 of 4, build, @dev: Build it"
    assert describe_next(position) == "review (@qa)"
    assert position.is_current


def test_an_optional_step_does_not_hide_the_next_one() -> None:
    named = workflow_definition.parse(
        dedent(CREW[f"{CORE}/workflows/story-cycle.yaml"]).replace("      next: review\n", "")
    ).document
    position = at(2, definition=named)
    assert [stop.id for stop in position.next_steps] == ["polish", "review"]
    assert describe_next(position) == "polish (@dev), which is optional, or review (@qa)"


def test_a_failure_leads_back() -> None:
    position = at(4)
    assert position.failure_step is not None and position.failure_step.id == "build"
    assert describe_position(position).endswith("step 4 of 4, review, @qa: Judge it")
    assert describe_next(position) == ""


def test_behind_the_last_step_all_is_done() -> None:
    position = at(5)
    assert position.is_finished
    assert describe_position(position) == "story-cycle: all 4 steps are done"


def test_a_completed_instance_is_done_wherever_it_points() -> None:
    position = at(1, status="completed")
    assert position.is_finished and position.done_count == 4


def test_a_paused_instance_says_so() -> None:
    assert describe_position(at(2, status="paused")).startswith("story-cycle (paused): step 2 of 4")


def test_what_has_to_be_done_before_is_named() -> None:
    text = (
        state(2)
        .replace("status: completed}", "status: pending}")
        .replace("current_step_index: 2", "current_step_index: 0")
    )
    route = workflow_route(workflow_state.parse(text).document, DEFINITION)
    position = locate_step(route, 2)
    assert [stop.id for stop in position.missing_steps] == ["check"]
    assert not position.is_current


def test_without_a_definition_the_order_tells() -> None:
    position = at(2, definition=None)
    assert describe_position(position) == "story-cycle: step 2 of 4, Build it, @dev"
    assert describe_next(position) == "Polish (@dev)"


def test_a_definition_that_does_not_fit_is_not_believed() -> None:
    other = workflow_definition.parse(
        "workflow:\n  id: story-cycle\n  sequence:\n"
        + "".join(f"    - {{id: s{n}, agent: sm}}\n" for n in range(6))
    ).document
    position = at(2, definition=other)
    assert position.step is not None
    assert (position.step.agent, position.step.id) == ("dev", "")


def test_a_definition_alone_has_an_order_and_no_place() -> None:
    route = workflow_route(None, DEFINITION)
    position = locate_step(route)
    assert position.step is None and not position.is_finished
    assert describe_position(position) == "story-cycle: 4 steps"
    step = locate_step(route, 2)
    assert describe_position(step) == "story-cycle: step 2 of 4, build, @dev: Build it"
    assert not step.missing_steps and not step.is_current


def test_steps_that_name_each_other_come_to_an_end() -> None:
    ring = workflow_definition.parse(
        "workflow:\n  id: w\n  sequence:\n"
        "    - {id: a, agent: dev, next: b}\n"
        "    - {id: b, agent: dev, optional: true, next: a}\n"
    ).document
    assert [stop.id for stop in locate_step(workflow_route(None, ring), 0).next_steps] == ["b"]


@pytest.mark.parametrize("index", [-3, 6, 99])
def test_an_index_outside_is_no_failure(index: int) -> None:
    describe_position(at(index))


@given(st.text(), st.text(), st.integers(-2, 12))
def test_no_text_makes_it_fail(first: str, second: str, index: int) -> None:
    route = workflow_route(
        workflow_state.parse(first).document, workflow_definition.parse(second).document
    )
    for position in (locate_step(route), locate_step(route, index)):
        describe_position(position), describe_next(position)
