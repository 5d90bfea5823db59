"""Chains of workflows: who does what with which command, one step after the other."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.workflow_definition import WorkflowChain, parse_chains

TEXT = """\
    workflows:
      - id: cycle
        name: Story cycle
        max_iterations: 3
        chain:
          - step: 1
            agent: "@po"
            command: "*check {story-id}"
            task: check.md
            output: A verdict
            condition: Story status is Approved
            alternatives:
              - agent: "@qa"
                command: "*check-quickly {story-id}"
                condition: A small one
          - {step: 2, agent: "@dev", command: build, condition: Story status is Ready for Review}
      - id: other
        chain: []
    """


def chains(text: str) -> tuple[WorkflowChain, ...]:
    return parse_chains(dedent(text)).document


def complaints(text: str) -> list[str]:
    return [
        f"{problem.span.cut(dedent(text))}: {problem.message}"
        for problem in parse_chains(dedent(text)).problems
    ]


def test_a_step_says_who_does_what_with_which_command() -> None:
    cycle, other = chains(TEXT)
    assert (cycle.id.value, cycle.name, cycle.max_rounds, other.steps) == (
        "cycle",
        "Story cycle",
        3,
        (),
    )
    check, build = cycle.steps
    assert (check.agent, check.raw_agent, check.command, check.arguments) == (
        "po", "@po", "check", "{story-id}",
    )  # fmt: skip
    assert (check.task, check.output, check.number) == ("check.md", "A verdict", "1")
    assert [(one.agent, one.command, one.condition) for one in check.alternatives] == [
        ("qa", "check-quickly", "A small one")
    ]
    assert (build.command, build.arguments, build.alternatives) == ("build", "", ())


@pytest.mark.parametrize(
    ("condition", "state"),
    [
        ("Story status is Approved", "ready"),
        ("Story status is Ready for Review", "in_review"),
        ("status: Draft", "draft"),
        ("Story status is not Draft", ""),
        ("QA gate PASS", ""),
        ("Story is approved by somebody", ""),
        ("", ""),
    ],
)
def test_a_condition_on_the_storys_status_is_understood_in_any_vocabulary(
    condition: str, state: str
) -> None:
    text = f"workflows: [{{id: a, chain: [{{agent: dev, command: b, condition: '{condition}'}}]}}]"
    assert chains(text)[0].steps[0].state == state


def test_a_sound_file_has_no_problems() -> None:
    assert complaints(TEXT) == []
    assert parse_chains("").problems == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("chains: []", "c: The file lists no workflows"),
        ("workflows: {a: b}", "{a: b}: `workflows` is not a list"),
        ("workflows: [{chain: []}]", "chain: The chain has no `id`"),
        ("workflows: [{id: a}]", "a: The workflow has no `chain`"),
        ("workflows: [{id: a, chain: {b: c}}]", "{b: c}: `chain` is not a list"),
        ("workflows: [{id: a, chain: []}, {id: a, chain: []}]", "a: `a` is the id of two chains"),
        ("workflows: [{id: a, chain: [{agent: dev}]}]", "agent: The step has no `command`"),
        ("workflows: [{id: a, chain: [{command: b}]}]", "command: The step has no `agent`"),
        ("workflows: [{id: a, chain: [b]}]", "b: The step is not a mapping"),
        (
            "workflows: [{id: a, chain: [{step: 1, agent: x, command: b}, {step: 1, agent: x, command: c}]}]",
            "1: Two steps have the number 1",
        ),
        (
            "workflows: [{id: a, chain: [{agent: x, command: b, alternatives: [{agent: x}]}]}]",
            "agent: The alternative has no `command`",
        ),
    ],
)
def test_what_makes_a_chain_useless_is_told(text: str, complaint: str) -> None:
    found = complaints(text)
    assert len(found) == 1 and found[0].startswith(complaint)
    assert {problem.kind for problem in parse_chains(text).problems} == {"invalid-workflow-chain"}


def test_aliases_cannot_multiply_the_steps() -> None:
    step = (
        "{agent: a, command: b, alternatives: &c ["
        + ", ".join(["{agent: a, command: b}"] * 200)
        + "]}"
    )
    chain = f"&d [{step}" + ", {agent: a, command: b, alternatives: *c}" * 200 + "]"
    text = f"workflows:\n  - {{id: a, chain: {chain}}}\n" + "  - {id: b, chain: *d}\n" * 200
    read = parse_chains(text).document
    assert sum(1 + len(step.alternatives) for chain in read for step in chain.steps) == 110_000


@given(st.text())
def test_no_text_makes_it_fail(text: str) -> None:
    for told in (text, f"workflows:\n  - id: a\n    chain: {text}", f"workflows: {text}"):
        parsed = parse_chains(told)
        for problem in parsed.problems:
            assert 0 <= problem.span.start <= problem.span.end <= len(told)
        for chain in parsed.document:
            for step in chain.steps:
                assert isinstance(step.state, str)
