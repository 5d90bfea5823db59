"""Where the work of a session is: by its state file, else by its commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.activation.loaders import UnavailableError
from synapse_ls.activation.whereabouts import Whereabouts, find
from synapse_ls.engine.situation import Request, resolve
from synapse_ls.engine.usage import measure
from tests.activation.crew import STATE, crew, files_at, plan_at, state


def at(root: Path, *used: str, running: tuple[str, ...] = (), **said: Any) -> Whereabouts | None:
    plan = plan_at(root)
    situation = resolve(plan, Request(**said), measure())
    return find(files_at(root), plan, situation, used=used, running=running)


def sure(found: Whereabouts | None) -> Whereabouts:
    assert found is not None
    return found


def test_nothing_is_under_way(tmp_path: Path) -> None:
    assert at(crew(tmp_path)) is None
    assert at(crew(tmp_path), "develop") is None


def test_a_state_file_tells_the_step_with_its_place(tmp_path: Path) -> None:
    found = sure(at(crew(tmp_path, **{STATE: state(2)})))
    assert found.where == "story-cycle: step 2 of 4, build, @dev: Build it"
    assert (found.then, found.turn, found.source) == ("review (@qa)", "dev", "state")
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
    assert found.where == "story_development: in_development, by *validate-story-draft *develop"
    assert (found.then, found.turn, found.source) == ("*review (@qa)", "qa", "commands")
    assert found.notes == ("the patterns suggest *nobody-has-this, which no agent has",)


def test_a_command_that_is_worked_on_is_told_as_that(tmp_path: Path) -> None:
    found = sure(at(crew(tmp_path), "validate-story-draft", "develop", running=("develop",)))
    assert found.where == "story_development: *develop was begun"


def test_a_workflow_of_the_session_has_its_definition(tmp_path: Path) -> None:
    session = {"active_workflow": {"id": "story-cycle", "current_phase": "review"}}
    found = sure(at(crew(tmp_path), session=session))
    assert found.source == "session"
    assert found.where == "story-cycle: step 4 of 4, review, @qa: Judge it"
    assert found.path.endswith("story-cycle.yaml") and found.line == 15


def test_a_workflow_nobody_has_defined_is_told_as_it_is(tmp_path: Path) -> None:
    session = {"active_workflow": {"id": "unheard-of", "current_phase": "two"}}
    found = sure(at(crew(tmp_path), session=session))
    assert found.where == "unheard-of: phase two"
    assert found.report()["step"] is None


def test_a_step_names_the_command_of_its_agent(tmp_path: Path) -> None:
    agents = ".aiox-core/development/agents/dev.md"
    text = "```yaml\nagent:\n  id: dev\ncommands:\n  - build-login: Do it\n```\n"
    found = sure(at(crew(tmp_path, **{STATE: state(2), agents: text})))
    assert [(one.command, one.agent) for one in found.next] == [("build-login", "dev")]


def test_a_state_file_that_vanishes_is_told(tmp_path: Path) -> None:
    root = crew(tmp_path, **{STATE: state(2)})
    plan = plan_at(root)
    (root / STATE).unlink()
    situation = resolve(plan, Request(), measure())
    with pytest.raises(UnavailableError, match="is gone"):
        find(files_at(root), plan, situation)


def test_the_report_is_of_plain_values(tmp_path: Path) -> None:
    report = sure(at(crew(tmp_path, **{STATE: state(2)}))).report()
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
