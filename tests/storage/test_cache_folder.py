"""Where plans and logs are kept: nowhere that others may write to."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from synapse_ls.integrations.client_settings import Surroundings, Trouble
from synapse_ls.setup.doctor.tree_checks import storage_troubles
from synapse_ls.storage import hook_log, plan_cache
from synapse_ls.workspace import user_folders
from tests.policies import place_machine_policy

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners and rights of POSIX")


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that everybody may write to, on a machine with a folder for temporary files."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(folder))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    return folder


def cache_troubles(shared: Path) -> list[Trouble]:
    """What the doctor says of the cache folder, in a project without a tree."""
    troubles = storage_troubles(Surroundings(shared.parent, shared.parent))
    return [trouble for trouble in troubles if trouble.code == "shared-cache"]


def test_nothing_is_written_into_a_folder_that_others_may_write(shared: Path) -> None:
    hook_log.log_line("something went wrong")
    plan_cache.write_memo("/tree", "notes", {"a": 1})
    assert list(shared.iterdir()) == []
    [local] = (shared.parent / "tmp").iterdir()
    assert local.stat().st_mode & 0o777 == 0o700
    assert "something went wrong" in (local / "hook.log").read_text()
    assert plan_cache.read_memo("/tree", "notes") == {"a": 1}


def test_doctor_says_where_the_cache_is(shared: Path) -> None:
    [trouble] = cache_troubles(shared)
    assert trouble.severity == "warning"
    assert trouble.sentence.startswith(f"{shared} is not this user's alone, so plans and logs")
    assert f"chmod go-w {shared}" in trouble.remedy


@pytest.mark.parametrize("is_link", [True, False])
def test_a_name_that_somebody_else_took_first_is_not_used(shared: Path, is_link: bool) -> None:
    taken, theirs = Path(user_folders.local_cache_folder()), shared.parent / "theirs"
    theirs.mkdir(mode=0o700)
    if is_link:
        taken.symlink_to(theirs)
    else:
        taken.mkdir()
        taken.chmod(0o777)
    hook_log.log_line("something went wrong")
    assert plan_cache.prepare_cache_folder() == ""
    assert list(theirs.iterdir()) == list(shared.iterdir()) == []
    [trouble] = cache_troubles(shared)
    assert "no plan and no log is kept" in trouble.sentence


def test_a_private_folder_is_used_as_it_is(shared: Path) -> None:
    shared.chmod(0o700)
    hook_log.log_line("something went wrong")
    assert [path.name for path in shared.iterdir()] == ["hook.log"]
    assert cache_troubles(shared) == []


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, and a working directory that is somebody's repository."""
    monkeypatch.delenv("SYNAPSE_LS_CACHE", raising=False)
    for name in ("home", "tmp", "repository"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.chdir(tmp_path / "repository")
    monkeypatch.setattr(sys, "platform", "linux")
    return tmp_path


def logs(folder: Path) -> list[str]:
    """Where a hook logs a line, relative to ``folder``."""
    user_folders.forget_foreign_folders(os.curdir)
    hook_log.log_line("something went wrong")
    return [path.relative_to(folder).as_posix() for path in folder.rglob("hook.log")]


@pytest.mark.parametrize("said", ["", ".", "cache", "../repository", "~/cache"])
def test_a_cache_home_that_is_no_absolute_path_counts_for_nothing(
    at_home: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", said)
    assert logs(at_home) == ["home/.cache/synapse-ls/hook.log"]


def test_a_folder_for_temporary_files_that_is_no_absolute_path_counts_for_nothing(
    at_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "tmp")
    assert Path(user_folders.local_cache_folder()).is_absolute()


def test_in_a_sticky_folder_a_folder_of_ones_own_is_used(
    at_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = at_home / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared))
    assert logs(at_home) == ["shared/synapse-ls/hook.log"]
    assert (shared / "synapse-ls").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_may_exchange_is_not_used(
    at_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = at_home / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared))
    assert logs(at_home) == [f"tmp/synapse-ls-{os.geteuid()}/hook.log"]


