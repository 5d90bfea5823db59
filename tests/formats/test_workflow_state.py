from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given

from synapse_ls.formats.workflow_state import UNREADABLE, WorkflowState, parse, parse_instance
from tests.formats.texts import assert_inside, hostile_texts
from tests.support import corpus, mark

INSTANCE = """\
    state_version: '2.0'
    workflow_id: demo
    workflow_name: Demo
    instance_id: demo-20260101-abc123
    target_context: core
    squad_name: null
    started_at: '2026-01-01T00:00:00.000Z'
    updated_at: '2026-01-02T00:00:00.000Z'
    status: active
    current_phase: 'sm: Create'
    current_step_index: 0
    steps:
      - {step_index: 0, phase: '', agent: null, action: '', status: pending}
      - step_index: 1
        phase: 'sm: Create'
        agent: "@sm"
        action: Create
        status: pending
      - {step_index: 2, phase: 'x', agent: analyst/pm, action: Check, status: pending}
      - {step_index: 3, phase: '', agent: null, action: '', status: pending}
"""


def instance(**changes: str | None) -> str:
    """The instance with top-level lines replaced, or taken out with ``None``."""
    lines = dedent(INSTANCE).splitlines()
    for key, value in changes.items():
        at = next(i for i, line in enumerate(lines) if line.startswith(f"{key}:"))
        if key == "steps":
            del lines[at + 1 :]
        lines[at : at + 1] = [] if value is None else [f"{key}: {value}"]
    return "\n".join(lines) + "\n"


def read(text: str) -> WorkflowState:
    state, problems = parse(text)
    assert not problems
    return state


def problems(text: str) -> list[tuple[str, str]]:
    """Field and source text of each problem, all of which are about the state."""
    found = parse(text).problems
    assert {problem.kind for problem in found} <= {"invalid-workflow-state"}
    return [(dict(problem.data)["field"], problem.span.cut(text)) for problem in found]


def test_two_steps_of_one_place_are_reported_at_the_second() -> None:
    steps = "\n  - {step_index: 0, status: pending}\n  - {step_index: 0, status: pending}"
    assert problems(instance(steps=steps)) == [("steps[1].step_index", "0")]


def test_an_instance_has_its_fields() -> None:
    state = read(instance())
    assert (state.shape, state.workflow_id, state.status) == ("instance", "demo", "active")
    assert (state.current_phase, state.squad_name) == ("sm: Create", "")
    assert state.updated_at == "2026-01-02T00:00:00.000Z"
    assert len(state.steps) == 4


def test_the_current_step_is_the_next_that_belongs_to_an_agent() -> None:
    step = read(instance()).current_step
    assert step is not None
    assert (step.index, step.agent, step.raw_agent) == (1, "sm", "@sm")


def test_of_several_agents_the_first_counts() -> None:
    step = read(instance(current_step_index="2")).current_step
    assert step is not None
    assert (step.agent, step.raw_agent) == ("analyst", "analyst/pm")


def test_a_step_for_nobody_in_particular_is_still_somebodys() -> None:
    text = instance().replace('"@sm"', "${story.executor}")
    step = read(text).current_step
    assert step is not None
    assert (step.index, step.agent) == (1, "")


def test_behind_the_last_step_of_an_agent_there_is_no_current_step() -> None:
    assert read(instance(current_step_index="3")).current_step is None


def test_a_step_has_its_place() -> None:
    text = instance()
    assert read(text).steps[1].span.cut(text).startswith("step_index: 1")
    assert read(text).steps[1].span.cut(text).endswith("status: pending")


@pytest.mark.parametrize(
    "field", ["workflow_id", "workflow_name", "target_context", "started_at", "updated_at"]
)
def test_a_required_field_that_is_missing_is_reported_at_the_first_key(field: str) -> None:
    assert problems(instance(**{field: None})) == [(field, "state_version")]
    (problem,) = parse(instance(**{field: None})).problems
    assert problem.remedy == f"Add `{field}`."


def test_a_required_field_that_is_null_is_reported_at_its_key() -> None:
    assert problems(instance(status="null")) == [("status", "status")]


def test_a_status_outside_the_vocabulary_is_reported_at_its_value() -> None:
    assert problems(instance(status="running")) == [("status", "running")]
    assert problems(instance(target_context="team")) == [("target_context", "team")]
    text = instance().replace("status: pending}", "status: done}", 1)
    assert problems(text) == [("steps[0].status", "done")]


@pytest.mark.parametrize("status", ["active", "paused", "completed", "aborted"])
def test_the_vocabulary_of_the_status(status: str) -> None:
    assert read(instance(status=status)).status == status


