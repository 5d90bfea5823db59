"""What the server leaves undone in a folder that the client's user does not trust."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.lsp.feature_table import CHANGE_COMMANDS
from synapse_ls.lsp.file_uris import path_to_uri
from tests.lsp.declared import capabilities
from tests.lsp.wire import Wire, connected
from tests.trees import TEAM, write_tree


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return write_tree(tmp_path / "team", TEAM)


@asynccontextmanager
async def told(root: Path, options: Any) -> AsyncIterator[Wire]:
    """An editor that begins with these ``initializationOptions``."""
    declared = capabilities("vscode")
    async with connected(root, capabilities=declared, options=options) as wire:
        wire.answers["workspace/applyEdit"] = {"applied": True}
        yield wire


@pytest.mark.parametrize("command", CHANGE_COMMANDS)
async def test_nothing_is_changed_without_trust(root: Path, command: str) -> None:
    async with told(root, {"trusted": False}) as wire:
        arguments = [{"uri": path_to_uri(str(root))}]
        params = {"command": command, "arguments": arguments}
        error = await wire.refusal("workspace/executeCommand", params)
        assert error["code"] == -32803
        assert "not trusted" in error["message"]
        assert not wire.notifications("workspace/applyEdit")


async def test_reading_goes_on_without_trust(root: Path) -> None:
    async with told(root, {"trusted": False}) as wire:
        assert (await wire.request("synapse/context", {}))["block"]


@pytest.mark.parametrize("options", [None, {}, {"trusted": True}, {"trusted": None}, [1], "x"])
async def test_a_client_that_does_not_speak_of_trust_is_trusted(root: Path, options: Any) -> None:
    async with told(root, options) as wire:
        arguments = [{"uri": path_to_uri(str(root)), "name": "MONEY", "alwaysOn": True}]
        params = {"command": "synapse.newDomain", "arguments": arguments}
        assert (await wire.request("workspace/executeCommand", params))["changed"]
