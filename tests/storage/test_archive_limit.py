"""What past sessions leave stays within a size."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from synapse_ls.hooks.daily_cleanup import tidy
from synapse_ls.storage.session_archive import LIMITED_FOLDERS, delete_oldest
from tests.trees import TEAM, write_tree

NOW = 1_800_000_000.0


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "app", TEAM)


def leave(root: Path, folder: str, name: str, age: int) -> Path:
    """A record of 600 kB."""
    path = root / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * 600_000)
    os.utime(path, (NOW - age, NOW - age))
    return path


def test_the_oldest_records_go_first_wherever_they_lie(root: Path) -> None:
    sessions, digests = LIMITED_FOLDERS
    old, older = leave(root, sessions, "a.json", 20), leave(root, digests, "b.md", 30)
    new, newest = leave(root, digests, "c.md", 10), leave(root, sessions, "d.json", 0)
    assert delete_oldest(str(root), 3) == []
    assert delete_oldest(str(root), 2) == [str(older)]
    assert delete_oldest(str(root), 1) == [str(old), str(new)]
    assert newest.exists()
    assert delete_oldest(str(root), 0) == [str(newest)]


def test_sessions_in_use_and_memories_are_no_records(root: Path) -> None:
    kept = [
        leave(root, ".synapse/sessions", "a.json", 20),
        leave(root, ".synapse/memory/shared/durable", "b.md", 20),
        leave(root, ".synapse/memory/digests", ".gitignore", 20),
        leave(root, ".synapse/memory/digests", "mine.py", 20),
    ]
    assert delete_oldest(str(root), 0) == []
    assert all(path.exists() for path in kept)


def test_what_a_link_leads_to_stays(root: Path) -> None:
    outside = leave(root.parent, "outside", "a.md", 90)
    folder = root / LIMITED_FOLDERS[1]
    folder.mkdir(parents=True)
    (folder / "a.md").symlink_to(outside)
    (root / LIMITED_FOLDERS[0]).parent.mkdir(exist_ok=True)
    (root / LIMITED_FOLDERS[0]).symlink_to(outside.parent)
    assert delete_oldest(str(root), 0) == []
    assert outside.exists()


def test_once_a_day_the_size_is_that_of_the_configuration_and_the_log_says_so(root: Path) -> None:
    (root / ".synapse/config.toml").write_text("[session]\nkept_megabytes = 1\n")
    gone = leave(root, LIMITED_FOLDERS[0], "a.json", 20)
    kept = leave(root, LIMITED_FOLDERS[0], "b.json", 10)
    tidy(str(root), now=NOW)
    assert not gone.exists() and kept.exists()
    log = (root.parent / "cache/hook.log").read_text(encoding="utf-8")
    assert "1 record of past sessions was deleted, the oldest first" in log
    tidy(str(root), now=NOW)
    assert kept.exists()


@pytest.mark.parametrize("folder", LIMITED_FOLDERS)
def test_other_files_of_the_project_are_no_records(root: Path, folder: str) -> None:
    own, archived = leave(root, "src/sub", "a.py", 90), leave(root, LIMITED_FOLDERS[0], "a.json", 1)
    (root / folder).parent.mkdir(parents=True, exist_ok=True)
    if folder == LIMITED_FOLDERS[0]:
        archived.unlink()
        archived.parent.rmdir()
    (root / folder).symlink_to(root / "src")
    delete_oldest(str(root), 1)
    assert own.exists()
    assert archived.exists() == (folder != LIMITED_FOLDERS[0])
