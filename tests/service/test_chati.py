"""A tree of Chati.dev in front of everybody who asks: hook, command line, editor, MCP, every client."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from synapse_ls.service.plans import planned
from tests.chati_trees import BOARD
from tests.service.clients import Claude
from tests.service.test_same_bytes import (
    Case,
    command_line,
    editor_panel,
    hook_of_claude,
    mcp_tool,
)
from tests.trees import write_tree


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is being built, with its plan made."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = write_tree(tmp_path / "tree", BOARD)
    planned(str(root))
    return root


@pytest.mark.parametrize(
    "case",
    [
        Case("go on"),
        Case("go on", used=110_000),
        Case("go on", used=140_000),
        Case("go on", used=160_000),
        Case("go on", used=190_000),
        Case("go on", agent="brief"),
    ],
    ids=lambda case: f"{case.used} {case.agent}",
)
def test_everybody_gives_the_same_bytes(case: Case, board: Path) -> None:
    asked = [command_line, editor_panel, mcp_tool]
    if not case.agent:  # a prompt cannot name one silently
        asked.append(hook_of_claude)
    (text,) = {ask(board, case) for ask in asked}
    assert ElementTree.fromstring(text).tag == "chati-context"


def test_the_bracket_is_calculated_before_each_prompt(board: Path) -> None:
    client = Claude(board)
    for used, bracket in ((10_000, "FRESH"), (140_000, "DEPLETED"), (190_000, "CRITICAL")):
        client.uses(used)
        told = client.prompt(f"prompt at {used}")
        assert told.startswith(f'<chati-context bracket="{bracket}">')
        assert ElementTree.fromstring(told).get("bracket") == bracket
    assert 'required="true"' in told


def test_an_answer_of_ours_is_an_element(board: Path) -> None:
    told = Claude(board).prompt("*synapse status")
    answer = ElementTree.fromstring(told).find("synapse")
    assert answer is not None
    assert "chati" in "".join(answer.itertext())


def test_the_debug_view_is_an_element(board: Path) -> None:
    client = Claude(board)
    client.prompt("*synapse debug")
    told = client.prompt("what now?")
    assert ElementTree.fromstring(told).find("devmode") is not None
