"""Workflows by the commands that were used."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent

import pytest

from synapse_ls.engine.workflow_detection import (
    DetectedWorkflow,
    detect_workflow,
    find_command_owner,
)
from synapse_ls.formats.workflow_definition import parse_patterns
from tests.activation.crew import CREW

PATTERNS = parse_patterns(dedent(CREW[".aiox-core/data/workflow-patterns.yaml"])).document
KNOWN = {
    "dev": ("help", "develop", "run-tests", "develop-yolo"),
    "qa": ("review", "gate"),
    "po": ("validate-story-draft", "create-doc"),
}


def found(*used: str, running: Sequence[str] = (), agent: str = "dev") -> DetectedWorkflow | None:
    return detect_workflow(PATTERNS, used, running=running, agent=agent, agent_commands=KNOWN)


def test_one_command_is_no_workflow() -> None:
    assert found("develop") is None
    assert found("develop", "develop", "help") is None


def test_enough_of_them_are() -> None:
    one = found("validate-story-draft", "develop")
    assert one is not None
    assert (one.workflow, one.state, one.last, one.confidence) == (
        "story_development", "in_development", "develop", 0.85,
    )  # fmt: skip
    assert one.matched == ("validate-story-draft", "develop")
    assert one.message == "Development is complete."


@pytest.mark.parametrize(
    ("used", "running", "agent", "is_done"),
    [
        (("validate-story-draft", "develop"), (), "dev", False),
        (("validate-story-draft", "develop"), ("develop",), "qa", False),
        (("validate-story-draft", "develop"), (), "qa", True),
        (("validate-story-draft", "develop", "help"), (), "dev", False),
        (("validate-story-draft", "develop", "run-tests"), (), "dev", True),
        (("validate-story-draft", "develop"), (), "", False),
        (("validate-story-draft", "develop"), (), "stranger", False),
    ],
)
def test_what_was_begun_is_done_when_somebody_goes_on(
    used: Sequence[str], running: Sequence[str], agent: str, is_done: bool
) -> None:
    one = found(*used, running=running, agent=agent)
    assert one is not None and (one.last, one.is_done) == ("develop", is_done)


def test_a_command_counts_as_a_whole_word() -> None:
    assert found("validate", "dev", "redevelop", "run") is None


def test_a_way_to_do_it_counts_as_doing_it() -> None:
    one = found("validate-story-draft", "develop-yolo")
    assert one is not None and (one.state, one.last) == ("in_development", "develop-yolo")


def test_an_agents_own_name_for_a_command_counts() -> None:
    one = found("develop", "review", agent="qa")
    assert one is not None and one.matched == ("develop", "review")


def test_what_follows_is_in_order_and_has_an_owner() -> None:
    one = found("run-tests", "validate-story-draft")
    assert one is not None
    assert [(s.command, s.agent, s.arguments) for s in one.next] == [
        ("develop", "dev", "${story_path}"),
        ("run-tests", "dev", ""),
    ]


def test_what_no_agent_has_is_not_suggested_but_told() -> None:
    one = found("validate-story-draft", "develop")
    assert one is not None
    assert [(s.command, s.agent) for s in one.next] == [("review", "qa")]
    assert one.unknown == ("nobody-has-this",)


def test_more_commands_speak_louder_than_the_order_of_the_file() -> None:
    one = found("create-doc", "validate-story-draft", agent="po")
    assert one is not None and (one.workflow, one.state) == ("documentation", "drafted")
    more = found("create-doc", "validate-story-draft", "develop", "run-tests", agent="po")
    assert more is not None and more.workflow == "story_development"


def test_only_the_last_commands_count() -> None:
    assert found("validate-story-draft", "develop", *(f"other-{n}" for n in range(10))) is None


def test_without_definitions_all_is_suggested() -> None:
    one = detect_workflow(PATTERNS, ["validate-story-draft", "develop"])
    assert one is not None
    assert [s.command for s in one.next] == ["review-qa", "nobody-has-this"]


@pytest.mark.parametrize(
    ("command", "preferred", "owner"),
    [("gate", (), "qa"), ("help", (), ""), ("help", ("dev",), "dev"), ("none", (), "")],
)
def test_who_has_a_command(command: str, preferred: Sequence[str], owner: str) -> None:
    known = {**KNOWN, "qa": ("gate", "help")}
    assert find_command_owner(command, known, preferred) == owner
