"""The MCP server in real clients, registered by `synapse install --mcp`: the model calls a tool of it,
and reads the same block that the command line prints.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.mcp.server import TOOLS
from tests.clients.claude import Claude
from tests.clients.client import program
from tests.clients.conftest import FIRST
from tests.clients.copilot import Copilot
from tests.clients.model import Model
from tests.clients.place import Place


class ClaudeWithServer(Claude):
    tool_name = "mcp__synapse__get_context"

    def settings(self) -> dict[str, str]:
        # What a person says yes to when Claude Code finds the servers of a project.
        return {".claude/settings.json": '{"enableAllProjectMcpServers": true}'}

    def environment(self) -> dict[str, str]:
        return {
            **super().environment(),
            "ENABLE_TOOL_SEARCH": "false",
            # The first request waits for the server, however busy the machine is.
            "MCP_CONNECTION_NONBLOCKING": "false",
            "MCP_CONNECT_TIMEOUT_MS": "60000",
        }

    def line(self, prompt: str) -> list[str]:
        return [*super().line(prompt), "--allowedTools", "mcp__synapse"]


class CopilotWithServer(Copilot):
    tool_name = "synapse-get_context"


WITH_SERVER: dict[str, type[ClaudeWithServer | CopilotWithServer]] = {
    "claude": ClaudeWithServer,
    "copilot": CopilotWithServer,
}


@pytest.mark.parametrize("name", WITH_SERVER)
def test_a_client_calls_a_tool_and_its_model_reads_the_block(name: str, tmp_path: Path) -> None:
    found = program(name)
    if found is None:
        pytest.skip(f"there is no {name} in SYNAPSE_LS_CLIENTS; scripts/test-clients looks for it")
    with Model() as model:
        place = Place(tmp_path, model)
        kind = WITH_SERVER[name]
        client = kind(found, place)
        place.synapse("install", "--client", name, "--scope", "project", "--mcp", "--no-guard")
        asked = {"prompt": "a unit test", "agent": "qa", "session": "new", "remaining": 50}
        expected = place.synapse("context", "--agent", "qa", "--remaining", "50", "a unit test")
        model.will_call(kind.tool_name, **asked)
        turn = client.ask(FIRST)
        offered = {tool for tool in turn.asked[0].tools if "synapse" in tool}
        assert kind.tool_name in offered
        assert len(offered) == len(TOOLS)
        assert expected in turn.read
