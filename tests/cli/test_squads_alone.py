"""A project whose only rules are those of its squads: a tree with an empty root."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.trees import write_tree

FILES = {
    "squads/copy/.synapse/manifest": "COPY_STATE=active\nCOPY_RECALL=headline\n",
    "squads/copy/.synapse/copy": "COPY_RULE_0=Headlines have eight words at most.\n",
    "squads/legal/.synapse/manifest": "LEGAL_STATE=active\nCONTRACT_STATE=active\n",
    "squads/legal/.synapse/legal": "LEGAL_RULE_0=Name the governing law.\n",
}


@pytest.fixture
def squads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_tree(tmp_path / "project", FILES)
    monkeypatch.chdir(root)
    return root


def test_they_are_linted(synapse: Synapse, squads: Path) -> None:
    done = synapse("check")
    assert "squads/legal/.synapse/manifest:2:1: warning SYN201" in done.out


def test_they_are_shown(synapse: Synapse, squads: Path) -> None:
    assert "2 rules" in synapse("domains").out
    assert f"tree      {squads}" in synapse("status").out


def test_they_are_served(synapse: Synapse, squads: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(squads / "squads/copy")  # wherever in the project one works
    context = synapse("context", "--prompt", "a headline", "--profile", "synapse-live")
    assert "Headlines have eight words at most." in context.out


def test_the_hook_serves_them(process: Synapse, squads: Path) -> None:
    assert process("profile", "use", "synapse-live").code == 0
    event = {"session_id": "s-1", "cwd": str(squads), "prompt": "a headline"}
    done = process(
        "hook", "--event", "UserPromptSubmit", "--client", "claude", stdin=json.dumps(event)
    )
    assert "Headlines have eight words at most." in done.out


def test_a_first_tree_stands_above_them(synapse: Synapse, squads: Path) -> None:
    assert "created  .synapse/manifest" in synapse("init").out
    assert "COPY" in synapse("domains").out
