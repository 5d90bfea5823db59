"""git, asked about a repository that somebody else has made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from synapse_ls.queries.git_revision import tree_at
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import git_runner
from synapse_ls.workspace.git_runner import GitError, NoRepositoryError, find_git, run_git
from synapse_ls.workspace.program_search import find_program, safe_environment, safe_search_path
from synapse_ls.workspace.user_folders import folders_in_use, forget_foreign_folders
from tests.trees import TEAM, write_tree

posix = pytest.mark.skipif(sys.platform == "win32", reason="scripts are for a POSIX shell")


def plain_git(root: Path, *arguments: str) -> str:
    """What git says without our hardening; how it ends does not matter."""
    name = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *name, *arguments], cwd=root, capture_output=True, check=False)
    return done.stdout.decode().strip()


def ask(root: Path, *arguments: str) -> str:
    program = find_git(str(root))
    assert program is not None
    done = run_git(program, arguments, str(root), time.monotonic() + 60)
    return done.data.decode().strip()


@pytest.fixture
def team(tmp_path: Path) -> Path:
    root = write_tree(tmp_path / "team", TEAM)
    plain_git(root, "init", "-q")
    plain_git(root, "add", "-A")
    plain_git(root, "commit", "-qm", "one")
    return root


def promise_objects(root: Path, mark: Path, *names: str) -> None:
    """Makes a partial clone that lacks objects, and whose remote runs a command."""
    for name in names:
        found = plain_git(root, "rev-parse", name)
        (root / ".git/objects" / found[:2] / found[2:]).unlink()
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::sh -c touch% {mark}",
        "remote.origin.promisor": "true",
        "remote.origin.partialCloneFilter": "blob:none",
        "protocol.ext.allow": "always",
    }.items():
        plain_git(root, "config", key, value)


@posix
@pytest.mark.parametrize("lacking", ["HEAD:.synapse/manifest", "HEAD:.synapse", "HEAD^{tree}"])
def test_what_a_partial_clone_lacks_is_not_fetched(
    lacking: str, team: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    name = plain_git(team, "rev-parse", lacking)
    promise_objects(team, mark, lacking)
    with pytest.raises(UserError, match="does not hold all files of that revision"):
        tree_at(str(team), "HEAD")
    assert not mark.exists()
    plain_git(team, "cat-file", "-p", name)
    assert mark.exists()  # so git does, where nobody stops it


@posix
def test_a_folder_that_looks_like_a_bare_repository_is_none(team: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\n: > {mark}\n")
    program.chmod(0o755)
    alone = tmp_path / "alone"
    plain_git(team, "clone", "-q", "--bare", ".", str(alone))
    with pytest.raises(NoRepositoryError):
        ask(alone, "status", "--porcelain")
    with pytest.raises(UserError, match="in no git repository"):
        tree_at(str(alone), "HEAD")
    trap = team / "docs"
    plain_git(team, "clone", "-q", "--bare", ".", str(trap))
    plain_git(trap, "config", "core.bare", "false")
    plain_git(trap, "config", "core.worktree", str(trap))
    plain_git(trap, "config", "core.fsmonitor", str(program))
    plain_git(trap, "config", "alias.told", f"!{program}")
    assert ask(trap, "status", "--porcelain") == "?? docs/"  # of the repository around it
    assert ask(trap, "rev-parse", "--absolute-git-dir") == str(team / ".git")
    assert not mark.exists()
    plain_git(trap, "status")
    assert mark.exists()


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="changes the owner")
@pytest.mark.parametrize("name", ["", ".git"])
def test_a_repository_of_another_user_is_read_only_where_safe_directory_names_it(
    name: str, team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SUDO_UID", raising=False)
    (tmp_path / "home").mkdir()
    os.lchown(team / name, 12345, -1)
    with pytest.raises(GitError, match="belongs to another user"):
        ask(team, "log", "-1", "--format=%s")
    plain_git(tmp_path, "config", "--global", "safe.directory", str(team))
    assert ask(team, "log", "-1", "--format=%s") == "one"


def test_no_repository_above_a_ceiling_is_asked(
    team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(team))
    assert ask(team, "log", "-1", "--format=%s") == "one"
    with pytest.raises(NoRepositoryError):
        ask(team / ".synapse", "log", "-1", "--format=%s")


def test_a_work_tree_of_a_bare_repository_is_read(team: Path, tmp_path: Path) -> None:
    plain_git(team, "clone", "-q", "--bare", ".", str(tmp_path / "store.git"))
    plain_git(tmp_path / "store.git", "worktree", "add", "-q", str(tmp_path / "beside"))
    assert tree_at(str(tmp_path / "beside"), "HEAD").snapshot.facts(".synapse/global") is not None


@posix
def test_no_configured_program_is_run_for_a_comparison(team: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\n: > {mark}\ncat\n")
    program.chmod(0o755)
    (team / ".gitattributes").write_text("* filter=evil diff=evil\n")
    (team / ".synapse/global").write_text("GLOBAL_RULE_0=Other\n")
    plain_git(team, "add", "-A")
    plain_git(team, "commit", "-qm", "two")
    for key in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.process",
    ):
        plain_git(team, "config", key, str(program))
    (team / ".synapse/global").write_text("GLOBAL_RULE_0=More\n")
    assert "more" not in ask(team, "log", "-p", "-1")
    assert ask(team, "status", "--porcelain")
    assert ".synapse/global" in ask(team, "diff", "--raw", "HEAD")
    assert "more" not in ask(team, "diff", "--name-only", "HEAD")
    assert tree_at(str(team), "HEAD~1").snapshot.facts(".synapse/global") is not None
    assert not mark.exists()
    plain_git(team, "log", "-p", "-1", "--ext-diff")
    assert mark.exists()


def test_only_commands_that_read_are_run(team: Path) -> None:
    for name in ("fetch", "checkout", "told", "-c"):
        with pytest.raises(KeyError):
            ask(team, name)


def test_more_words_than_a_pipe_holds_are_answered(team: Path) -> None:
    name = plain_git(team, "rev-parse", "HEAD:.synapse/global")
    count = 20_000
    program = find_git(str(team))
    assert program is not None
    done = run_git(
        program,
        ("cat-file", "--batch-check"),
        str(team),
        time.monotonic() + 60,
        standard_input=f"{name}\n".encode() * count,
    )
    assert done.data.count(name.encode()) == count


@posix
def test_a_program_of_the_project_is_not_found(
    team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (team / "node_modules/.bin", tmp_path / "tools"):
        folder.mkdir(parents=True)
        (folder / "tool").write_text("#!/bin/sh\n")
        (folder / "tool").chmod(0o755)
    (tmp_path / "link").symlink_to(team / "node_modules/.bin")
    entries = ["", ".", "bin", str(team / "node_modules/.bin"), str(tmp_path / "link")]
    monkeypatch.setenv("PATH", os.pathsep.join(entries))
    assert find_program("tool", str(team / ".synapse")) == ""
    assert safe_search_path(str(team / ".synapse")) == ""
    monkeypatch.setenv("PATH", os.pathsep.join([*entries, str(tmp_path / "tools")]))
    assert find_program("tool", str(team / ".synapse")) == str(tmp_path / "tools/tool")


@posix
def test_a_home_folder_in_git_is_no_project(
    team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain_git(tmp_path, "init", "-q")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/tool").write_text("#!/bin/sh\n")
    (tmp_path / "bin/tool").chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert find_program("tool", str(team)) == str(tmp_path / "bin/tool")


@posix
def test_what_git_starts_by_name_is_not_of_the_project(
    team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = {
        team / "bin/bash": "#!/bin/sh\ntouch ran\n",
        tmp_path / "tools/git": f'#!/usr/bin/env bash\nexec {shutil.which("git")} "$@"\n',
    }
    for file, text in scripts.items():
        file.parent.mkdir()
        file.write_text(text)
        file.chmod(0o755)
    search = ("bin", str(team / "bin"), str(tmp_path / "tools"), "/usr/bin", "/bin")
    monkeypatch.setenv("PATH", os.pathsep.join(search))
    assert ask(team, "ls-files")
    assert not (team / "ran").exists()


@pytest.mark.parametrize("sign", [".git", ".synapse", ".carl"])
def test_a_program_of_a_project_around_a_tree_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: str
) -> None:
    inner = write_tree(tmp_path / "outer/packages/a", TEAM)
    (tmp_path / "outer" / sign).mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path / "outer/bin"), "/tools")))
    assert safe_search_path(str(inner)) == "/tools"


def test_nor_does_one_of_another_work_tree(team: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    linked = team.parent / "linked"
    plain_git(team, "worktree", "add", "-q", str(linked))
    for here, there in ((linked, team), (team, linked)):
        monkeypatch.setenv("PATH", os.pathsep.join((str(there / "tools"), "/tools")))
        assert safe_search_path(str(here)) == "/tools"
    # Whose main work tree is the home folder keeps the programs there.
    monkeypatch.setenv("HOME", str(team))
    monkeypatch.setenv("PATH", str(team / "tools"))
    assert safe_search_path(str(linked)) == str(team / "tools")


def test_nor_does_one_of_the_project_around_the_working_directory(
    team: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = write_tree(tmp_path / "other", TEAM)
    monkeypatch.chdir(team / ".synapse")
    monkeypatch.setenv("PATH", os.pathsep.join((str(team / "tools"), "/tools")))
    assert safe_search_path(str(other)) == "/tools"
    # A home folder is no project there either.
    monkeypatch.setenv("HOME", str(team))
    assert safe_search_path(str(other)) == os.environ["PATH"]


def test_nor_does_one_of_a_project_that_an_event_names(
    team: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = write_tree(tmp_path / "other", TEAM)
    places = [tmp_path / "plain/tools", team / "tools", tmp_path / "tools"]
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, places)))
    forget_foreign_folders(str(team / ".synapse"), named=[str(tmp_path / "plain")])
    assert safe_search_path(str(other)) == str(tmp_path / "tools")


def test_a_folder_in_a_project_that_is_looked_at_is_no_further_one(
    team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join((str(team / "tools"), "/tools")))
    for number in range(3):
        forget_foreign_folders(str(team / f"docs/{number}"))
        assert safe_search_path(str(team)) == "/tools"
    assert not [folder for folder in folders_in_use if folder.startswith(str(team / "docs"))]


@pytest.mark.parametrize("name", ["GCONV_PATH", "OPENSSL_CONF", "BASH_ENV", "PERL5LIB"])
def test_what_a_program_loads_is_looked_for_outside_of_the_project(
    team: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, os.pathsep.join(("lib", str(team / "lib"), "/opt/a lib")))
    assert git_runner.git_environment(str(team))[name] == "/opt/a lib"
    monkeypatch.setenv(name, "lib")
    assert name not in git_runner.git_environment(str(team))


def test_libraries_are_looked_for_outside_of_the_project(
    team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "LD_LIBRARY_PATH", os.pathsep.join(("", "lib", str(team / "lib"), "/opt/lib"))
    )
    monkeypatch.setenv("LD_PRELOAD", "./lib.so")
    environment = git_runner.git_environment(str(team))
    assert environment["LD_LIBRARY_PATH"] == "/opt/lib"
    assert "LD_PRELOAD" not in environment


def test_an_empty_search_path_is_not_the_working_directory(
    team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(team))
    assert safe_environment(str(team))["PATH"] == os.devnull


def test_git_writes_no_trace_that_a_configuration_names(
    team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config/git/config"
    config.parent.mkdir(parents=True)
    names = ("normal", "event", "perf")
    lines = [f"{name}Target = {tmp_path}/trace-{name}" for name in names]
    config.write_text("\n".join(("[trace2]", *lines, "")))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    assert ask(team, "ls-files")
    assert not list(tmp_path.glob("trace-*"))


def test_git_is_told_to_ask_nobody() -> None:
    said = git_runner.git_environment("")
    assert said["GIT_NO_LAZY_FETCH"] == "1" and said["GIT_TERMINAL_PROMPT"] == "0"


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_no_folder_counts_whose_program_of_any_ending_leads_into_the_project(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/claude.CMD").symlink_to(tmp_path / "project/claude.cmd")
    monkeypatch.setenv("PATH", str(tmp_path / "linked"))
    monkeypatch.setenv("PATHEXT", os.pathsep.join((".EXE", ".CMD")))
    assert safe_search_path(str(tmp_path / "project"), "claude") == ""
    assert safe_search_path(str(tmp_path / "project"), "codex") == str(tmp_path / "linked")
