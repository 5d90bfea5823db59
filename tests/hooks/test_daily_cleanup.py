"""Memories that are put away by themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.hooks import daily_cleanup
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage.atomic_files import FileLock
from tests.trees import TEAM, write_tree

NOW = 1_800_000_000.0
DAY = 86_400.0


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "app", TEAM)


def log(root: Path) -> str:
    path = root.parent / "cache/hook.log"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def remembered(root: Path, text: str, **fields: str) -> str:
    return MemoryStore(str(root)).remember(text, now=NOW, explicit=False, **fields).id


def put_away(root: Path, now: float) -> list[str]:
    """What the tidying of that time puts away."""
    store = MemoryStore(str(root))
    before = {record.id for record in store.archived_records()}
    daily_cleanup.tidy(str(root), now=now)
    return sorted({record.id for record in store.archived_records()} - before)


def test_what_has_expired_goes_to_the_archive_and_that_is_noted(root: Path) -> None:
    gone = remembered(root, "The build is slow today.", storage="session")
    kept = remembered(root, "Deploys wait for QA.", storage="durable")
    assert put_away(root, NOW + 2 * DAY) == [gone]
    store = MemoryStore(str(root))
    assert [record.id for record in store.records()] == [kept]
    assert [record.id for record in store.archived_records()] == [gone]
    assert f"1 memory was put away: {gone}; `synapse memory restore` restores it" in log(root)
    assert "slow" not in log(root)
    store.restore(gone)


def test_where_nothing_is_over_nothing_is_said(root: Path) -> None:
    remembered(root, "The build is slow today.", storage="session")
    assert put_away(root, NOW + 60) == []
    assert log(root) == ""


def test_the_days_are_those_of_the_configuration(root: Path) -> None:
    (root / ".synapse/config.toml").write_text("[memory.expiry]\nsession = 5\n")
    gone = remembered(root, "The build is slow today.", storage="session")
    assert put_away(root, NOW + 2 * DAY) == []
    assert put_away(root, NOW + 6 * DAY) == [gone]


def test_only_so_many_at_a_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily_cleanup, "MAX_MEMORIES", 2)
    for number in range(3):
        remembered(root, f"The build number {number} is slow.", storage="session")
    assert len(put_away(root, NOW + 2 * DAY)) == 2
    assert len(put_away(root, NOW + 2 * DAY)) == 1


def test_a_store_that_somebody_writes_is_left_for_the_next_day(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembered(root, "The build is slow today.", storage="session")
    monkeypatch.setattr("synapse_ls.memory.memory_store.LOCK_PATIENCE", 0.0)
    with FileLock(str(root / ".synapse/memory/store"), 1.0, within=str(root)):
        assert put_away(root, NOW + 2 * DAY) == []
    assert "LockTimeoutError" in log(root)
