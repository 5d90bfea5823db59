"""Servers that clients are to start."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import codes, doctor, replace_program, settings

PYTHON = "/no/python"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells"),
]


def test_the_mcp_server_is_greeted(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--mcp")
    document = doctor(synapse, "--client", "claude")
    (server,) = document["clients"][0]["servers"]
    assert server["ok"] and server["current"], server
    assert (server["path"], server["command"]) == (".mcp.json", ["synapse-ls", "mcp"])
    assert "silent-server" not in codes(document, "claude")


def test_an_mcp_server_that_does_not_answer_is_told(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--mcp")
    settings(
        team,
        ".mcp.json",
        {"mcpServers": {"synapse": {"command": PYTHON, "args": ["-I", "-m", "synapse_ls", "mcp"]}}},
    )
    document = doctor(synapse, "--client", "claude")
    (trouble,) = [t for t in document["troubles"] if t["code"] == "silent-server"]
    assert "there is no program /no/python" in trouble["sentence"]
    assert "--mcp --client claude" in trouble["remedy"]


def test_the_language_server_is_greeted(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "copilot", "--lsp")
    document = doctor(synapse, "--client", "copilot")
    (server,) = document["clients"][0]["servers"]
    assert server["ok"] and server["current"], server
    assert (server["protocol"], server["path"]) == ("lsp", ".github/lsp.json")
    said = synapse("doctor", "--client", "copilot", "--runs", "0").out
    assert "  lsp      .github/lsp.json:3, the server answers\n" in said


def test_a_language_server_that_is_not_registered_is_named(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "copilot")
    said = synapse("doctor", "--client", "copilot", "--runs", "0").out
    assert "  lsp      not registered: `synapse install --lsp --client copilot`\n" in said


@pytest.mark.parametrize("script", ["echo hello", "cat", "exit 3"])
def test_a_language_server_that_does_not_answer_is_told(
    synapse: Synapse, team: Path, tmp_path: Path, script: str
) -> None:
    synapse("install", "--client", "copilot", "--lsp")
    replace_program(tmp_path, script)
    document = doctor(synapse, "--client", "copilot")
    (trouble,) = [t for t in document["troubles"] if t["code"] == "silent-server"]
    assert trouble["sentence"].startswith("the language server in .github/lsp.json does not answer")
    assert "Run `synapse-ls serve --stdio` by hand" in trouble["remedy"]
