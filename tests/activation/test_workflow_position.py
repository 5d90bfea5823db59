"""Where the work of a session is: by its state file, else by its commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.activation.loader_runner import UnavailableError
from synapse_ls.activation.workflow_position import WorkflowPosition, find_workflow_position
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.formats.session_file import SessionState
from synapse_ls.queries.report_model import to_json
from synapse_ls.queries.status_report import position_report
from tests.activation.crew import CORE, STATE, crew, files_at, plan_at, state


def at(
    root: Path,
    *used: str,
    running: tuple[str, ...] = (),
    session: dict[str, Any] | None = None,
    **said: Any,
) -> WorkflowPosition | None:
    plan = plan_at(root)
    request = Request(session=SessionState(session) if session else None, **said)
    situation = resolve_situation(plan, request, measure_usage())
    return find_workflow_position(files_at(root), plan, situation, used=used, running=running)


def sure(found: WorkflowPosition | None) -> WorkflowPosition:
    assert found is not None
    return found


def test_nothing_is_under_way(tmp_path: Path) -> None:
    assert at(crew(tmp_path)) is None
    assert at(crew(tmp_path), "develop") is None


def test_a_state_file_tells_the_step_with_its_place(tmp_path: Path) -> None:
    found = sure(at(crew(tmp_path, **{STATE: state(2)})))
    assert found.location == "story-cycle: step 2 of 4, build, @dev: Build it"
    assert (found.following_text, found.agent_on_turn, found.source) == (
        "review (@qa)",
        "dev",
        "state",
    )
    assert (found.path, found.line) == (STATE, 15)


def test_other_instances_are_named(tmp_path: Path) -> None:
    other = state(1).replace("story-cycle", "qa-loop").replace("T09:00", "T08:30")
    root = crew(tmp_path, **{STATE: state(2), ".aiox/qa-loop-20260302-cc33dd-state.yaml": other})
    found = sure(at(root))
    assert (found.workflow, found.notes) == ("story-cycle", ("also active: qa-loop",))


def test_a_state_file_wins_over_commands(tmp_path: Path) -> None:
    root = crew(tmp_path, **{STATE: state(2)})
    assert sure(at(root, "validate-story-draft", "develop")).source == "state"


def test_commands_tell_where_no_state_does(tmp_path: Path) -> None:
    found = sure(at(crew(tmp_path), "validate-story-draft", "develop", agent="qa"))
    assert found.location == "story_development: in_development, by *validate-story-draft *develop"
    assert (found.following_text, found.agent_on_turn, found.source) == (
        "*review (@qa)",
        "qa",
        "commands",
    )
    assert found.notes == ("the patterns suggest *nobody-has-this, which no agent has",)


def test_a_command_that_is_worked_on_is_told_as_that(tmp_path: Path) -> None:
    found = sure(at(crew(tmp_path), "validate-story-draft", "develop", running=("develop",)))
    assert found.location == "story_development: *develop was begun"


def test_a_workflow_of_the_session_has_its_definition(tmp_path: Path) -> None:
    session = {"active_workflow": {"id": "story-cycle", "current_phase": "review"}}
    found = sure(at(crew(tmp_path), session=session))
    assert found.source == "session"
    assert found.location == "story-cycle: step 4 of 4, review, @qa: Judge it"
    assert found.path.endswith("story-cycle.yaml") and found.line == 15


def test_a_workflow_nobody_has_defined_is_told_as_it_is(tmp_path: Path) -> None:
    session = {"active_workflow": {"id": "unheard-of", "current_phase": "two"}}
    found = sure(at(crew(tmp_path), session=session))
    assert found.location == "unheard-of: phase two"
    assert position_report(found).step is None


def test_a_step_names_the_command_of_its_agent(tmp_path: Path) -> None:
    agents = ".aiox-core/development/agents/dev.md"
    text = "```yaml\nagent:\n  id: dev\ncommands:\n  - build-login: Do it\n```\n"
    found = sure(at(crew(tmp_path, **{STATE: state(2), agents: text})))
    assert [(one.command, one.agent) for one in found.next] == [("build-login", "dev")]


WORKFLOWS = f"{CORE}/workflows"
CHAINS = ".aiox-core/data/workflow-chains.yaml"
CHAIN = """\
workflows:
  - id: sdc
    name: Story cycle
    chain:
      - {step: 1, agent: "@po", command: "*validate-story-draft {story-id}", condition: Story status is Draft}
      - step: 2
        agent: "@dev"
        command: "*develop {story-id}"
        output: Code
        condition: Story status is Approved
        alternatives: [{agent: "@dev", command: "*run-tests", condition: Only a fix}]
      - {step: 3, agent: "@qa", command: "*review {story-id}", condition: Story status is Ready for Review}
      - {step: 4, agent: "@ops", command: "*push"}
