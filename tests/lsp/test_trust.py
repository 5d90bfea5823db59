"""What the server leaves undone in a folder that the client's user does not trust."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.lsp.feature_table import CHANGE_COMMANDS
from synapse_ls.workspace.program_search import safe_search_path
from synapse_ls.workspace.user_folders import config_folder
from tests.lsp.declared import capabilities
from tests.lsp.wire import Wire, at, connected
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


async def test_no_program_of_a_folder_that_is_open_is_found_for_another(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join((str(plain / "tools"), "/tools")))
    async with connected(root, plain):
        assert safe_search_path(str(root)) == "/tools"


@pytest.mark.parametrize("command", CHANGE_COMMANDS)
async def test_nothing_is_changed_without_trust(root: Path, command: str) -> None:
    async with told(root, {"trusted": False}) as wire:
        arguments = [{"uri": path_to_uri(str(root))}]
        params = {"command": command, "arguments": arguments}
        error = await wire.refusal("workspace/executeCommand", params)
        assert error["code"] == -32803
        assert "not trusted" in error["message"]
        assert not wire.notifications("workspace/applyEdit")


async def test_no_variable_moves_the_configuration_into_the_project(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(root / "evil"))
    async with told(root, {}):
        assert not config_folder().startswith(str(root))


async def test_reading_goes_on_without_trust(root: Path) -> None:
    async with told(root, {"trusted": False}) as wire:
        assert (await wire.request("synapse/context", {}))["block"]


@pytest.mark.parametrize("options", [None, {}, {"trusted": True}, {"trusted": None}, [1], "x"])
async def test_a_client_that_does_not_speak_of_trust_is_trusted(root: Path, options: Any) -> None:
    async with told(root, options) as wire:
        arguments = [{"uri": path_to_uri(str(root)), "name": "MONEY", "alwaysOn": True}]
        params = {"command": "synapse.newDomain", "arguments": arguments}
        assert (await wire.request("workspace/executeCommand", params))["changed"]


async def test_a_file_that_is_renamed_without_trust_changes_no_other(root: Path) -> None:
    old, new = (path_to_uri(str(root / ".synapse" / name)) for name in ("testing", "checks"))
    files = {"files": [{"oldUri": old, "newUri": new}]}
    async with told(root, {"trusted": True}) as wire:
        assert await wire.request("workspace/willRenameFiles", files)
    async with told(root, {"trusted": False}) as wire:
        assert await wire.request("workspace/willRenameFiles", files) is None


@pytest.mark.parametrize("target", ["../outside", ".git/hooks/pre-commit"])
async def test_no_change_is_made_through_a_link_that_leads_out(root: Path, target: str) -> None:
    (root / ".git/hooks").mkdir(parents=True)
    (root / ".synapse/money").symlink_to(f"../{target}")
    async with told(root, {"trusted": True}) as wire:
        arguments = [{"uri": path_to_uri(str(root)), "name": "MONEY", "alwaysOn": True}]
        params = {"command": "synapse.newDomain", "arguments": arguments}
        error = await wire.refusal("workspace/executeCommand", params)
        assert ".synapse/money: it is a link" in error["message"]
        assert not wire.notifications("workspace/applyEdit")


@pytest.mark.parametrize("target", [".env", "src/notes.bin"])
async def test_no_file_is_created_where_something_stands(root: Path, target: str) -> None:
    write_tree(root, {target: "mine"})
    (root / target).write_bytes(b"\xff\0")
    (root / ".synapse/money").symlink_to(f"../{target}")
    async with told(root, {"trusted": True}) as wire:
        arguments = [{"uri": path_to_uri(str(root)), "name": "MONEY", "alwaysOn": True}]
        params = {"command": "synapse.newDomain", "arguments": arguments}
        error = await wire.refusal("workspace/executeCommand", params)
        assert ".synapse/money" in error["message"]
        assert not wire.notifications("workspace/applyEdit")


async def test_nothing_is_renamed_to_where_a_link_leads_out(root: Path) -> None:
    (root / ".synapse/checks").symlink_to("../../outside")
    uri = path_to_uri(str(root / ".synapse/manifest"))
    async with told(root, {"trusted": True}) as wire:
        text = (root / ".synapse/manifest").read_text("utf-8")
        wire.open(uri, text)
        line = text.splitlines().index("TESTING_STATE=active")
        asked = {**at(uri, line, 1), "newName": "checks"}
        error = await wire.refusal("textDocument/rename", asked)
        assert "leads out of the project" in error["message"]
