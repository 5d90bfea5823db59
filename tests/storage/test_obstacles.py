"""The session store where something stands in its way: broken files, links, rights."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.storage.session_store import SessionStore
from tests.storage.processes import run
from tests.storage.support import NOW, content, names, posix_only, prompt


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that every user can reach; pytest's own are only for the user who runs it."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


# Permissions do not bind root, so root becomes somebody else.
AS_NOBODY = """
import os
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.storage.session_store import SessionStore
if os.geteuid() == 0:
    os.setuid(65534)
try:
    print(*SessionStore(sys.argv[1]).update("s1", lambda _: None, cwd="/p", now=0.0).notes)
except StorageError as error:
    print(error)
"""


UNREADABLE = {
    "invalid JSON": b'{"uuid": "s1", "prompt_c',
    "nothing": b"",
    "null": b"null",
    "a list": b"[1, 2]",
    "a word": b'"session"',
    "no UTF-8": b'{"uuid": "\xff"}',
    "a newer schema": b'{"uuid": "s1", "schema_version": "3.0", "prompt_count": 4}',
    "deep nesting": b"[" * 200_000,
    "a huge file": b" " * 4_000_001,
}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_file_is_moved_aside_unchanged(
    store: SessionStore, folder: Path, data: bytes
) -> None:
    folder.mkdir(parents=True)
    (folder / "s1.json").write_bytes(data)
    transaction = prompt(store)
    assert transaction.is_new
    assert (folder / "s1.json.unreadable-1").read_bytes() == data
    assert len(transaction.notes) == 1
    assert transaction.notes[0].startswith("s1.json ")
    assert transaction.notes[0].endswith("kept as s1.json.unreadable-1.")
    assert content(folder / "s1.json")["prompt_count"] == 1


def test_nothing_that_was_moved_aside_is_overwritten(store: SessionStore, folder: Path) -> None:
    for data in (b"one", b"two", b"three"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "s1.json").write_bytes(data)
        prompt(store)
    kept = [(folder / f"s1.json.unreadable-{n}").read_bytes() for n in (1, 2, 3)]
    assert kept == [b"one", b"two", b"three"]


def test_an_unreadable_file_stays_where_nothing_is_committed(
    store: SessionStore, folder: Path
) -> None:
    folder.mkdir(parents=True)
    (folder / "s1.json").write_bytes(b"?")
    assert store.load("s1") is None
    session, problem = store.inspect("s1")
    assert session is None
    assert problem
    with store.transaction("s1", cwd="/p", now=NOW) as transaction:
        assert transaction.notes
    assert names(folder) == {"s1.json"}


def test_a_folder_in_the_place_of_a_session_is_moved_aside(
    store: SessionStore, folder: Path
) -> None:
    (folder / "s1.json" / "inside").mkdir(parents=True)
    prompt(store)
    assert (folder / "s1.json.unreadable-1" / "inside").is_dir()
    assert content(folder / "s1.json")["prompt_count"] == 1


def test_an_older_schema_is_converted_and_kept(store: SessionStore, folder: Path) -> None:
    folder.mkdir(parents=True)
    old = b'{"uuid":"s1","schema_version":"1.0","prompt_count":4,"theirs":1}'
    (folder / "s1.json").write_bytes(old)
    transaction = prompt(store)
    session = content(folder / "s1.json")
    assert not transaction.is_new
    assert "s1.json.older-1" in transaction.notes[0]
    assert (folder / "s1.json.older-1").read_bytes() == old
    assert (session["schema_version"], session["prompt_count"], session["theirs"]) == ("2.0", 5, 1)


@posix_only
def test_a_linked_folder_is_an_error_and_nothing_is_written_behind_it(
    tmp_path: Path, folder: Path, store: SessionStore
) -> None:
    (tmp_path / "real").mkdir()
    folder.parent.mkdir()
    folder.symlink_to(tmp_path / "real")
    with pytest.raises(StorageError, match="it is a link to other files of the project"):
        prompt(store)
    assert list((tmp_path / "real").iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_bytes(b"")
    with pytest.raises(StorageError, match="there is a file where a folder is needed"):
        prompt(SessionStore(str(tmp_path / "sessions")))


def test_a_file_in_the_place_of_the_parent_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    store = SessionStore(str(tmp_path / "a" / "sessions"))
    with pytest.raises(StorageError, match="there is a file where a folder is needed"):
        prompt(store)


@posix_only
@pytest.mark.parametrize("has_lock", [False, True])
def test_a_folder_without_write_access_is_an_error(shared: Path, has_lock: bool) -> None:
    if has_lock:
        (shared / "s1.json.lock").write_bytes(b"")
        (shared / "s1.json.lock").chmod(0o666)
    shared.chmod(0o555)
    assert "permission is denied. Give this user write access" in run(AS_NOBODY, shared)
    assert not (shared / "s1.json").exists()


@posix_only
def test_a_gitignore_that_cannot_be_written_is_a_note(shared: Path) -> None:
    folder = shared / "sessions"
    folder.mkdir()
    folder.chmod(0o777)
    shared.chmod(0o555)
    assert ".gitignore: permission is denied" in run(AS_NOBODY, folder)
    assert (folder / "s1.json").exists()
