"""What past sessions leave stays within a size."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from synapse_ls.hooks.daily_cleanup import tidy
from synapse_ls.storage import plan_cache
from synapse_ls.storage.injection_log import known_sessions
from synapse_ls.storage.session_archive import LIMITED_FOLDERS, delete_oldest
from tests.trees import TEAM, write_tree

NOW = 1_800_000_000.0
SESSIONS, DIGESTS, CONTINUATIONS, CHATI = LIMITED_FOLDERS
DIGEST = "2026-11-0{}T09-00-00-0f8a41c2-6d1-0.md"
OURS = ("a", "b", "c", "d", "0f8a41c2-6d1b-4b1e")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "app", TEAM)


def leave(root: Path, folder: str, name: str, age: int, session: str = "a") -> Path:
    """A record of 600 kB."""
    path = root / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(f"---\nsession_id: {session}\n---\n".encode().ljust(600_000))
    os.utime(path, (NOW - age, NOW - age))
    return path


def test_the_oldest_records_go_first_wherever_they_lie(root: Path) -> None:
    old, older = leave(root, SESSIONS, "a.json", 20), leave(root, DIGESTS, DIGEST.format(1), 30)
    new = leave(root, CONTINUATIONS, "2026-11-01T09-00-00Z.md", 10)
    newest = leave(root, SESSIONS, "d.json.older-1", 0)
    assert delete_oldest(str(root), 3, OURS) == []
    assert delete_oldest(str(root), 2, OURS) == [str(older)]
    assert delete_oldest(str(root), 1, OURS) == [str(old), str(new)]
    assert newest.exists()
    assert delete_oldest(str(root), 0, OURS) == [str(newest)]


def test_sessions_in_use_and_memories_are_no_records(root: Path) -> None:
    kept = [
        leave(root, ".synapse/sessions", "a.json", 20),
        leave(root, ".synapse/memory/shared/durable", "b.md", 20),
        leave(root, ".synapse/memory/digests", ".gitignore", 20),
        leave(root, ".synapse/memory/digests", "mine.py", 20),
        leave(root, ".synapse/memory/digests", "plan.md", 20),
        leave(root, SESSIONS, "plan.md", 20),
        leave(root, CONTINUATIONS, "latest.md", 20),
        leave(root, CONTINUATIONS, "plan-01.md", 20),
        leave(root, CHATI, "2026-plan.md", 20),
    ]
    assert delete_oldest(str(root), 0, OURS) == []
    assert all(path.exists() for path in kept)


def test_what_a_link_leads_to_stays(root: Path) -> None:
    outside = leave(root.parent, "outside", DIGEST.format(1), 90)
    folder = root / DIGESTS
    folder.mkdir(parents=True)
    (folder / outside.name).symlink_to(outside)
    (root / SESSIONS).parent.mkdir(exist_ok=True)
    (root / SESSIONS).symlink_to(outside.parent)
    assert delete_oldest(str(root), 0, OURS) == []
    assert outside.exists()


def test_once_a_day_the_size_is_that_of_the_configuration_and_the_log_says_so(root: Path) -> None:
    (root / ".synapse/config.toml").write_text("[session]\nkept_megabytes = 1\n")
    gone = leave(root, SESSIONS, "a.json", 20)
    kept = leave(root, SESSIONS, "b.json", 10)
    for session in ("a", "b"):
        plan_cache.remember_session(str(root), session)
    tidy(str(root), now=NOW)
    assert not gone.exists() and kept.exists()
    log = (root.parent / "cache/hook.log").read_text(encoding="utf-8")
    assert "1 record of past sessions was deleted, the oldest first" in log
    tidy(str(root), now=NOW)
    assert kept.exists()


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        (SESSIONS, "b.json"),
        (DIGESTS, DIGEST.format(1)),
        (CONTINUATIONS, "undated.md"),
        (CHATI, "2026-11-01T09-00-00Z.md"),
    ],
)
def test_other_files_of_the_project_are_no_records(root: Path, folder: str, name: str) -> None:
    own, archived = leave(root, "src", name, 90), leave(root, SESSIONS, "a.json", 1)
    (root / folder).parent.mkdir(parents=True, exist_ok=True)
    if folder == SESSIONS:
        archived.unlink()
        archived.parent.rmdir()
    (root / folder).symlink_to(root / "src")
    delete_oldest(str(root), 1, OURS)
    assert own.exists()
    assert archived.exists() == (folder != SESSIONS)


def test_what_came_with_the_repository_pushes_out_no_record_of_a_person(root: Path) -> None:
    theirs = [leave(root, CONTINUATIONS, f"2026-11-0{day}T00-00-00Z.md", 0, "z") for day in (1, 2)]
    theirs += [
        leave(root, SESSIONS, "z.json", 0),
        leave(root, DIGESTS, "2026-11-01T09-00-00-z-0.md", 0),
    ]
    old, new = leave(root, SESSIONS, "a.json", 30), leave(root, DIGESTS, DIGEST.format(1), 20)
    assert delete_oldest(str(root), 2, OURS) == []
    assert delete_oldest(str(root), 1, OURS) == [str(old)]
    assert new.exists() and all(path.exists() for path in theirs)


def test_whose_session_was_answered_once_is_known_for_good(root: Path) -> None:
    plan_cache.remember_session(str(root), "a")
    assert known_sessions(str(root)) == {"a"}