@pytest.mark.parametrize("index", ["-1", "'0'", "1.5", "true", "[0]"])
def test_an_index_that_is_no_count_is_reported(index: str) -> None:
    assert problems(instance(current_step_index=index)) == [("current_step_index", index)]


def test_an_index_behind_the_steps_is_reported() -> None:
    assert problems(instance(current_step_index="4")) == [("current_step_index", "4")]


def test_a_completed_workflow_may_point_behind_its_last_step() -> None:
    assert read(instance(current_step_index="4", status="completed")).current_step is None


def test_steps_that_are_no_list_of_mappings_are_reported() -> None:
    assert problems(instance(steps="{a: 1}")) == [("steps", "{a: 1}")]
    assert problems(instance(steps="[x]")) == [("steps[0]", "x")]


def test_an_epic_is_recognised() -> None:
    state = read(
        dedent("""\
            epic_state:
              epicId: EPIC-1
              status: active
              updated_at: "2026-01-01T00:00:00Z"
              current_wave: 2
              waves:
                1: {name: First}
                2: {name: Second}
            """)
    )
    assert (state.shape, state.instance_id, state.status) == ("epic", "EPIC-1", "active")
    assert (state.current_phase, state.steps) == ("Second", ())


@pytest.mark.parametrize(
    "text",
    [
        "session_state:\n  version: '1.2'\n",
        "steps: [1]\nname: something else\n",
        "a: 1\na: 2\n",
        "---\nid: x\n---\n# Markdown\n- *not* yaml\n",
    ],
)
def test_what_is_no_workflow_has_no_problems(text: str) -> None:
    assert read(text).shape == "other"


def test_a_file_that_is_not_yaml_is_reported() -> None:
    text, (place,) = mark("workflow_id: «[»demo\n")
    state, (problem,) = parse(text)
    assert (state.shape, problem.kind, problem.span) == ("other", "invalid-yaml", place)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is empty"),
        ("# later\n", "is empty"),
        ("null\n", "holds no fields"),
        ("[]\n", "holds no fields"),
        ("{}\n", "holds no fields"),
        ("soon\n", "holds no fields"),
    ],
)
def test_a_file_without_any_field_is_reported(text: str, what: str) -> None:
    (problem,) = parse(text).problems
    assert problem.kind == "invalid-workflow-state"
    assert what in problem.message


@pytest.mark.parametrize("text", ["workflow_id: x\n", "workflow_name: x\nsteps: []\n"])
def test_a_file_that_lacks_nearly_everything_is_reported(text: str) -> None:
    state, problems = parse(text)
    assert state.shape == "instance"
    assert {problem.kind for problem in problems} == {"invalid-workflow-state"}


@pytest.mark.parametrize("text", ["healed: 3\n", "steps: []\n"])
def test_a_file_with_other_fields_is_left_alone(text: str) -> None:
    state, problems = parse(text)
    assert (state.shape, problems) == ("other", ())


@pytest.mark.parametrize(
    "text",
    [
        instance(),
        instance(status="unheard-of", steps=None),
        f"{instance()}status: {{\n",
        f"{instance()}epic_state: {{status: active}}\n",
        "epic_state: {epicId: 7}\n",
        "healed: 3\n",
        "",
    ],
    ids=["instance", "faulty", "broken", "epic beside it", "epic", "other", "empty"],
)
def test_an_instance_alone_is_read_as_with_its_problems(text: str) -> None:
    state, problems = parse(text)
    is_whole = not any(problem.kind in UNREADABLE for problem in problems)
    assert parse_instance(text) == (state if is_whole and state.shape == "instance" else None)


@given(hostile_texts)
def test_any_text_gives_places_inside_it(text: str) -> None:
    assert_inside(text, parse(text).problems)


@given(hostile_texts)
def test_any_value_gives_places_inside_the_text(value: str) -> None:
    text = instance(status=value, steps=value)
    assert_inside(text, parse(text).problems)


@pytest.mark.parametrize(
    ("prefix", "shape", "status", "steps", "agent"),
    [
        ("epic-EPIC-ACT", "epic", "completed", 0, ""),
        ("greenfield-ui", "instance", "paused", 21, "analyst"),
        ("qa-loop", "instance", "completed", 5, "qa"),
        ("story-development-cycle", "instance", "active", 5, "qa"),
    ],
)
def test_real_states_are_recognised(
    prefix: str, shape: str, status: str, steps: int, agent: str
) -> None:
    (path,) = (corpus() / "aiox/.aiox").glob(f"{prefix}*-state.yaml")
    state = read(path.read_text(encoding="utf-8"))
    assert (state.shape, state.status, len(state.steps)) == (shape, status, steps)
    assert (state.current_step.agent if state.current_step else "") == agent
