"""No link into git's own folder is followed, neither for reading nor for writing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.trees import TEAM, write_tree

ADDRESS = "https://someone:marzipan@example.org/x"
CONFIG = f'[remote "origin"]\n\turl = {ADDRESS}\n'


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tree = write_tree(tmp_path / "tree", {**TEAM, ".git/config": CONFIG, ".git/HEAD": "x\n"})
    monkeypatch.chdir(tree)
    return tree


def test_what_git_keeps_is_not_told_as_rules(synapse: Synapse, root: Path) -> None:
    rules = root / ".synapse" / "global"
    rules.unlink()
    rules.symlink_to("../.git/config")
    assert "marzipan" not in synapse("context", "go on").out
    assert "a link into git's own folder" in synapse("check").out


@pytest.mark.parametrize(
    ("link", "target", "name"),
    [("AGENTS.md", ".git/config", "agents"), (".cursor", ".git", "cursor")],
)
def test_nothing_is_written_into_git(
    synapse: Synapse, root: Path, link: str, target: str, name: str
) -> None:
    (root / link).symlink_to(target)
    before = {path: path.read_bytes() for path in (root / ".git").rglob("*") if path.is_file()}
    done = synapse("sync", name)
    assert "a link into git's own folder" in done.out + done.err
    assert before == {p: p.read_bytes() for p in (root / ".git").rglob("*") if p.is_file()}
