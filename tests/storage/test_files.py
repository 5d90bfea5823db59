"""The locked, atomic file writer."""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
import time
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.storage import atomic_files
from synapse_ls.storage.atomic_files import (
    ANYWHERE,
    FileLock,
    StorageError,
    atomic_write,
    make_folders,
    read_bytes,
)
from tests.storage.processes import run, start

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")
LEFTOVER = ".synapse-0123456789abcdef.tmp"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def write(path: Path, data: bytes, **options: int) -> None:
    atomic_write(str(path), data, within=str(path.parent), **options)  # type: ignore[arg-type]


def test_a_new_file_is_written(tmp_path: Path) -> None:
    write(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_file_in_the_working_folder_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    atomic_write("a", b"new", within=ANYWHERE, durable=True)
    assert names(tmp_path) == {"a"}


def test_an_existing_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"much longer than the new content")
    write(path, b"new")
    assert path.read_bytes() == b"new"


def test_a_durable_write_has_the_same_result(tmp_path: Path) -> None:
    write(tmp_path / "a", b"new", durable=True)
    assert (tmp_path / "a").read_bytes() == b"new"
    assert names(tmp_path) == {"a"}


@given(data=st.binary(max_size=300_000))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip"
    write(path, data)
    assert read_bytes(str(path), 300_000, within=str(path.parent)) == data


@posix_only
def test_an_existing_file_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "script"
    path.write_bytes(b"old")
    path.chmod(0o751)
    write(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o751


@posix_only
def test_a_new_file_gets_the_mode_that_the_umask_leaves(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write(tmp_path / "a", b"new")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@posix_only
@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_an_explicit_mode_is_set_whatever_stood_there(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o666)
    write(path, b"new", mode=mode)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix_only
@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs root")
def test_root_leaves_a_file_to_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    os.chown(path, 12345, 23456)
    write(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)


@posix_only
def test_a_symbolic_link_is_written_through(tmp_path: Path) -> None:
    target, link = tmp_path / "elsewhere" / "target", tmp_path / "link"
    target.parent.mkdir()
    target.write_bytes(b"old")
    link.symlink_to(target)
    write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@posix_only
def test_a_dangling_link_creates_its_target(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("target")
    write(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


@posix_only
def test_a_link_to_what_is_missing_is_named_with_its_target(tmp_path: Path) -> None:
    path, target = tmp_path / "link", tmp_path / "gone" / "target"
    path.symlink_to(target)
    said = f"{path} is a link to {target}, which does not exist."
    with pytest.raises(StorageError) as caught:
        atomic_write(str(path), b"x", within=str(tmp_path))
    assert caught.value.sentence == f"Cannot write {path}: {said}"
    assert caught.value.remedy == "Remove the link, or create what it leads to."
    for folder in (path, path / "inside"):
        with pytest.raises(StorageError) as caught:
            make_folders(str(folder), within=str(tmp_path))
        assert caught.value.sentence == f"Cannot create {folder}: {said}"
    target.parent.mkdir()
    atomic_write(str(path), b"x", within=str(tmp_path))
    assert target.read_bytes() == b"x"


@posix_only
def test_a_link_loop_is_an_error_and_stays(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(StorageError, match="link"):
        write(tmp_path / "a", b"new")
    assert names(tmp_path) == {"a", "b"}


@posix_only
def test_what_is_no_regular_file_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StorageError, match="regular file"):
        write(tmp_path / "pipe", b"new")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_folder_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(StorageError, match="there is a folder where a file is needed"):
        write(tmp_path / "a", b"new")


def test_a_missing_folder_is_named_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"missing.*folder does not exist\. Create the folder"):
        write(tmp_path / "missing" / "a", b"new")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "permission is denied"),
        (errno.EIO, os.strerror(errno.EIO)),
    ],
)
def test_a_failing_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, reason: str
) -> None:
    def fail(fd: int, data: memoryview) -> NoReturn:
        raise OSError(code, os.strerror(code))

    path = tmp_path / "a"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(StorageError, match=reason) as caught:
        write(path, b"new")
    assert caught.value.errno == code
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == {"a"}


@posix_only
def test_a_limit_on_file_sizes_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    code = """
import os, resource
from synapse_ls.storage.atomic_files import StorageError, atomic_write
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))  # not earlier: it would cut bytecode
try:
    atomic_write(sys.argv[1], b"x" * 50_000, within=os.path.dirname(sys.argv[1]))
except StorageError as error:
    print(error.sentence)
"""
    assert "larger than allowed" in run(code, path)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == {"a"}


def test_an_interrupted_write_leaves_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(source: str, target: str, **_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "a", b"new")
    assert names(tmp_path) == set()


