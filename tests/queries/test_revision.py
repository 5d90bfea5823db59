"""A tree as git keeps it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from synapse_ls.queries.git_revision import tree_at
from synapse_ls.storage.user_error import UserError
from tests.trees import TEAM, write_tree


def git(root: Path, *arguments: str) -> None:
    name = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *name, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def team(tmp_path: Path) -> Path:
    root = write_tree(tmp_path / "tëam", TEAM)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    return root


def test_what_was_changed_since_is_not_in_it(team: Path) -> None:
    (team / ".synapse" / "global").write_text("GLOBAL_RULE_0=Other\n")
    (team / ".synapse" / "testing").unlink()
    tree = tree_at(str(team), "HEAD")
    facts = tree.snapshot.facts(".synapse/global")
    assert facts is not None
    assert "Write small functions" in facts.text
    assert tree.snapshot.facts(".synapse/testing") is not None


def test_a_tree_may_lie_below_the_repository(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "repository" / "services" / "api", TEAM)
    git(tmp_path / "repository", "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    assert tree_at(str(root), "HEAD").snapshot.facts(".synapse/global") is not None


def test_the_places_are_those_of_the_revision(team: Path) -> None:
    write_tree(
        team,
        {
            ".synapse/config.toml": '[paths]\nagents = ["people"]\n',
            "people/dev.md": "---\nname: dev\n---\n",
        },
    )
    git(team, "add", "-A")
    git(team, "commit", "-qm", "two")
    (team / ".synapse" / "config.toml").unlink()
    assert tree_at(str(team), "HEAD").snapshot.facts("people/dev.md") is not None


def test_a_linked_squad_is_followed(team: Path) -> None:
    write_tree(
        team,
        {
            "shared/etl/squad.yaml": "name: etl\nversion: 1.0.0\n",
            "shared/etl/.synapse/manifest": "PIPELINE_STATE=active\n",
            "shared/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    )
    (team / "squads").mkdir(exist_ok=True)
    (team / "squads" / "etl").symlink_to("../shared/etl")
    git(team, "add", "-A")
    git(team, "commit", "-qm", "two")
    assert "ETL_PIPELINE" in tree_at(str(team), "HEAD").domains_by_label


def test_a_hook_of_git_may_ask(team: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", "nowhere")
    assert tree_at(str(team), "HEAD").snapshot.facts(".synapse/global") is not None


@pytest.mark.parametrize("revision", ["nope", "--all", "HEAD:nope"])
def test_a_revision_that_is_none_is_told(team: Path, revision: str) -> None:
    with pytest.raises(UserError, match=f'no revision "{revision}"'):
        tree_at(str(team), revision)


def test_a_folder_outside_all_repositories_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="in no git repository"):
        tree_at(str(write_tree(tmp_path, TEAM)), "HEAD")
