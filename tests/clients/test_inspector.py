"""The inspector of the Model Context Protocol, on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.mcp.server import TOOLS
from tests.clients.client import program
from tests.trees import TEAM, write_tree


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "team", TEAM)


def inspect(root: Path, method: str, *arguments: str) -> dict[str, Any]:
    found = program("inspector")
    if found is None:
        pytest.skip("there is no inspector in SYNAPSE_LS_CLIENTS; scripts/test-clients fetches it")
    server = [sys.executable, "-m", "synapse_ls", "mcp"]
    done = subprocess.run(
        [str(found), "--cli", *server, "--method", method, *arguments],
        cwd=root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_the_inspector_lists_the_tools(team: Path) -> None:
    assert [tool["name"] for tool in inspect(team, "tools/list")["tools"]] == list(TOOLS)


def test_the_inspector_calls_a_tool(team: Path) -> None:
    asked = (
        "--tool-name",
        "get_context",
        "--tool-arg",
        "prompt=hello",
        "--tool-arg",
        "remaining=50",
    )
    (content,) = inspect(team, "tools/call", *asked)["content"]
    assert content["text"].startswith("<synapse-rules>")


def test_the_inspector_reads_a_resource_and_gets_a_prompt(team: Path) -> None:
    (content,) = inspect(team, "resources/read", "--uri", "synapse://layers/L1")["contents"]
    assert content["text"].startswith("[GLOBAL]")
    got = inspect(team, "prompts/get", "--prompt-name", "brief", "--prompt-args", "text=hi")
    assert got["messages"][0]["content"]["text"].endswith("\n\nhi")
