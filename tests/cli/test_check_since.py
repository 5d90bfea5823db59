"""``synapse check --since REV``: what a change can have brought."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.queries.test_revision import git


@pytest.fixture
def branch(team: Path) -> Path:
    """A repository in which ``main`` has a finding, and the working tree one more."""
    with (team / ".synapse/manifest").open("a") as manifest:
        manifest.write("OLD_STATE=active\n")
    git(team, "init", "-q")
    git(team, "add", "-A")
    git(team, "commit", "-qm", "one")
    git(team, "branch", "-M", "main")
    (team / ".synapse/testing").unlink()
    return team


def test_only_what_the_change_has_brought_is_shown(synapse: Synapse, branch: Path) -> None:
    done = synapse("check", "--since", "main", "--format", "concise")
    assert done.code == 1
    assert "TESTING has no file" in done.out and "OLD has no file" not in done.out
    assert "1 file changed since main; " in done.err
    everything = synapse("check", "--format", "concise").out
    assert "TESTING has no file" in everything and "OLD has no file" in everything


def test_a_change_outside_of_the_tree_passes(synapse: Synapse, branch: Path) -> None:
    git(branch, "checkout", "-q", "--", ".")
    (branch / "program.py").write_text("pass\n")
    done = synapse("check", "--since", "main")
    assert (done.code, done.out) == (0, "No findings · 0 files checked\n")
    assert done.err == "note: no file that is checked changed since main\n"


def test_what_was_checked_before_is_not_read_again(synapse: Synapse, branch: Path) -> None:
    first = synapse("check", "--since", "main", "--no-cache", "--format", "json")
    synapse("check")
    again = synapse("check", "--since", "main", "--format", "json")
    assert first.json and again.out == first.out


def test_paths_and_a_baseline_narrow_it(synapse: Synapse, branch: Path, tmp_path: Path) -> None:
    assert synapse("check", "--since", "main", ".synapse/global").code == 0
    assert synapse("check", "--since", "main", ".synapse/manifest").code == 1
    baseline = str(tmp_path / "baseline.json")
    synapse("check", "--write-baseline", baseline)
    (branch / ".synapse/global").unlink()
    done = synapse("check", "--since", "main", "--baseline", baseline, "--format", "concise")
    assert "GLOBAL has no file" in done.out and "TESTING has no file" not in done.out
    assert "not found any more" not in done.err


@pytest.mark.parametrize(
    "option", ["--fix", "--diff", "--add-suppressions", "--watch", "--show-files"]
)
def test_it_changes_nothing_and_shows_findings(synapse: Synapse, team: Path, option: str) -> None:
    done = synapse("check", "--since", "main", option)
    assert done.code == 2
    assert f"--since and {option} exclude each other." in done.err


def test_a_revision_that_is_none_is_told(synapse: Synapse, branch: Path) -> None:
    for revision in ("nope", "--all", "main..HEAD"):
        done = synapse("check", f"--since={revision}")
        assert done.code == 2
        assert f'The repository has no revision "{revision}".' in done.err
        assert "Name a commit, a branch or a tag." in done.err
    assert "The value of --since is empty." in synapse("check", "--since", "").err


def test_a_folder_that_git_does_not_know_is_told(synapse: Synapse, team: Path) -> None:
    done = synapse("check", "--since", "main")
    assert done.code == 2
    assert "is in no git repository" in done.err


def test_a_machine_without_git_is_told(
    synapse: Synapse, branch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(branch / "nothing"))
    done = synapse("check", "--since", "main")
    assert done.code == 2
    assert "Install git." in done.err


def test_a_shallow_clone_says_how_to_get_the_commit(
    synapse: Synapse, branch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(branch, "commit", "-qam", "two")
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth=1", branch.as_uri(), str(shallow)], check=True)
    monkeypatch.chdir(shallow)
    done = synapse("check", "--since", "HEAD~1")
    assert done.code == 2
    assert "The clone is shallow: `git fetch --unshallow`" in done.err
    git(shallow, "fetch", "-q", "--unshallow")
    assert "TESTING has no file" in synapse("check", "--since", "HEAD~1").out


def test_what_a_partial_clone_lacks_is_told(
    synapse: Synapse, branch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(branch, "config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    git(branch, "commit", "-qam", "two")
    subprocess.run(
        ["git", "clone", "-q", "--filter=blob:none", branch.as_uri(), str(partial)], check=True
    )
    monkeypatch.chdir(partial)
    done = synapse("check", "--since", "HEAD~1")
    assert done.code == 2
    assert "git fetch --refetch --no-filter" in done.err


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_link_above_the_root_is_not_made_anew_beside_the_former_tree(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, temporary = tmp_path / "repository" / "project", tmp_path / "temporary"
    for folder in (root / ".carl", root.parent / ".carl", temporary):
        folder.mkdir(parents=True)
    (root.parent / ".carl/shared.json").write_text("{}")
    (root.parent / ".carl/carl.json").symlink_to("shared.json")
    (root / ".carl/carl.json").write_text("{}")
    git(root.parent, "init", "-q")
    git(root.parent, "add", "-A")
    git(root.parent, "commit", "-qm", "one")
    (root / ".carl/carl.json").write_text('{"version": 1}')
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.chdir(root)
    assert synapse("check", "--since", "HEAD").code == 0
    assert list(temporary.iterdir()) == []
