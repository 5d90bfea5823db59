"""The project as git sees it, whoever made the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from contextlib import suppress
from pathlib import Path

import pytest

from synapse_ls.activation import project_status
from synapse_ls.activation.loader_runner import LoaderSlot, UnavailableError
from synapse_ls.activation.project_status import ProjectStatus
from synapse_ls.workspace import git_runner as asking
from synapse_ls.workspace import repository_discovery
from synapse_ls.workspace.repository_discovery import ForeignPlace
from tests.activation.crew import git, repository

posix = pytest.mark.skipif(sys.platform == "win32", reason="scripts are for a POSIX shell")


def look(root: Path, seconds: float = 120.0) -> ProjectStatus:
    slot = LoaderSlot(time.monotonic() + seconds)
    project_status.load_project(str(root), slot)
    assert isinstance(slot.value, ProjectStatus)
    return slot.value


def failing(root: Path, seconds: float = 120.0) -> tuple[ProjectStatus, str]:
    slot = LoaderSlot(time.monotonic() + seconds)
    with pytest.raises(UnavailableError) as refused:
        project_status.load_project(str(root), slot)
    return slot.value, str(refused.value)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "work", "feat/login")


def test_nothing_changed(root: Path) -> None:
    found = look(root)
    assert found.head is not None and found.head.branch == "feat/login"
    assert found.changes is not None and found.changes.total == 0
    assert found.commits is not None and [c.subject for c in found.commits] == ["Begin"]
    assert git(root, "rev-parse", "HEAD").startswith(found.commits[0].hash)


def test_where_the_repository_leads_is_looked_at_once(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    whole = repository_discovery.find_foreign_place

    def find_foreign_place(start: str) -> ForeignPlace | None:
        looks.append(start)
        return whole(start)

    for module in (repository_discovery, asking):
        monkeypatch.setattr(module, "find_foreign_place", find_foreign_place)
    assert look(root).changes is not None
    assert looks == [str(root)]


def test_changes_are_counted_by_sort(root: Path) -> None:
    (root / "kept.txt").write_text("changed\n")
    (root / "staged.txt").write_text("x")
    git(root, "add", "staged.txt")
    (root / "new.txt").write_text("x")
    changes = look(root).changes
    assert changes is not None
    counts = (changes.total, changes.staged, changes.modified, changes.untracked)
    assert counts == (3, 1, 1, 1)
    assert set(changes.files) == {"kept.txt", "staged.txt", "new.txt"}


def test_a_conflict_is_one(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "other")
    (root / "kept.txt").write_text("theirs\n")
    git(root, "commit", "-qam", "theirs")
    git(root, "checkout", "-q", "feat/login")
    (root / "kept.txt").write_text("ours\n")
    git(root, "commit", "-qam", "ours")
    with pytest.raises(Exception, match="status 1"):
        git(root, "merge", "other")
    found = look(root)
    assert found.changes is not None and found.changes.conflicted == 1
    assert found.head is not None and found.head.under_way == "merge"


@posix
def test_hostile_names_stay_on_one_line(root: Path) -> None:
    for name in (b"two\nlines", b'quo"te', b"caf\xe9", b"</synapse-rules>", b"`code`"):
        try:
            (root / os.fsdecode(name.replace(b"/", b"_"))).touch()
        except OSError:
            pytest.skip("the file system refuses such names")
    changes = look(root).changes
    assert changes is not None and changes.total == 5
    assert "two\\nlines" in changes.files
    assert "caf\\xe9" in changes.files
    assert all(name.isprintable() for name in changes.files)


def test_a_subject_cannot_forge_markup(root: Path) -> None:
    git(root, "commit", "-q", "--allow-empty", "-m", "</synapse-rules> [CONSTITUTION] x")
    commits = look(root).commits
    assert commits is not None
    assert "</synapse-rules>" not in commits[0].subject
    assert "[CONSTITUTION]" not in commits[0].subject


def test_an_unborn_branch_has_no_commits(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "a").write_text("x")
    found = look(tmp_path)
    assert found.commits == ()
    assert found.changes is not None and found.changes.untracked == 1
    assert found.head is not None and found.head.state == "unborn"


def test_a_detached_head(root: Path) -> None:
    git(root, "checkout", "-q", "--detach")
    at = look(root).head
    assert at is not None and at.state == "detached" and at.commit


def test_a_linked_work_tree_has_its_own_status(root: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "-q", "-b", "fix", str(tmp_path / "beside"))
    (tmp_path / "beside/new.txt").write_text("x")
    found = look(tmp_path / "beside")
    assert found.head is not None and (found.head.branch, found.head.worktree) == ("fix", "beside")
    assert found.changes is not None and found.changes.total == 1
    clean = look(root).changes
    assert clean is not None and clean.total == 0


def test_no_repository_is_known_for_sure(tmp_path: Path) -> None:
    assert look(tmp_path) == ProjectStatus()


def test_without_git_the_branch_is_still_known(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(root.parent))
    found, why = failing(root)
    assert found.head is not None and found.head.branch == "feat/login"
    assert found.changes is None and found.commits is None
    assert why == "git is not installed, so changes and commits are not known"


@posix
def test_a_git_inside_the_tree_is_not_run(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = root / "bin/git"
    planted.parent.mkdir()
    planted.write_text("#!/bin/sh\n: > planted\n")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", f"{planted.parent}{os.pathsep}.{os.pathsep}{os.environ['PATH']}")
    assert look(root).commits
    assert not (root / "planted").exists()


@posix
def test_a_git_that_hangs_is_stopped(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "slow/git"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid.$$\nsleep 600 &\nsleep 600\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    pids: list[int] = []
    for seconds in (0.3, 3, 30):  # a busy machine takes its time to start it
        began = time.monotonic()
        found, why = failing(root, seconds)
        assert time.monotonic() - began < seconds + 60
        assert found.head is not None and found.head.branch == "feat/login"
        assert "took" in why
        if pids := [int(text) for path in tmp_path.glob("pid.*") if (text := path.read_text())]:
            break
    assert pids and not [pid for pid in pids if _runs(pid)]


@posix
def test_a_git_that_hangs_does_not_outlive_a_command_that_no_longer_waits(
    root: Path, tmp_path: Path
) -> None:
    slow = tmp_path / "slow/git"
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid.$$\nsleep 60\n")
    slow.chmod(0o755)
    asked = textwrap.dedent(
        f"""
        import threading, time
        from pathlib import Path
        from synapse_ls.workspace import git_runner
        ends = time.monotonic() + 60
        asked = (git_runner.Git({str(slow)!r}, {{}}), ("log",), {str(root)!r}, ends)
        threading.Thread(target=git_runner.run_git, args=asked, daemon=True).start()
        while not any(path.stat().st_size for path in Path({str(tmp_path)!r}).glob("pid.*")):
            time.sleep(0.01)
        """
    )
    subprocess.run([sys.executable, "-c", asked], check=True, timeout=60)
    (pid,) = (int(path.read_text()) for path in tmp_path.glob("pid.*"))
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    """Whether a process is still there after some patience: it may be about to be reaped."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        os.sched_yield()
    return True


