"""Where plans and logs are kept: nowhere that others may write to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from synapse_ls.setup.doctor.storage_checks import cache_troubles
from synapse_ls.storage import hook_log, plan_cache

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


def test_nothing_is_written_into_a_folder_that_others_may_write(shared: Path) -> None:
    hook_log.log_line("something went wrong")
    plan_cache.write_memo("/tree", "notes", {"a": 1})
    assert list(shared.iterdir()) == []
    [local] = (shared.parent / "tmp").iterdir()
    assert local.stat().st_mode & 0o777 == 0o700
    assert "something went wrong" in (local / "hook.log").read_text()
    assert plan_cache.read_memo("/tree", "notes") == {"a": 1}


def test_doctor_says_where_the_cache_is(shared: Path) -> None:
    [trouble] = cache_troubles()
    assert trouble.severity == "warning"
    assert trouble.sentence.startswith(f"{shared} is not this user's alone, so plans and logs")
    assert f"chmod go-w {shared}" in trouble.remedy


@pytest.mark.parametrize("is_link", [True, False])
def test_a_name_that_somebody_else_took_first_is_not_used(shared: Path, is_link: bool) -> None:
    taken, theirs = Path(plan_cache.local_cache_folder()), shared.parent / "theirs"
    theirs.mkdir(mode=0o700)
    if is_link:
        taken.symlink_to(theirs)
    else:
        taken.mkdir()
        taken.chmod(0o777)
    hook_log.log_line("something went wrong")
    assert plan_cache.prepare_cache_folder() == ""
    assert list(theirs.iterdir()) == list(shared.iterdir()) == []
    [trouble] = cache_troubles()
    assert "no plan and no log is kept" in trouble.sentence


def test_a_private_folder_is_used_as_it_is(shared: Path) -> None:
    shared.chmod(0o700)
    hook_log.log_line("something went wrong")
    assert [path.name for path in shared.iterdir()] == ["hook.log"]
    assert list(cache_troubles()) == []
