"""What is checked out, told from files alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.activation.project_status import Head, read_head
from synapse_ls.workspace.repository_discovery import find_repository
from tests.activation.crew import git, repository


def at(folder: Path) -> Head:
    found = find_repository(str(folder))
    assert found is not None
    return read_head(found)


def test_a_branch(tmp_path: Path) -> None:
    assert at(repository(tmp_path, "feat/login")) == Head("feat/login", "branch")


def test_a_branch_in_packed_references(tmp_path: Path) -> None:
    root = repository(tmp_path)
    git(root, "pack-refs", "--all")
    assert not (root / ".git/refs/heads/main").exists()
    assert at(root) == Head("main", "branch")


def test_a_branch_without_a_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    assert at(tmp_path) == Head("trunk", "unborn")


def test_a_commit_without_a_branch(tmp_path: Path) -> None:
    root = repository(tmp_path)
    git(root, "checkout", "-q", "--detach")
    assert at(root) == Head("", "detached", git(root, "rev-parse", "HEAD")[:7])


def test_a_linked_work_tree(tmp_path: Path) -> None:
    root = repository(tmp_path / "main")
    git(root, "worktree", "add", "-q", "-b", "fix", "../beside")
    assert at(tmp_path / "beside") == Head("fix", "branch", worktree="beside")
    git(root, "pack-refs", "--all")
    assert at(tmp_path / "beside").state == "branch"


def test_a_folder_inside_the_repository(tmp_path: Path) -> None:
    root = repository(tmp_path)
    (root / "a/b").mkdir(parents=True)
    assert at(root / "a/b") == Head("main", "branch")


@pytest.mark.parametrize(
    ("mark", "what"),
    [("MERGE_HEAD", "merge"), ("CHERRY_PICK_HEAD", "cherry-pick"), ("BISECT_LOG", "bisect")],
)
def test_what_is_not_finished(mark: str, what: str, tmp_path: Path) -> None:
    root = repository(tmp_path)
    (root / ".git" / mark).write_text("x")
    assert at(root).under_way == what


def test_a_rebase_names_its_branch(tmp_path: Path) -> None:
    root = repository(tmp_path)
    git(root, "checkout", "-q", "--detach")
    (root / ".git/rebase-merge").mkdir()
    (root / ".git/rebase-merge/head-name").write_text("refs/heads/topic\n")
    found = at(root)
    assert (found.branch, found.state, found.under_way) == ("topic", "detached", "rebase")


@pytest.mark.parametrize("text", ["gitdir: a\0b\n", "gitdir: \0", "\0"])
def test_a_nul_in_the_place_of_the_repository_is_no_failure(text: str, tmp_path: Path) -> None:
    (tmp_path / ".git").write_text(text, encoding="utf-8")
    found = find_repository(str(tmp_path))
    assert found is None or read_head(found).state == ""


@pytest.mark.parametrize("text", ["", "nonsense", "ref: refs/heads/.invalid", "\x00\xff"])
def test_a_head_that_says_nothing_is_no_failure(text: str, tmp_path: Path) -> None:
    root = repository(tmp_path)
    (root / ".git/HEAD").write_text(text, encoding="latin-1")
    assert at(root).state == ""


def test_no_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    found = find_repository(str(tmp_path))
    assert found is None or found.folder != str(tmp_path)
