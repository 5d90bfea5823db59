from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given

from synapse_ls.formats.workflow_definition import WorkflowDefinition, parse, parse_patterns
from tests.formats.texts import assert_inside, hostile_texts
from tests.support import corpus, mark

DEMO = """\
    workflow:
      id: demo
      name: Demo
      type: generic
      sequence:
        - {phase: 1, name: Plan, description: a header}
        - {step: make, id: make-it, phase: 1, agent: sm, action: Create, task: make.md}
        - {step: check, agent: "@po", action: Check}
        - {step: split, agent: "${story.executor}"}
        - {meta: repeat}
        - {workflow_end: null, action: demo_complete}
"""


def read(text: str) -> WorkflowDefinition:
    definition, problems = parse(dedent(text))
    assert not problems
    return definition


def test_a_definition_has_id_name_and_type() -> None:
    workflow = read(DEMO)
    assert workflow.id is not None
    assert (workflow.id.value, workflow.name, workflow.type) == ("demo", "Demo", "generic")


def test_steps_mirror_the_sequence_headers_and_markers_included() -> None:
    steps = read(DEMO).steps
    assert [step.index for step in steps] == [0, 1, 2, 3, 4, 5]
    assert [step.agent for step in steps] == ["", "sm", "po", "", "", ""]
    assert [bool(step.raw_agent) for step in steps] == [False, True, True, True, False, False]


def test_a_step_has_id_phase_action_and_task() -> None:
    step = read(DEMO).steps[1]
    assert (step.id, step.step, step.phase) == ("make-it", "make", "1")
    assert (step.action, step.task) == ("Create", "make.md")
    assert read(DEMO).steps[2].id == "check"


def test_a_step_has_its_place() -> None:
    text, (place,) = mark("workflow:\n  id: x\n  sequence:\n    - «agent: a\n      action: b»\n")
    assert parse(text).document.steps[0].span == place


def test_sequences_in_phases_are_read_as_one() -> None:
    workflow = read("""\
        workflow: {id: x}
        phases:
          - name: One
            sequence: [{agent: a}, {agent: b}]
          - {name: Two, sequence: [{agent: c}]}
        """)
    assert [(s.index, s.phase, s.agent) for s in workflow.steps] == [
        (0, "One", "a"),
        (1, "One", "b"),
        (2, "Two", "c"),
    ]


def test_a_workflow_without_a_sequence_has_no_steps() -> None:
    assert read("workflow:\n  id: x\n  phases: [phase_1: One]\n").steps == ()


def test_a_file_with_keys_of_another_shape_is_a_text_for_agents() -> None:
    for text in ("name: x\nphases:\n  - name: one\n", "workflow-id: x\nsteps: [a]\n"):
        assert parse(text).problems == ()


def test_a_key_that_misspells_a_workflow_is_reported() -> None:
    text, (place,) = mark("name: x\n«workflows»:\n  id: x\n")
    (problem,) = parse(text).problems
    assert (problem.kind, problem.span, problem.remedy) == (
        "no-workflow",
        place,
        "Write `workflow`.",
    )
    assert problem.message.startswith("`workflows` is no key of a workflow, so ")


@pytest.mark.parametrize("text", ["«[»a]\n", "«w»orkflow: x\n", "«j»ust text\n"])
def test_a_file_without_a_workflow_is_reported(text: str) -> None:
    text, (place,) = mark(text)
    (problem,) = parse(text).problems
    assert (problem.kind, problem.span) == ("no-workflow", place)


def test_a_workflow_without_an_id_is_reported() -> None:
    text, (place,) = mark("«workflow»:\n  name: x\n")
    (problem,) = parse(text).problems
    assert (problem.kind, problem.span) == ("invalid-workflow", place)
    assert "no `id`" in problem.message
    assert problem.remedy.startswith("Add `id` below `workflow:`. ")


def test_a_sequence_that_is_no_list_is_reported() -> None:
    text, (place,) = mark("workflow:\n  id: x\n  sequence: «later»\n")
    (problem,) = parse(text).problems
    assert (problem.kind, problem.span) == ("invalid-workflow", place)


def test_patterns_have_the_ids_that_triggers_use() -> None:
    text, (place,) = mark(
        "workflows:\n  «story_development»:\n    description: All\n"
        "    agent_sequence: [po, dev]\n    key_commands: [develop]\n"
    )
    (pattern,) = parse_patterns(text).document
    assert (pattern.id.value, pattern.id.span) == ("story_development", place)
    assert [agent.value for agent in pattern.agents] == ["po", "dev"]
    assert pattern.commands == ("develop",)


@given(hostile_texts)
def test_any_text_gives_places_inside_it(text: str) -> None:
    assert_inside(text, parse(text).problems)
    assert_inside(text, parse_patterns(text).problems)


def test_real_definitions_mirror_their_sequences() -> None:
    paths = sorted((corpus() / "aiox/.aiox-core/development/workflows").glob("*.yaml"))
    workflows = {p.stem: read(p.read_text(encoding="utf-8")) for p in paths}
    assert len(workflows) == 14
    for stem, workflow in workflows.items():
        assert workflow.id is not None
        assert workflow.id.value == stem
    steps = [step for workflow in workflows.values() for step in workflow.steps]
    assert (len(steps), sum(bool(step.raw_agent) for step in steps)) == (167, 122)


def test_real_definitions_with_phases_have_steps() -> None:
    paths = sorted((corpus() / "chati/chati.dev/workflows").glob("*.yaml"))
    assert paths
    for path in paths:
        steps = read(path.read_text(encoding="utf-8")).steps
        assert len(steps) >= 7, path
        assert all(step.agent and step.phase for step in steps), path


def test_real_patterns_are_twelve() -> None:
    path = corpus() / "aiox/.aiox-core/data/workflow-patterns.yaml"
    patterns, problems = parse_patterns(path.read_text(encoding="utf-8"))
    assert not problems
    assert len(patterns) == 12
    assert all(pattern.agents and pattern.commands for pattern in patterns)
