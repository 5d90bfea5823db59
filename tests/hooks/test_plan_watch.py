"""What a hook server does with its plans between events."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from synapse_ls.hooks import hook_server
from synapse_ls.hooks.hook_server import LEAST_PAUSE, MAKING_PAUSE, PlanWatch
from synapse_ls.storage import current_plan, plan_cache
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.plan_cache import CachedPlan, hold_plans
from tests.trees import TEAM, write_tree

STATE = ".aiox/one-state.yaml"
RULES = ".synapse/global"
FILES = {
    **TEAM,
    STATE: """\
        workflow_id: flow
        status: active
        current_phase: build
        current_step_index: 0
        steps:
          - {phase: build, agent: dev}
        """,
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A tree whose plan is cached, in a process that holds plans."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(plan_cache, "holder", [])
    root = write_tree(tmp_path / "tree", FILES)
    for path in (root, *root.rglob("*")):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    load_plan(str(root))
    return str(root)


@pytest.fixture
def watch(root: str, monkeypatch: pytest.MonkeyPatch) -> PlanWatch:
    """What looks after the plan of the tree, which was asked for, however long a look takes."""
    monkeypatch.setattr(hook_server, "WORK_SHARE", 0)
    watch = PlanWatch(hold_plans(4))
    held_plan(root)
    return watch


@pytest.fixture
def making(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The roots of the trees whose plan a process is to make."""
    found: list[str] = []

    def begin(root: str) -> bool:
        found.append(root)
        return True

    monkeypatch.setattr(current_plan, "make_plan", begin)
    return found


def held_plan(root: str) -> CachedPlan:
    found = plan_cache.read_plan(root, "")
    assert found is not None
    return found


def edit(root: str, path: str, before: str, after: str) -> None:
    """Change a file as if that were a while ago: what has just changed is looked at again."""
    text = Path(root, path).read_text(encoding="utf-8")
    assert before in text
    Path(root, path).write_text(text.replace(before, after), encoding="utf-8")
    os.utime(Path(root, path), (1_700_000_100, 1_700_000_100))


def test_it_looks_more_often_until_a_plan_that_is_made_is_there(
    root: str, watch: PlanWatch, making: list[str]
) -> None:
    assert watch.look() == LEAST_PAUSE
    edit(root, RULES, "Write", "Do write")
    assert watch.look() == watch.look() == MAKING_PAUSE
    assert making == [root]
    current_plan.main(root, "")
    assert watch.look() == LEAST_PAUSE
    assert making == [root]


def test_a_workflow_that_goes_on_has_no_plan_made(
    root: str, watch: PlanWatch, making: list[str]
) -> None:
    edit(root, STATE, "current_phase: build", "current_phase: check")
    watch.look()
    assert not making
    edit(root, RULES, "Write", "Do write")
    watch.look()
    assert making == [root]
