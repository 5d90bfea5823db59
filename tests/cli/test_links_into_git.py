"""No link into git's own folder is followed, neither for reading nor for writing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.trees import TEAM, write_tree

ADDRESS = "https://someone:marzipan@example.org/x"
CONFIG = f'[remote "origin"]\n\turl = {ADDRESS}\n'


SHARED = {"config": CONFIG, "objects/info/packs": "\n", "refs/heads/x": "0\n"}
LAYOUTS = {
    ".git": {"HEAD": "x\n", **SHARED},
    ".bare": {"HEAD": "x\n", **SHARED},
    "shared": SHARED,
    "own": {"config": CONFIG, "HEAD": "x\n", "commondir": "../shared\n"},
}


@pytest.fixture(params=LAYOUTS)
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """What git keeps in a project, as ``git init --separate-git-dir`` may call it, or one half of it."""
    kept = LAYOUTS[request.param]
    files = {f"{request.param}/{name}": text for name, text in kept.items()}
    tree = write_tree(tmp_path / "tree", {**TEAM, **files})
    monkeypatch.chdir(tree)
    return tree / str(request.param)


def test_what_git_keeps_is_not_told_as_rules(synapse: Synapse, git: Path) -> None:
    rules = git.parent / ".synapse" / "global"
    rules.unlink()
    rules.symlink_to(f"../{git.name}/config")
    assert "marzipan" not in synapse("context", "go on").out
    assert "a link into git's own folder" in synapse("check").out


def test_nor_where_a_setting_names_it(synapse: Synapse, git: Path) -> None:
    section = f'profile = "plain"\n[[section]]\nlabel = "Style"\nfile = "{git.name}/config"\n'
    write_tree(git.parent, {".synapse/config.toml": section})
    assert "marzipan" not in synapse("context", "go on").out


@pytest.mark.parametrize(
    ("link", "target", "name"), [("AGENTS.md", "config", "agents"), (".cursor", ".", "cursor")]
)
def test_nothing_is_written_into_git(
    synapse: Synapse, git: Path, link: str, target: str, name: str
) -> None:
    (git.parent / link).symlink_to(git / target)
    before = {path: path.read_bytes() for path in git.rglob("*") if path.is_file()}
    done = synapse("sync", name)
    assert "a link into git's own folder" in done.out + done.err
    assert before == {path: path.read_bytes() for path in git.rglob("*") if path.is_file()}