"""
NO_PATTERNS = {".aiox-core/data/workflow-patterns.yaml": "", CHAINS: CHAIN}
STORY = {"docs/stories/1.1.login.md": "# Story 1.1: Login\n\n**Status:** Ready for Review\n"}


def test_a_chain_tells_where_patterns_do_not(tmp_path: Path) -> None:
    found = sure(at(crew(tmp_path, **NO_PATTERNS), "validate-story-draft", agent="dev"))
    assert found.location == "sdc: step 2 of 4, *develop, @dev, by *validate-story-draft"
    assert (found.following_text, found.agent_on_turn, found.source) == (
        "*review (@qa)",
        "dev",
        "chain",
    )
    assert (found.path, found.line, found.begun_command) == (CHAINS, 6, "")
    assert [(one.command, one.agent, one.arguments, one.description) for one in found.next] == [
        ("develop", "dev", "{story-id}", "Code — when: Story status is Approved"),
        ("run-tests", "dev", "", "when: Only a fix"),
    ]
    assert not found.is_under_way  # one command alone is no workflow


def test_patterns_that_answer_come_first(tmp_path: Path) -> None:
    root = crew(tmp_path, **{CHAINS: CHAIN})
    assert sure(at(root, "validate-story-draft", "develop", agent="qa")).source == "commands"
    assert sure(at(root, "develop", agent="qa")).source == "chain"


def test_a_command_of_a_chain_that_was_begun_is_told_as_that(tmp_path: Path) -> None:
    root = crew(tmp_path, **NO_PATTERNS)
    found = sure(at(root, "validate-story-draft", "develop", agent="dev"))
    assert (found.begun_command, found.next, found.following_text) == (
        "develop",
        (),
        "*review (@qa)",
    )
    assert found.is_under_way and position_report(found).begun == "develop"


def test_what_no_agent_has_is_not_suggested(tmp_path: Path) -> None:
    found = sure(at(crew(tmp_path, **NO_PATTERNS), "review", agent="dev"))
    assert found.location == "sdc: step 4 of 4, *push, @ops, by *review"
    assert (found.next, found.notes) == ((), ("the chain suggests *push, which no agent has",))


def test_the_story_at_work_tells_its_step(tmp_path: Path) -> None:
    root = crew(tmp_path, **NO_PATTERNS, **STORY)
    found = sure(at(root, story="1.1"))
    assert found.location == "sdc: step 3 of 4, *review, @qa, as story 1.1 is in review"
    assert (found.source, found.agent_on_turn) == ("story", "qa")
    assert sure(at(root, "develop", agent="dev", story="1.1")).agent_on_turn == "qa"
    assert at(crew(tmp_path / "other", **STORY), story="1.1") is None


def test_commands_that_are_further_than_the_story_are_told_with_that(tmp_path: Path) -> None:
    story = {"docs/stories/1.1.login.md": "# Story 1.1: Login\n\n**Status:** Approved\n"}
    found = sure(at(crew(tmp_path, **NO_PATTERNS, **story), "review", agent="qa", story="1.1"))
    assert found.begun_command == "review"
    assert found.notes == (
        "story 1.1 does not say so yet: Story status is Approved is for *develop",
    )


def test_what_was_handed_over_tells_the_step_after_it(tmp_path: Path) -> None:
    left = "handoff: {from_agent: dev, to_agent: qa, last_command: '*develop 1.1'}\n"
    path = ".aiox/handoffs/handoff-dev-to-qa-1.yaml"
    root = crew(tmp_path, **NO_PATTERNS, **{path: left})
    found = sure(at(root, agent="qa"))
    assert found.location == "sdc: step 3 of 4, *review, @qa, as @dev handed over after *develop"
    assert (found.source, found.agent_on_turn) == ("handoff", "qa")
    assert at(root, agent="po") is None
    (root / path).write_text(f"{left}consumed: true\n")
    assert at(root, agent="qa") is None


def test_a_chain_stands_in_for_the_definition_of_the_sessions_workflow(tmp_path: Path) -> None:
    root = crew(tmp_path, **NO_PATTERNS)
    session = {"active_workflow": {"id": "story-development-cycle"}}
    found = sure(at(root, "develop", agent="qa", session=session))
    assert (found.workflow, found.agent_on_turn) == ("sdc", "qa")
    other = {"active_workflow": {"id": "unheard-of"}}
    assert sure(at(root, "develop", agent="qa", session=other)).location == "unheard-of"


@pytest.mark.parametrize("text", ["", "[", "workflows: {}", "workflows: [{id: 1, chain: [3]}]"])
def test_whatever_the_chains_are_nothing_fails(tmp_path: Path, text: str) -> None:
    root = crew(tmp_path, **{CHAINS: text or "#"})
    assert at(root, "develop", agent="qa") is None


def test_a_state_file_that_vanishes_is_told(tmp_path: Path) -> None:
    root = crew(tmp_path, **{STATE: state(2)})
    plan = plan_at(root)
    (root / STATE).unlink()
    situation = resolve_situation(plan, Request(), measure_usage())
    with pytest.raises(UnavailableError, match="is gone"):
        find_workflow_position(files_at(root), plan, situation)


def test_the_report_is_of_plain_values(tmp_path: Path) -> None:
    report = to_json(position_report(sure(at(crew(tmp_path, **{STATE: state(2)})))))
    assert report["step"] == {
        "number": 2,
        "name": "build",
        "agent": "dev",
        "phase": "dev: Build",
        "action": "Build it",
        "task": "build-login.md",
        "status": "pending",
        "optional": False,
    }
    assert [step["name"] for step in report["following"]] == ["review"]
    assert (report["done"], report["total"], report["finished"]) == (1, 4, False)


def resting(status: str, step: int) -> str:
    return state(step).replace("status: active", f"status: {status}")


SESSION = {"active_workflow": {"id": "story-cycle"}}


def test_a_paused_instance_says_its_step_and_what_resumes_it(tmp_path: Path) -> None:
    root = crew(tmp_path, **{STATE: resting("paused", 2)})
    for session in (None, SESSION):
        found = sure(at(root, session=session))
        assert found.location == "story-cycle (paused): step 2 of 4, build, @dev: Build it"
        assert (found.following_text, found.agent_on_turn, found.path, found.line) == (
            "review (@qa)",
            "dev",
            STATE,
            15,
        )
        assert found.notes == (f"it is paused: `status: active` in {STATE} resumes it",)
        assert (found.workflow, found.is_under_way) == ("story-cycle", False)


def test_a_completed_instance_says_so_where_its_workflow_is_set(tmp_path: Path) -> None:
    root = crew(tmp_path, **{STATE: resting("completed", 3)})
    assert at(root) is None
    found = sure(at(root, session=SESSION))
    assert (found.location, found.following_text) == ("story-cycle: all 4 steps are done", "")
    assert "`synapse session set current workflow=` leaves it" in found.notes[0]


def test_after_a_completed_instance_a_chain_goes_on(tmp_path: Path) -> None:
    chain = CHAIN.replace("id: sdc", "id: story-cycle")
    files = {STATE: resting("completed", 3), **NO_PATTERNS, CHAINS: chain}
    found = sure(at(crew(tmp_path, **files), "review", session=SESSION))
    assert (found.agent_on_turn, found.notes[0]) == ("ops", "story-cycle: all 4 steps are done")
    assert found.location == "story-cycle: step 4 of 4, *push, @ops, by *review"


def test_an_instance_is_read_with_its_own_definition(tmp_path: Path) -> None:
    aliases = '[workflow.aliases]\nother-cycle = "story-cycle"\n'
    other = f"{WORKFLOWS}/other-cycle.yaml"
    text = "workflow:\n  id: other-cycle\n  sequence:\n" + "".join(
        f"    - {{id: other{n}, agent: dev}}\n" for n in range(4)
    )
    root = crew(tmp_path, **{STATE: state(2), ".synapse/config.toml": aliases, other: text})
    found = sure(at(root, session={"active_workflow": {"id": "other-cycle"}}))
    assert found.location == "story-cycle: step 2 of 4, build, @dev: Build it"
    assert found.notes == (
        "other-cycle has no instance of its own; the same rules are for story-cycle",
    )


def test_a_name_for_rules_finds_the_definition_that_it_is_the_beginning_of(tmp_path: Path) -> None:
    files = {
        f"{WORKFLOWS}/{id}.yaml": f"workflow:\n  id: {id}\n  sequence:\n    - {{id: go, agent: {by}}}\n"
        for id, by in (("development-cycle", "dev"), ("story-development-cycle", "qa"))
    }
    root = crew(tmp_path, **files)
    for id, by in (
        ("story_development", "qa"),
        ("story-development-cycle", "qa"),
        ("development-cycle", "dev"),
    ):
        found = sure(at(root, session={"active_workflow": {"id": id, "current_phase": "go"}}))
        assert found.agent_on_turn == by


def test_of_another_workflow_with_the_same_rules_only_a_paused_instance_counts(
    tmp_path: Path,
) -> None:
    aliases = '[workflow.aliases]\nother-cycle = "story-cycle"\n'
    session = {"active_workflow": {"id": "other-cycle"}}
    for status, where in (
        ("paused", "story-cycle (paused): "),
        ("completed", "story-cycle: 4 steps"),
    ):
        files = {STATE: resting(status, 2), ".synapse/config.toml": aliases}
        assert sure(at(crew(tmp_path / status, **files), session=session)).location.startswith(
            where
        )
