"""A prompt after a workflow went on needs only its state file read, and is told the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random

import pytest

from synapse_ls.engine.compiled_plan import STORED_FIELDS, Plan
from synapse_ls.storage import plan_cache
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.tree_compilation import compile_tree
from synapse_ls.workspace.file_reader import FileContent, read_file
from tests.support import corpus
from tests.trees import TEAM, write_tree

ONE, TWO = ".aiox/one-state.yaml", ".aiox/deep/two-state.yaml"
STATE = """\
workflow_id: {workflow}
status: {status}
current_phase: {phase}
squad_name: {squad}
story: 1.2
updated_at: '{updated}'
current_step_index: {index}
steps:
  - {{phase: build, agent: dev, task: a.md}}
  - {{phase: check, agent: '@qa'}}
"""
FLOW = """\
workflow:
  id: flow
  sequence:
    - {id: first, phase: one, agent: dev, task: plan.md}
    - {id: second, phase: two, agent: qa, task: look.md}
"""
_moments = count(1_700_000_000)


def put(root: Path, path: str, text: str) -> None:
    """Write a file as if that were long ago: what has just changed is looked at again."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")
    moment = next(_moments)
    os.utime(root / path, (moment, moment))


def state(**fields: object) -> str:
    told = {
        "workflow": "flow",
        "status": "active",
        "phase": "build",
        "squad": "null",
        "updated": "2026-01-02T10:00:00Z",
        "index": 0,
    }
    return STATE.format(**{**told, **fields})


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with two workflows under way, whose plan is cached."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(plan_cache, "CLOCK_TICK", -600_000_000_000)
    root = write_tree(tmp_path / "tree", TEAM)
    put(root, ".aiox-core/development/workflows/flow.yaml", FLOW)
    put(root, ONE, state())
    put(root, TWO, state(workflow="other", index=1))
    load_plan(str(root))
    return root


def told(root: Path) -> Plan:
    """The plan of a prompt."""
    return load_plan(str(root), patience=30).plan


def assert_current(plan: Plan, root: Path) -> None:
    """The plan says what one says that is made of all files."""
    anew = compile_tree(str(root)).plan
    for name in STORED_FIELDS:
        if name not in ("packed", "workflow_states", "workflow_steps"):
            assert getattr(plan, name) == getattr(anew, name), name
    assert [state.values for state in plan.states] == [state.values for state in anew.states]
    assert list(plan.packed) == list(anew.packed)


@pytest.mark.parametrize(
    "fields",
    [
        {"phase": "check"},
        {"index": 1},
        {"index": 7},
        {"status": "completed"},
        {"squad": "etl"},
        {"updated": "2027-01-02T10:00:00Z"},
    ],
)
def test_a_workflow_that_goes_on_has_only_its_state_read(
    root: Path, compiled_roots: list[str], fields: dict[str, object]
) -> None:
    put(root, ONE, state(**fields))
    plan = told(root)
    assert not compiled_roots
    assert_current(plan, root)


def test_a_state_is_read_without_the_parsers_of_rules() -> None:
    loaded = (
        "import sys, synapse_ls.storage.plan_writer, synapse_ls.formats.workflow_state;"
        "print('synapse_ls.formats.domain_file' in sys.modules, 'dataclasses' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False False\n"


def test_it_goes_on_again_and_again(root: Path, compiled_roots: list[str]) -> None:
    for number in range(4):
        put(root, (ONE, TWO)[number % 2], state(workflow=("flow", "other")[number % 2], index=1))
        plan = told(root)
        assert not compiled_roots
        assert_current(plan, root)
        del compiled_roots[:]


def test_a_process_that_holds_plans_writes_none_while_a_prompt_waits(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan_cache, "holder", [])
    plan_cache.hold_plans(1)
    before = Path(plan_cache.plan_file(str(root))).read_bytes()
    put(root, ONE, state(phase="check"))
    plan = told(root)
    assert_current(plan, root)
    assert told(root) is plan
    assert Path(plan_cache.plan_file(str(root))).read_bytes() == before


def test_what_was_read_once_is_not_read_by_the_next_prompt(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(root, ONE, state(phase="check"))
    told(root)
    read: list[str] = []

    def note(path: str, **options: str) -> FileContent | None:
        read.append(path)
        return read_file(path, **options)

    monkeypatch.setattr("synapse_ls.storage.plan_writer.read_file", note)
    now_told = told(root).states
    assert not read
    assert "check" in now_told[0].phases + now_told[1].phases
    put(root, ONE, state(phase="again"))
    told(root)
    assert read == [str(root / ONE)]


def _add(root: Path) -> None:
    put(root, ".aiox/three-state.yaml", state(workflow="third"))


def _remove(root: Path) -> None:
    (root / ONE).unlink()


def _begin_another(root: Path) -> None:
    put(root, ONE, state(workflow="third"))


def _break(root: Path) -> None:
    put(root, ONE, "a: [")


def _empty(root: Path) -> None:
    put(root, ONE, "")


def _change_a_rule_too(root: Path) -> None:
    put(root, ONE, state(phase="check"))
    put(root, ".synapse/manifest", (root / ".synapse/manifest").read_text() + "# more\n")


def _change_the_definition(root: Path) -> None:
    put(root, ONE, state(phase="check"))
    put(root, ".aiox-core/development/workflows/flow.yaml", FLOW.replace("second", "last"))


@pytest.mark.parametrize(
    "change",
    [
        _add,
        _remove,
        _begin_another,
        _break,
        _empty,
        _change_a_rule_too,
        _change_the_definition,
    ],
)
def test_where_more_has_changed_all_is_read(
    root: Path, compiled_roots: list[str], change: Callable[[Path], None]
) -> None:
    change(root)
    told(root)
    assert compiled_roots == [str(root)]


def test_a_state_that_is_paused_and_goes_on_is_told_again(root: Path) -> None:
    for status in ("paused", "active", "completed", "active"):
        put(root, ONE, state(status=status, index=1))
        plan = told(root)
        assert [one.id for one in plan.states if one.id == "flow"] == (
            ["flow"] if status == "active" else []
        )
        assert_current(plan, root)


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_to_states_the_plan_is_that_of_all_files(root: Path, seed: int) -> None:
    chance = Random(seed)
    for _ in range(12):
        path = chance.choice((ONE, TWO, ".aiox/three-state.yaml"))
        text = state(
            workflow=chance.choice(("flow", "flow", "other")),
            status=chance.choice(("active", "active", "paused")),
            index=chance.randrange(3),
            updated=chance.choice(("2026-01-02T10:00:00Z", "2027-01-01", "soon")),
        )
        put(root, path, chance.choice((text, text, text, "a: [", "")))
        plan = told(root)
        if not plan.notices:
            assert_current(plan, root)


def test_a_real_tree_goes_on_with_only_its_state_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled_roots: list[str]
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(plan_cache, "CLOCK_TICK", -600_000_000_000)
    root = tmp_path / "tree"
    shutil.copytree(corpus() / "aiox", root, symlinks=True)
    path = ".aiox/story-state.yaml"
    put(root, path, state(workflow="story-development-cycle"))
    load_plan(str(root))
    del compiled_roots[:]
    for index in (1, 0):
        put(root, path, state(workflow="story-development-cycle", index=index))
        plan = told(root)
        assert not compiled_roots
        assert_current(plan, root)
        del compiled_roots[:]
