"""Listing sessions, and putting stale ones away."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from synapse_ls.storage.session_archive import (
    archive_stale,
    list_sessions,
    newest_session,
    parse_moment,
)
from synapse_ls.storage.session_changes import (
    activate_agent,
    record_prompt,
    record_usage,
)
from synapse_ls.storage.session_store import SessionStore, format_timestamp

NOW = 1_795_294_000.0
HOUR = 3600.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".synapse" / "sessions"


def used(folder: Path, session_id: str, at: float, text: str = "Fix the login bug") -> Path:
    store = SessionStore(str(folder))
    store.update(session_id, lambda s: record_prompt(s, text, at), cwd="/p/app", now=at)
    path = Path(store.path(session_id))
    os.utime(path, (at, at))
    return path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_file()} - {".gitignore"}


def test_a_missing_folder_holds_no_sessions(folder: Path) -> None:
    assert list_sessions(str(folder)) == ()
    assert newest_session(str(folder), 1, now=NOW) is None
    assert archive_stale(str(folder), now=NOW).moved == ()


def test_sessions_are_listed_by_their_last_activity(folder: Path) -> None:
    for session_id, at in (("a", NOW - 10), ("B", NOW), ("c", NOW - 20)):
        used(folder, session_id, at)
    assert [info.session_id for info in list_sessions(str(folder))] == ["B", "a", "c"]


def test_a_listed_session_tells_what_it_is_about(folder: Path) -> None:
    used(folder, "a", NOW)
    with SessionStore(str(folder)).transaction("a", cwd="/p", now=NOW) as transaction:
        activate_agent(transaction.session, "dev", now=NOW)
        record_usage(transaction.session, "MODERATE", 9, 50)
        transaction.commit()
    (info,) = list_sessions(str(folder))
    assert (info.title, info.label, info.agent) == ("Fix the login bug", "app", "dev")
    assert (info.bracket, info.prompt_count, info.last_activity) == ("MODERATE", 1, NOW)


def test_an_unreadable_file_is_listed_with_its_problem(folder: Path) -> None:
    used(folder, "a", NOW)
    (folder / "broken.json").write_bytes(b"{")
    os.utime(folder / "broken.json", (NOW - 5, NOW - 5))
    info = list_sessions(str(folder))[1]
    assert (info.session_id, info.last_activity) == ("", NOW - 5)
    assert "is not JSON" in info.problem


def test_other_files_in_the_folder_are_no_sessions(folder: Path) -> None:
    used(folder, "a", NOW)
    for name in ("_active-agent.json", ".synapse-0123456789abcdef.tmp", "a.json.unreadable-1"):
        (folder / name).write_bytes(b"{}")
    assert len(list_sessions(str(folder))) == 1


def test_the_newest_session_is_that_with_the_latest_activity(folder: Path) -> None:
    used(folder, "a", NOW - 10)
    used(folder, "b", NOW - 5)
    info = newest_session(str(folder), 1, now=NOW)
    assert info is not None
    assert info.session_id == "b"


def test_an_hour_without_activity_leaves_no_newest_session(folder: Path) -> None:
    used(folder, "a", NOW - 2 * HOUR)
    assert newest_session(str(folder), 1, now=NOW) is None


def test_activity_counts_and_not_the_time_of_the_file(folder: Path) -> None:
    path = used(folder, "a", NOW - 2 * HOUR)
    os.utime(path, (NOW, NOW))
    assert newest_session(str(folder), 1, now=NOW) is None


def test_an_unreadable_file_is_never_the_newest_session(folder: Path) -> None:
    used(folder, "a", NOW - 10)
    (folder / "broken.json").write_bytes(b"{")
    os.utime(folder / "broken.json", (NOW, NOW))
    info = newest_session(str(folder), 1, now=NOW)
    assert info is not None
    assert info.session_id == "a"


def test_only_stale_sessions_are_archived(folder: Path) -> None:
    old, young = used(folder, "old", NOW - 169 * HOUR), used(folder, "young", NOW - 167 * HOUR)
    data = old.read_bytes()
    archived = archive_stale(str(folder), now=NOW)
    assert archived.moved == ((str(old), str(folder / "archive" / "old.json")),)
    assert archived.skipped == ()
    assert (folder / "archive" / "old.json").read_bytes() == data
    assert young.exists()
    assert names(folder) == {"young.json", "young.json.lock"}


def test_another_age_may_be_given(folder: Path) -> None:
    used(folder, "a", NOW - 2 * HOUR)
    assert archive_stale(str(folder), now=NOW, hours=3).moved == ()
    assert len(archive_stale(str(folder), now=NOW, hours=1).moved) == 1


def test_a_session_without_a_readable_date_is_as_old_as_its_file(folder: Path) -> None:
    path = used(folder, "a", NOW - 200 * HOUR)
    session = json.loads(path.read_bytes())
    path.write_text(json.dumps({**session, "last_activity": "yesterday"}))
    os.utime(path, (NOW, NOW))
    assert archive_stale(str(folder), now=NOW).moved == ()
    os.utime(path, (NOW - 200 * HOUR, NOW - 200 * HOUR))
    assert len(archive_stale(str(folder), now=NOW).moved) == 1


def test_an_unreadable_file_is_left_and_reported(folder: Path) -> None:
    used(folder, "a", NOW)
    (folder / "broken.json").write_bytes(b"[]")
    os.utime(folder / "broken.json", (0, 0))
    archived = archive_stale(str(folder), now=NOW)
    assert archived.moved == ()
    (path, reason) = archived.skipped[0]
    assert path == str(folder / "broken.json")
    assert "holds no JSON object. Repair the file" in reason
    assert (folder / "broken.json").read_bytes() == b"[]"


def test_a_session_in_use_is_left_and_reported(folder: Path) -> None:
    path = used(folder, "a", NOW - 200 * HOUR)
    with SessionStore(str(folder)).transaction("a", cwd="/p", now=NOW):
        archived = archive_stale(str(folder), now=NOW)
    assert archived.moved == ()
    assert "Another process" in archived.skipped[0][1]
    assert path.exists()


@pytest.mark.skipif(os.name == "nt", reason="symbolic links")
def test_a_linked_session_is_left_and_reported(folder: Path, tmp_path: Path) -> None:
    path = used(folder, "a", NOW - 200 * HOUR)
    path.rename(tmp_path / "target.json")
    path.symlink_to(tmp_path / "target.json")
    assert "it is a link" in archive_stale(str(folder), now=NOW).skipped[0][1]
    assert path.is_symlink()


def test_an_archived_session_that_goes_on_comes_back(folder: Path) -> None:
    used(folder, "a", NOW - 200 * HOUR)
    archive_stale(str(folder), now=NOW)
    path = used(folder, "a", NOW)
    assert json.loads(path.read_bytes())["prompt_count"] == 2
    assert names(folder / "archive") == set()


def test_an_archived_session_of_an_older_schema_stays_as_it_was(folder: Path) -> None:
    (folder / "archive").mkdir(parents=True)
    old = b'{"uuid":"a","schema_version":"1.0","prompt_count":4}'
    (folder / "archive" / "a.json").write_bytes(old)
    path = used(folder, "a", NOW)
    assert json.loads(path.read_bytes())["prompt_count"] == 5
    assert (folder / "archive" / "a.json").read_bytes() == old


def test_an_archived_session_that_is_only_looked_at_stays_archived(folder: Path) -> None:
    used(folder, "a", NOW - 200 * HOUR)
    archive_stale(str(folder), now=NOW)
    with SessionStore(str(folder)).transaction("a", cwd="/p", now=NOW) as transaction:
        assert not transaction.is_new
    assert names(folder / "archive") == {"a.json"}


def test_nothing_in_the_archive_is_overwritten(folder: Path) -> None:
    used(folder, "a", NOW - 200 * HOUR)
    (folder / "archive").mkdir()
    (folder / "archive" / "a.json").write_bytes(b"earlier")
    archive_stale(str(folder), now=NOW)
    assert names(folder / "archive") == {"a.json", "a.json.older-1"}
    assert (folder / "archive" / "a.json.older-1").read_bytes() == b"earlier"


def test_lock_files_of_sessions_that_are_gone_are_removed(folder: Path) -> None:
    used(folder, "a", NOW)
    for name, at in (("gone.json.lock", NOW - 200 * HOUR), ("begins.json.lock", NOW)):
        (folder / name).write_bytes(b"")
        os.utime(folder / name, (at, at))
    archive_stale(str(folder), now=NOW)
    assert names(folder) == {"a.json", "a.json.lock", "begins.json.lock"}


def test_a_moment_is_read_in_the_zone_it_names() -> None:
    assert parse_moment(format_timestamp(NOW)) == NOW
    assert parse_moment("2026-11-21T22:46:40+02:00") == NOW


@pytest.mark.parametrize("value", [None, "", "yesterday", 5, "9999-99-99"])
def test_what_is_no_date_is_no_moment(value: object) -> None:
    assert parse_moment(value) is None
