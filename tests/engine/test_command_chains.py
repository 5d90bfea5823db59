"""Where commands and stories are in a chain."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent

import pytest

from synapse_ls.engine.workflow_detection import ChainProgress, follow_chain
from synapse_ls.engine.workflow_route import describe_next, describe_position
from synapse_ls.formats.workflow_definition import parse_chains

CHAINS = parse_chains(
    dedent(
        """\
        workflows:
          - id: cycle
            chain:
              - {agent: "@sm", command: "*draft", output: A story}
              - {agent: "@po", command: "*check {story-id}", condition: Story status is Draft}
              - agent: "@dev"
                command: "*build {story-id}"
                condition: Story status is Approved
                alternatives: [{agent: "@dev", command: "*hack {story-id}", condition: A small one}]
              - {agent: "@qa", command: "*judge", condition: Story status is Ready for Review}
              - {agent: "@ops", command: "*push", condition: QA gate PASS}
          - id: loop
            max_iterations: 2
            chain:
              - {agent: "@qa", command: "*judge"}
              - {agent: "@dev", command: "*mend"}
              - {agent: "@qa", command: "*judge"}
        """
    )
).document
KNOWN = {
    "sm": ("draft",), "po": ("check",), "dev": ("build", "hack", "mend"), "qa": ("judge",), "ops": ("push",),
}  # fmt: skip


def found(
    *used: str, running: Sequence[str] = (), agent: str = "", state: str = ""
) -> ChainProgress | None:
    return follow_chain(
        CHAINS, used, running=running, agent=agent, agent_commands=KNOWN, state=state
    )


def at(
    *used: str, running: Sequence[str] = (), agent: str = "", state: str = ""
) -> tuple[str, str]:
    """The step that the work is at and the command that is begun there."""
    one = found(*used, running=running, agent=agent, state=state)
    assert one is not None
    return describe_position(one.position), one.begun_command


def test_what_is_in_no_chain_is_nowhere() -> None:
    assert found() is None
    assert found("redraft", "help") is None


def test_a_command_is_at_its_step() -> None:
    assert at("draft", agent="sm") == ("cycle: step 1 of 5, *draft, @sm", "draft")
    one = found("draft", agent="sm")
    assert one is not None and describe_next(one.position) == "*check (@po)"


def test_it_is_done_when_an_agent_is_at_work_who_does_not_have_it() -> None:
    assert at("draft", agent="po") == ("cycle: step 2 of 5, *check, @po", "")
    assert at("draft", agent="stranger")[1] == "draft"
    assert at("draft", running=("draft",), agent="po")[1] == "draft"


@pytest.mark.parametrize("command", ["hack", "build-slowly", "BUILD"])
def test_there_are_several_ways_to_do_a_step(command: str) -> None:
    assert at("check", command, agent="dev")[0] == "cycle: step 3 of 5, *build, @dev"


def test_the_last_step_ends_a_chain_that_is_gone_through_once() -> None:
    one = found("push", agent="dev")
    assert one is not None and one.step is None
    assert describe_position(one.position) == "cycle: all 5 steps are done"


def test_a_chain_of_several_rounds_begins_again() -> None:
    assert at("judge", "mend", "judge", agent="dev") == ("loop: step 2 of 3, *mend, @dev", "")
    one = found("judge", "mend", "judge", "mend", agent="dev")
    assert one is not None
    assert (one.rounds, one.position.step and one.position.step.number) == (2, 2)


def test_a_command_that_is_used_twice_in_a_row_is_one_step() -> None:
    one = found("judge", "judge", "mend", "mend", agent="dev")
    assert one is not None and (one.rounds, one.begun_command) == (1, "mend")


def test_of_several_chains_the_one_counts_that_most_commands_speak_for() -> None:
    one, other = found("build", "judge", agent="qa"), found("judge", agent="qa")
    assert one is not None and (one.chain.id.value, one.others) == ("cycle", ())
    assert other is not None and (other.chain.id.value, other.others) == ("cycle", ("loop",))


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("draft", ("cycle: step 2 of 5, *check, @po", "")),
        ("ready", ("cycle: step 3 of 5, *build, @dev", "")),
        ("in_progress", ("cycle: step 3 of 5, *build, @dev", "build")),
        ("in_review", ("cycle: step 4 of 5, *judge, @qa", "")),
    ],
)
def test_a_story_is_at_the_step_that_asks_for_its_state(
    state: str, expected: tuple[str, str]
) -> None:
    assert at(state=state) == expected


@pytest.mark.parametrize("state", ["done", "blocked", "", "nonsense"])
def test_a_story_of_another_state_is_nowhere(state: str) -> None:
    assert found(state=state) is None


def test_a_story_that_is_further_than_the_commands_decides() -> None:
    one = found("build", agent="dev", state="in_review")
    assert one is not None and one.by_state
    assert describe_position(one.position) == "cycle: step 4 of 5, *judge, @qa"


def test_commands_that_are_further_than_the_story_decide_and_that_is_told() -> None:
    one = found("build", "judge", agent="qa", state="ready")
    assert one is not None and one.state_step is not None
    assert (one.begun_command, one.state_step.command) == ("judge", "build")


def test_a_story_that_is_at_its_step_confirms_the_commands() -> None:
    one = found("build", agent="dev", state="in_progress")
    assert one is not None and (one.begun_command, one.state_step, one.by_state) == (
        "build",
        None,
        False,
    )