def test_a_file_that_another_process_has_open_on_windows_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, refusals = os.replace, iter([True, True])

    def refuse_twice(source: str, target: str, **folders: int) -> None:
        if next(refusals, False):
            raise PermissionError(errno.EACCES, "sharing violation")
        replace(source, target, **folders)

    monkeypatch.setattr(atomic_files, "_SHARING_PATIENCE", 5.0)
    monkeypatch.setattr(os, "replace", refuse_twice)
    write(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"


def test_leftovers_of_killed_writers_are_removed_after_a_minute(tmp_path: Path) -> None:
    fresh, old = tmp_path / LEFTOVER, tmp_path / LEFTOVER.replace("0", "1")
    now = time.time()
    for path, age in ((fresh, 30), (old, 90)):
        path.write_bytes(b"half a fi")
        os.utime(path, (now - age, now - age))
    write(tmp_path / "a", b"new")
    assert names(tmp_path) == {"a", fresh.name}


def test_only_our_own_leftovers_are_removed(tmp_path: Path) -> None:
    others = {".synapse-notes.tmp", "a.tmp", LEFTOVER + "~", ".synapse"}
    for name in others:
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, (0, 0))
    write(tmp_path / "a.json", b"new")
    assert names(tmp_path) == {"a.json", *others}


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"data")
    assert read_bytes(str(tmp_path / "a"), 4, within=str(tmp_path)) == b"data"


def test_a_missing_file_reads_as_none(tmp_path: Path) -> None:
    assert read_bytes(str(tmp_path / "a"), 4, within=str(tmp_path)) is None


def test_a_file_above_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"data!")
    with pytest.raises(StorageError, match="more than 4 bytes"):
        read_bytes(str(tmp_path / "a"), 4, within=str(tmp_path))


@posix_only
def test_a_pipe_does_not_block_its_reader(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StorageError, match="not a regular file"):
        read_bytes(str(tmp_path / "pipe"), 4, within=str(tmp_path))


def test_a_lock_excludes_others_and_says_so(tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    with (
        FileLock(path, 0, within=str(tmp_path)),
        pytest.raises(StorageError, match=r"Another process holds .*a\.lock\."),
        FileLock(path, 0, within=str(tmp_path)),
    ):
        pass
    with (
        FileLock(path, 0, within=str(tmp_path)),
        pytest.raises(StorageError, match=r"has held .*a\.lock for 0.01 s"),
        FileLock(path, 0.01, within=str(tmp_path)),
    ):
        pass


def test_a_lock_is_free_after_its_holder_left(tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    with FileLock(path, 0, within=str(tmp_path)):
        pass
    with FileLock(path, 0, within=str(tmp_path)):
        pass
    assert names(tmp_path) == {"a.lock"}


def test_a_lock_is_free_after_its_holder_raised(tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    with pytest.raises(KeyError), FileLock(path, 0, within=str(tmp_path)):
        raise KeyError
    with FileLock(path, 0, within=str(tmp_path)):
        pass


def test_a_waiting_process_gets_the_lock_when_it_is_free(tmp_path: Path) -> None:
    code = """
from synapse_ls.storage.atomic_files import FileLock
print("waiting", flush=True)
with FileLock(sys.argv[1], 120, within=""):
    print("held", flush=True)
"""
    with FileLock(str(tmp_path / "a"), 0, within=str(tmp_path)):
        waiter = start(code, tmp_path / "a")
        assert waiter.stdout is not None
        assert waiter.stdout.readline() == "waiting\n"
        assert waiter.poll() is None
    output, errors = waiter.communicate(timeout=120)
    assert (output, errors) == ("held\n", "")


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    code = """
from synapse_ls.storage.atomic_files import FileLock
with FileLock(sys.argv[1], 0, within=""):
    print("held", flush=True)
    sys.stdin.read()
"""
    holder = start(code, tmp_path / "a")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(StorageError), FileLock(str(tmp_path / "a"), 0, within=str(tmp_path)):
        pass
    holder.kill()
    holder.communicate(timeout=120)
    with FileLock(str(tmp_path / "a"), 5, within=str(tmp_path)):
        pass


def test_a_lock_that_is_not_kept_leaves_no_file_and_still_excludes(tmp_path: Path) -> None:
    path, inside, overlaps, rounds = str(tmp_path / "a"), threading.Semaphore(1), [], 100

    def work() -> None:
        for _ in range(rounds):
            with FileLock(path, 30, within=str(tmp_path), keep=False):
                if not inside.acquire(blocking=False):
                    overlaps.append(1)
                    continue
                inside.release()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not overlaps
    assert names(tmp_path) == set()


def test_a_lock_in_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with (
        pytest.raises(StorageError, match="folder does not exist"),
        FileLock(str(tmp_path / "a/b"), 0, within=str(tmp_path)),
    ):
        pass


@posix_only
def test_a_lock_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.lock").symlink_to("elsewhere")
    with (
        pytest.raises(StorageError, match="a symbolic link"),
        FileLock(str(tmp_path / "a"), 0, within=str(tmp_path)),
    ):
        pass
    assert not (tmp_path / "elsewhere").exists()