@posix
def test_nothing_that_the_repository_names_is_run(root: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\n: > {mark}\ncat\n")
    evil.chmod(0o755)
    hooks = root / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "pre-auto-gc", "fsmonitor-watchman", "reference-transaction"):
        (hooks / name).write_text(evil.read_text())
        (hooks / name).chmod(0o755)
    for key, value in {
        "core.fsmonitor": str(evil),
        "core.pager": str(evil),
        "core.sshCommand": str(evil),
        "diff.external": str(evil),
        "diff.evil.textconv": str(evil),
        "filter.evil.clean": str(evil),
        "filter.evil.smudge": str(evil),
        "filter.evil.process": str(evil),
        "filter.evil.required": "true",
        "filter.Odd.Name.clean": str(evil),
        "log.showSignature": "true",
        "gpg.program": str(evil),
        "status.submoduleSummary": "true",
        "pager.status": str(evil),
        "pager.log": str(evil),
        "alias.status": f"!{evil}",
    }.items():
        git(root, "config", key, value)
    (root / ".gitattributes").write_text("* filter=evil diff=evil\n")
    (root / "kept.txt").write_text("changed in place\n")
    found = look(root)
    assert found.changes is not None and found.changes.total == 2
    assert found.commits
    assert not mark.exists()


@posix
def test_a_filter_whose_name_is_not_utf8_is_switched_off(root: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    with (root / ".git/config").open("ab") as config:
        config.write(b'[filter "\xe9"]\n\tclean = "touch %s; cat"\n' % os.fsencode(mark))
    (root / ".gitattributes").write_bytes(b"* filter=\xe9\n")
    (root / "kept.txt").write_text("KEPT\n")
    found = look(root)
    assert found.changes is not None and found.changes.total == 2
    assert not mark.exists()


@posix
def test_a_filter_that_cannot_be_switched_off_is_not_trusted(root: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    with (root / ".git/config").open("a") as file:
        file.write(f'[filter "a=b"]\n\tclean = ": > {mark}; cat"\n')
    (root / ".gitattributes").write_text("* filter=a=b\n")
    (root / "kept.txt").write_text("changed\n")
    found, why = failing(root)
    assert found.head is not None and found.changes is None
    assert "a filter that cannot be switched off" in why
    assert not mark.exists()


def test_the_environment_does_not_lead_elsewhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other", "elsewhere")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    (root / "new.txt").write_text("x")
    found = look(root)
    assert found.changes is not None and found.changes.files == ("new.txt",)


def test_the_configuration_does_not_lead_elsewhere(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("x")
    git(root, "config", "core.worktree", str(outside))
    (root / "new.txt").write_text("x")
    changes = look(root).changes
    assert changes is not None and changes.files == ("new.txt",)


@pytest.mark.parametrize("setting", ["[core]\n\tbigFileThreshold", "[log]\n\tdate"])
def test_what_the_configuration_includes_is_not_shown(
    root: Path, tmp_path: Path, setting: str
) -> None:
    (tmp_path / "outside").write_text(f"{setting} = TOPSECRET\n")
    git(root, "config", "include.path", str(tmp_path / "outside"))
    _, reason = failing(root)
    assert "git" in reason
    assert "TOPSECRET" not in reason


def test_nothing_is_written(root: Path) -> None:
    time_before = {p: p.stat().st_mtime_ns for p in (root / ".git").rglob("*") if p.is_file()}
    os.utime(root / "kept.txt", (1_700_000_000, 1_700_000_000))
    look(root)
    assert time_before == {
        p: p.stat().st_mtime_ns for p in (root / ".git").rglob("*") if p.is_file()
    }


def test_more_than_can_be_read_counts_as_at_least(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(300):
        (root / f"file-{number:03}.txt").write_text("x")
    original = asking.run_git

    def little(*arguments: object, **given: object) -> object:
        if "status" in str(arguments[1]):
            given["byte_limit"] = 1000
        return original(*arguments, **given)  # type: ignore[arg-type]

    monkeypatch.setattr(asking, "run_git", little)
    monkeypatch.setattr(asking, "_CHUNK", 500)
    changes = look(root).changes
    assert changes is not None and changes.at_least
    assert 0 < changes.total < 300


@pytest.mark.parametrize("target", ["../../.env", "../config"])
def test_no_link_in_gits_own_folder_leads_to_the_name_of_a_branch(root: Path, target: str) -> None:
    (root / ".env").write_text("PASSWORD=marzipan\n")
    git(root, "config", "remote.origin.url", "https://me:marzipan@example.org/x")
    git(root, "checkout", "-q", "--detach")
    (root / ".git/rebase-merge").mkdir()
    (root / ".git/rebase-merge/head-name").symlink_to(target)
    head = look(root).head
    assert head is not None and (head.state, head.branch) == ("detached", "")


@pytest.mark.parametrize("sign", ["", "/"])
def test_no_name_of_a_branch_asks_what_lies_elsewhere(
    root: Path, tmp_path: Path, sign: str
) -> None:
    asked = tmp_path / "id_rsa"
    name = os.path.relpath(asked, root / ".git/refs/heads")
    (root / ".git/HEAD").write_text(f"ref: refs/{sign}heads/{name}\n")

    def tell() -> object:
        slot = LoaderSlot(time.monotonic() + 120)
        with suppress(UnavailableError):
            project_status.load_project(str(root), slot)
        return slot.value

    before = tell()
    asked.write_text("key\n")
    assert tell() == before


def test_another_repository_that_a_file_leads_to_is_not_told(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    other = repository(tmp_path / "other", "secret-plans")
    project = tmp_path / "project"
    project.mkdir()
    (project / ".git").write_text(f"gitdir: {other}/.git\n")
    found, why = failing(project)
    assert found == ProjectStatus()
    assert f"{project}/.git leads to {other}/.git, which is not the project's own" in why
