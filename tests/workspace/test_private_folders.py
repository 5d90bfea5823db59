"""What git has or would take of private folders is known as git knows it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from synapse_ls.workspace import git_runner
from synapse_ls.workspace.private_folders import (
    UnknownExposureError,
    exposed_folders,
    private_file_notes,
)

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is the judge")
PATH = ".synapse/sessions/a.json"
# Git itself is asked, by its list of files: one that takes it, one that does not, one with both.
IGNORES = ["", "*", "sessions/*\n!sessions/a.json"]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for variable in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    made = tmp_path / "app"
    (made / PATH).parent.mkdir(parents=True)
    (made / PATH).write_text("{}")
    return made


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def waiting(root: Path) -> str:
    return git(root, "ls-files", "--others", "--exclude-standard", "--", PATH).strip()


@pytest.mark.parametrize("text", IGNORES)
@pytest.mark.parametrize(
    "place", [".gitignore", ".synapse/.gitignore", ".synapse/sessions/.gitignore"]
)
def test_ignore_files_are_read_as_git_reads_them(root: Path, place: str, text: str) -> None:
    git(root, "init", "-q")
    (root / place).write_text(text)
    found = [path for one in exposed_folders(str(root)) for path in one.waiting]
    assert found == ([PATH] if waiting(root) else [])


@pytest.mark.parametrize("place", [".git/info/exclude", "../home/git/ignore"])
def test_ignores_of_the_person_count(root: Path, place: str) -> None:
    git(root, "init", "-q")
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    (root / place).write_text("sessions/\n")
    assert not waiting(root) and not list(exposed_folders(str(root)))


def test_a_work_tree_that_the_configuration_names_is_not_looked_at(
    root: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other" / ".synapse/sessions/merger.json"
    other.parent.mkdir(parents=True)
    other.write_text("{}")
    git(root, "init", "-q")
    git(root, "config", "core.worktree", str(tmp_path / "other"))
    assert [one.waiting for one in exposed_folders(str(root))] == [(PATH,)]


@pytest.mark.parametrize("where", [".", ".."])
def test_tracked_files_are_told_though_they_are_ignored(root: Path, where: str) -> None:
    git(root / where, "init", "-q")
    git(root, "add", PATH)
    (root / ".gitignore").write_text("*\n")
    [found] = exposed_folders(str(root))
    assert found.tracked == (PATH,) and "git rm -r --cached" in found.remedy()


def test_an_ignore_file_that_is_not_there_is_to_be_created(root: Path) -> None:
    git(root, "init", "-q")
    ignore = ".synapse/sessions/.gitignore"
    [untracked] = exposed_folders(str(root))
    git(root, "add", PATH)
    [tracked] = exposed_folders(str(root))
    (root / ignore).write_text("")
    [ignoring] = exposed_folders(str(root))
    told = [one.remedy() for one in (untracked, tracked, ignoring)]
    assert told == [
        f"Create {ignore} with the line `*`.",
        f"Run `git rm -r --cached .synapse/sessions`, and create {ignore} with the line `*`; the files stay.",
        f"Run `git rm -r --cached .synapse/sessions`, and see that {ignore} says `*`; the files stay.",
    ]


def test_a_repository_elsewhere_is_not_asked_and_that_is_said(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--separate-git-dir", str(tmp_path / "kept"), str(root))
    git(root, "add", PATH)
    with pytest.raises(UnknownExposureError, match="which is not the project's own"):
        exposed_folders(str(root))


def test_outside_of_a_repository_nothing_is_told(root: Path) -> None:
    assert list(private_file_notes(str(root))) == []


def test_a_private_folder_is_looked_through_as_deep_as_anything_of_ours_lies(root: Path) -> None:
    git(root, "init", "-q")
    (root / PATH).unlink()
    deep = root / PATH.rpartition("/")[0] / "/".join("a" * 33)
    deep.mkdir(parents=True)
    (deep / "s.json").write_text("{}")
    assert exposed_folders(str(root)) == []


def test_a_tree_gets_one_note(root: Path) -> None:
    git(root, "init", "-q")
    for folder in ("continuation", "metrics"):
        (root / ".synapse" / folder).mkdir()
        (root / ".synapse" / folder / "x.md").write_text("x")
    [note] = private_file_notes(str(root))
    assert note.path == PATH
    assert note.message == (
        "Git would take 1 file of .synapse/sessions/, which holds words of a person's prompts. "
        "Files of .synapse/continuation, .synapse/metrics are there, too."
    )


def test_a_file_is_not_tracked_because_the_path_of_another_ends_so(root: Path) -> None:
    git(root, "init", "-q")
    other = root / "fixtures" / PATH
    other.parent.mkdir(parents=True)
    other.write_text("{}")
    git(root, "add", f"fixtures/{PATH}")
    (root / ".gitignore").write_text("/.synapse/sessions/\n")
    assert exposed_folders(str(root)) == []


@pytest.mark.parametrize("index", [b"DIRC", b"DIRC\0\0\0\4" + b"x" * 99, b"\xff" * 500])
def test_of_a_damaged_repository_it_is_said_that_nobody_knows(root: Path, index: bytes) -> None:
    git(root, "init", "-q")
    (root / ".git/index").write_bytes(index)
    with pytest.raises(UnknownExposureError, match="is not known: git ended with code "):
        exposed_folders(str(root))


def test_without_git_it_is_said_that_nobody_knows(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(root, "init", "-q")
    monkeypatch.setattr(git_runner, "find_git", lambda _: None)
    [note] = private_file_notes(str(root))
    assert note.path == PATH
    assert note.message == (
        "Whether git has files of .synapse/sessions/, which holds words of a person's prompts, is not "
        "known: git is not on the search path."
    )


def test_where_git_refuses_the_owner_that_is_said(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(root, "init", "-q")
    git(root, "add", PATH)
    user = os.geteuid() if hasattr(os, "geteuid") else 0
    monkeypatch.setattr(os, "geteuid", lambda: user + 1, raising=False)
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    environment = git_runner.git_environment
    monkeypatch.setattr(
        git_runner,
        "git_environment",
        lambda folder: {**environment(folder), "GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"},
    )
    [note] = private_file_notes(str(root))
    assert "belongs to another user, so git does not read it" in note.message


def test_measurements_are_not_called_words_of_a_person(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".synapse/metrics").mkdir(parents=True)
    (tmp_path / ".synapse/metrics/hook-metrics.json").write_text("{}")
    (note,) = private_file_notes(str(tmp_path))
    assert note.message == (
        "Git would take 1 file of .synapse/metrics/, which is written anew as people work, on every "
        "machine."
    )
