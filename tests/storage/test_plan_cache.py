"""When a plan in the cache still holds."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from synapse_ls.storage.current_plan import PROMPT_PATIENCE, _build_lock, load_plan
from tests.trees import TEAM, write_tree

OLD = 1_700_000_000


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree that has not changed for long, with a plan in the cache."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    made = write_tree(tmp_path / "team", TEAM)
    for path in (made, *made.rglob("*")):
        os.utime(path, (OLD, OLD))
    load_plan(str(made))
    return made


def is_kept(root: Path) -> bool:
    return load_plan(str(root)).cached is not None


def test_a_prompt_takes_the_plan_that_another_one_is_compiling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    tree = write_tree(tmp_path / "team", TEAM)
    for path in (tree, *tree.rglob("*")):
        os.utime(path, (OLD, OLD))
    root = str(tree)
    with ThreadPoolExecutor() as threads:
        with _build_lock(root, "", 0.0):
            second = threads.submit(load_plan, root, patience=PROMPT_PATIENCE)
            load_plan(root)
        assert second.result().cached is not None


def test_a_tree_that_has_not_changed_needs_no_other_plan(root: Path) -> None:
    assert is_kept(root)


def test_the_first_session_is_no_change_of_the_rules(root: Path) -> None:
    (root / ".synapse/sessions").mkdir()
    (root / ".synapse/.gitignore").write_text("sessions/\n")
    assert is_kept(root)


@pytest.mark.parametrize("name", ["database", "manifest.bak", "testing.md"])
def test_a_file_that_comes_to_be_there_is(root: Path, name: str) -> None:
    (root / ".synapse" / name).write_text("DATABASE_RULE_0=Name constraints.\n")
    assert not is_kept(root)


def test_so_is_one_that_goes(root: Path) -> None:
    (root / ".synapse/global").unlink()
    assert not is_kept(root)


def test_so_is_one_that_is_written_again(root: Path) -> None:
    (root / ".synapse/manifest").write_text((root / ".synapse/manifest").read_text() + "\n")
    assert not is_kept(root)
