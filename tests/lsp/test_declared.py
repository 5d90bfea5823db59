"""The editors as they really declare themselves: each is served."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.lsp.convert import path_to_uri
from tests.lsp.declared import CLIENTS, capabilities
from tests.lsp.wire import connected
from tests.trees import TEAM, write_tree


@pytest.mark.parametrize("client", CLIENTS)
async def test_the_server_begins_and_tells_what_it_finds(client: str, tmp_path: Path) -> None:
    root = write_tree(tmp_path, {**TEAM, ".synapse/manifest": "GLOBAL_STATE active\n"})
    async with connected(root, capabilities=capabilities(client)) as wire:
        uri = path_to_uri(str(root / ".synapse/manifest"))
        wire.open(uri, "GLOBAL_STATE active\n")
        await wire.settled()
        if wire.server.client.pull:
            asked = {"textDocument": {"uri": uri}}
            found = (await wire.request("textDocument/diagnostic", asked))["items"]
        else:
            found = wire.diagnostics(uri)
        assert "SYN103" in [one["code"] for one in found]


def test_only_vs_code_pulls_for_only_it_can_be_told_to_pull_again() -> None:
    refreshing = [
        client
        for client in CLIENTS
        if "diagnostics" in capabilities(client)["workspace"]
        and "diagnostic" in capabilities(client)["textDocument"]
    ]
    assert refreshing == ["vscode"]
