"""Where a session stands, with its workflow."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.hooks.session_continuation import (
    build_continuation,
    count_for_handoff,
    read_standing,
)
from synapse_ls.hooks.session_recovery import decide_handoff
from tests.hooks.hook_clients import Claude
from tests.trees import TEAM, write_tree

STATE = """\
    workflow_id: story-development-cycle
    instance_id: story-development-cycle-20261120-abc
    workflow_name: Story Development Cycle
    status: active
    started_at: "2026-11-20T09:00:00.000Z"
    updated_at: "2026-11-20T09:30:00.000Z"
    current_phase: "2"
    current_step_index: {index}
    steps:
      - step_index: 0
        phase: "1"
        agent: sm
        action: Draft the story
        status: completed
      - step_index: 1
        phase: "2"
        agent: dev
        action: Implement the story
        status: {dev}
      - step_index: 2
        phase: "3"
        agent: qa
        action: Review the story
        status: pending
    """


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "app", TEAM)


def begun(root: Path, index: int, dev: str) -> Claude:
    state = STATE.format(index=index, dev=dev)
    write_tree(root, {".aiox/story-development-cycle-20261120-abc-state.yaml": state})
    client = Claude(root)
    client.prompt("@dev hello")
    return client


def test_a_continuation_names_the_steps_and_the_one_that_is_worked_on(root: Path) -> None:
    client = begun(root, 1, "pending")
    where = read_standing(str(root), client.session)
    left = build_continuation(
        str(root), where, client="claude", reason="manual", now=client.now, digest_lists={}
    )
    assert left.workflow == "story-development-cycle"
    assert left.step == "2"
    assert left.pipeline == (
        "sm: Draft the story (completed)",
        "dev: Implement the story (pending) ← here",
        "qa: Review the story (pending)",
    )
    assert left.resume[0].startswith("Go on as @dev in workflow story-development-cycle")


@pytest.mark.parametrize(
    ("index", "dev", "action"),
    [(1, "pending", "continue"), (2, "completed", "spawn"), (2, "pending", "continue")],
)
def test_an_agent_is_done_when_its_step_is_and_the_next_is_anothers(
    root: Path, index: int, dev: str, action: str
) -> None:
    client = begun(root, index, dev)
    decision = decide_handoff(count_for_handoff(read_standing(str(root), client.session)))
    assert decision.action == action
    assert [reason.code for reason in decision.reasons] == ["agent_done"] * (action == "spawn")


def action_of(root: Path, client: Claude) -> str:
    return decide_handoff(count_for_handoff(read_standing(str(root), client.session))).action


def test_agents_who_take_turns_need_no_new_session(root: Path) -> None:
    client = begun(root, 2, "completed")
    assert action_of(root, client) == "spawn"
    client.prompt("@qa review it")
    assert action_of(root, client) == "continue"
    client.prompt("@dev fix what qa has found")
    assert action_of(root, client) == "continue"


@pytest.mark.parametrize(
    "definition",
    [
        "  type: loop\n  sequence:\n    - step: draft\n",
        """\
  sequence:
    - {id: draft, agent: sm}
    - {id: development, agent: dev}
    - {id: review, agent: qa, on_failure: return_to_development}
""",
    ],
)
def test_a_review_that_may_send_work_back_needs_no_new_session(root: Path, definition: str) -> None:
    client = begun(root, 2, "completed")
    written = f"workflow:\n  id: story-development-cycle\n{definition}"
    write_tree(root, {".aiox-core/development/workflows/story-development-cycle.yaml": written})
    assert action_of(root, client) == "continue"


def test_an_agent_with_another_step_to_come_is_not_done(root: Path) -> None:
    client = begun(root, 2, "completed")
    (path,) = (root / ".aiox").glob("*.yaml")
    more = "  - step_index: 3\n    agent: dev\n    action: Close it\n    status: pending\n"
    path.write_text(path.read_text("utf-8").rstrip() + "\n" + more, "utf-8")
    assert action_of(root, client) == "continue"


def test_a_state_file_that_is_gone_or_broken_is_no_reason_to_fail(root: Path) -> None:
    client = begun(root, 1, "pending")
    client.prompt("on")
    (path,) = (root / ".aiox").glob("*.yaml")
    path.write_bytes(b"\xff\xfe: [")
    count_for_handoff(read_standing(str(root), client.session))
    path.unlink()
    assert read_standing(str(root), client.session).workflow is None