def test_where_the_folder_for_temporary_files_is_no_better_nothing_is_logged(
    at_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (at_home / "tmp").chmod(0o777)
    monkeypatch.setenv("XDG_CACHE_HOME", str(at_home / "tmp"))
    assert logs(at_home) == []


def test_folders_on_the_way_are_nobody_elses(
    at_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.umask(0)
    try:
        assert logs(at_home) == ["home/.cache/synapse-ls/hook.log"]
    finally:
        os.umask(before)
    assert (at_home / "home/.cache").stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="root gives files away")
@pytest.mark.parametrize("what", ["folder", "parent", "link"])
def test_what_belongs_to_somebody_else_is_not_used(
    at_home: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    parent, private = at_home / "shared", at_home / "private"
    parent.mkdir()
    private.mkdir(mode=0o700)
    place = parent / "synapse-ls"
    if what == "link":
        place.symlink_to(private)
    else:
        place.mkdir(mode=0o700)
    os.lchown(parent if what == "parent" else place, 4_711, 4_711)
    monkeypatch.setenv("XDG_CACHE_HOME", str(parent))
    assert logs(at_home) == ["tmp/synapse-ls-0/hook.log"]


@pytest.mark.parametrize("is_link", [True, False])
def test_a_log_that_is_no_file_is_left_alone(shared: Path, is_link: bool) -> None:
    shared.chmod(0o700)
    target = shared.parent / "notes.txt"
    target.write_text("mine\n")
    if is_link:
        (shared / "hook.log").symlink_to(target)
    else:
        os.mkfifo(shared / "hook.log")
    hook_log.log_line("something went wrong")
    assert target.read_text() == "mine\n"


@pytest.mark.parametrize("variable", ["SYNAPSE_LS_CACHE", "XDG_CACHE_HOME"])
@pytest.mark.parametrize("spelling", ["/proc/self/cwd/c", "{repository}/c", "{tmp}/link"])
def test_a_folder_of_the_project_is_no_cache_folder(
    at_home: Path, monkeypatch: pytest.MonkeyPatch, variable: str, spelling: str
) -> None:
    repository = at_home / "repository"
    (repository / ".git").mkdir()
    (repository / "c").mkdir(mode=0o700)
    (at_home / "link").symlink_to(repository / "c")
    monkeypatch.setenv(variable, spelling.format(repository=repository, tmp=at_home))
    assert logs(at_home) == ["home/.cache/synapse-ls/hook.log"]


def test_a_folder_of_the_project_does_not_stand_in_for_a_shared_one(
    at_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = at_home / "repository"
    (repository / ".git").mkdir()
    shared = at_home / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(shared))
    monkeypatch.setenv("TMPDIR", str(repository / "tmp"))
    user_folders.forget_foreign_folders(str(repository))
    assert plan_cache.cache_folder() == f"/tmp/synapse-ls-{os.geteuid()}"


def test_what_is_cached_is_not_written_through_a_link(shared: Path) -> None:
    shared.chmod(0o700)
    target = shared.parent / "notes.txt"
    target.write_text("mine\n")
    (shared / plan_cache.cache_file_name("/tree", "", "notes")).symlink_to(target)
    plan_cache.write_memo("/tree", "notes", {"a": 1})
    assert target.read_text() == "mine\n"
    assert plan_cache.read_memo("/tree", "notes") == {"a": 1}


def test_a_plan_without_the_stamp_of_a_policy_is_not_current(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamps = plan_cache.PlanStamps(str(tmp_path), 0, ({}, {}, {}, (), (), ""))
    assert stamps.is_current()
    place_machine_policy(monkeypatch, tmp_path / "etc", "[guard]\nmode = 'enforce'\n")
    assert not stamps.is_current()
