"""A tree as git keeps it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from synapse_ls.queries import git_revision
from synapse_ls.queries.git_revision import tree_at
from synapse_ls.text.user_error import UserError
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


def test_a_link_whose_name_a_disk_takes_for_that_of_a_folder_is_not_followed(
    team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "victim").mkdir()
    (team / ".synapse/notes").symlink_to(tmp_path / "victim")
    git(team, "add", "-A")
    git(team, "commit", "-qm", "link")
    parse = git_revision.parse_listing

    def fold_case(listing: bytes) -> dict[str, git_revision.Blob]:
        blobs = parse(listing)
        return {**blobs, ".synapse/notes/global": blobs[".synapse/global"]}

    monkeypatch.setattr(git_revision, "parse_listing", fold_case)
    monkeypatch.setattr(git_revision, "_tree_paths", lambda _root, blobs, _paths: list(blobs))
    git_revision.tree_at(str(team), "HEAD")
    assert list((tmp_path / "victim").iterdir()) == []


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


def make_revision(root: Path, victim: Path) -> None:
    """Makes a revision that git would not check out: with a file below a link, and one above the root."""

    def store(kind: str, data: bytes) -> bytes:
        words = ["git", "hash-object", "-t", kind, "-w", "--literally", "--stdin"]
        done = subprocess.run(words, cwd=root, input=data, capture_output=True, check=True)
        return bytes.fromhex(done.stdout.decode())

    def entry(mode: str, name: str, data: bytes) -> bytes:
        return f"{mode} {name}\0".encode() + data

    story = store("blob", b"# Story 1.2: Elsewhere\n")
    link = store("blob", bytes(victim))
    below = store("tree", entry("100644", "1.2.story.md", story))
    outside = store("tree", entry("100644", "1.3.story.md", story))
    for name in [*reversed(victim.parts[1:]), *[".."] * 20]:
        outside = store("tree", entry("40000", name, outside))
    entries = (
        ("120000", "1.1.story.md", link),
        ("40000", "1.1.story.md", below),
        ("40000", "up", outside),
    )
    stories = store("tree", b"".join(entry(*one) for one in entries))
    docs = store("tree", entry("40000", "stories", stories))
    tree = store("tree", entry("40000", "docs", docs))
    person = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    words = ["git", *person, "commit-tree", "-m", "x", tree.hex()]
    done = subprocess.run(words, cwd=root, capture_output=True, check=True, text=True)
    git(root, "update-ref", "refs/heads/forged", done.stdout.strip())


@pytest.mark.parametrize("words", [("diff", "forged"), ("check", "--since", "forged")])
def test_no_file_of_a_revision_is_put_outside_of_its_folder(
    team: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    make_revision(team, victim)
    done = subprocess.run(
        [sys.executable, "-m", "synapse_ls", *words], cwd=team, capture_output=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    assert list(victim.iterdir()) == []
