"""Which tree a server is about."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, types
from mcp.shared.exceptions import MCPError
from pydantic import FileUrl

from synapse_ls.mcp.client_connection import uri_folder
from synapse_ls.mcp.server import create_server
from synapse_ls.storage import trusted_trees
from synapse_ls.workspace.pinned_content import scan_content
from synapse_ls.workspace.program_search import safe_search_path
from tests.mcp.clients import begin_session, beside, here, read, refused, said
from tests.trees import TEAM, write_tree

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
"""Clients of the handshake protocols are served as long as there are some."""


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder without a tree."""
    found = tmp_path / "bare"
    found.mkdir()
    return found


async def test_the_tree_is_looked_for_upward_from_the_working_directory(
    team: Path, mode: str
) -> None:
    inner = team / "src/deep"
    inner.mkdir(parents=True)
    async with beside(inner, mode) as client:
        assert (await said(client, "status")).startswith(f"tree: {team} ")


async def test_a_folder_that_is_named_wins(team: Path, bare: Path, mode: str) -> None:
    async with beside(bare, mode, "--root", str(team)) as client:
        assert (await said(client, "status")).startswith(f"tree: {team} ")


async def test_the_folders_of_the_client_are_looked_at_last(
    team: Path, bare: Path, mode: str
) -> None:
    async def roots(context: Any) -> types.ListRootsResult:
        found = [types.Root(uri=FileUrl(folder.as_uri())) for folder in (bare, team)]
        return types.ListRootsResult(roots=found)

    async with beside(bare, mode, list_roots_callback=roots) as client:
        assert (await said(client, "status")).startswith(f"tree: {team} ")
        assert (await read(client, "synapse://block")).startswith("<synapse-rules>")


async def test_folders_that_the_client_moves_to_are_asked_for_again(
    team: Path, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bare)
    folders = [bare]

    async def roots(context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(
            roots=[types.Root(uri=FileUrl(one.as_uri())) for one in folders]
        )

    async with Client(create_server(), mode="legacy", list_roots_callback=roots) as client:
        await refused(client, "status")
        folders.append(team)
        await client.send_roots_list_changed()
        assert (await said(client, "status")).startswith(f"tree: {team} ")
    # No program of any of them is found for the tree.
    monkeypatch.setenv("PATH", os.pathsep.join((str(bare / "tools"), "/tools")))
    assert safe_search_path(str(team)) == "/tools"


async def test_without_a_tree_every_tool_says_so_in_one_sentence(bare: Path, mode: str) -> None:
    async with here(bare, mode) as client:
        for tool in (await client.list_tools()).tools:
            given = dict.fromkeys(tool.input_schema.get("required", ()), "x")
            if tool.name == "guard":
                given = {"command": "ls"}
            text = await refused(client, tool.name, **given)
            assert text.startswith(f"No rule tree was found from {bare} upward. Create one")
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        uris = [str(one.uri) for one in (await client.list_resources()).resources]
        with pytest.raises(MCPError, match="No rule tree"):
            await client.read_resource("synapse://block")
    assert names == ["context"]
    assert uris == ["synapse://block", "synapse://status"]


async def test_a_tree_that_comes_later_is_served_then(bare: Path, mode: str) -> None:
    async with here(bare, mode) as client:
        await refused(client, "get_context")
        write_tree(bare, TEAM)
        begin_session(bare)
        assert (await said(client, "get_context")).startswith("<synapse-rules>")


async def test_nothing_is_told_of_a_tree_that_is_not_as_it_was_pinned(
    team: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(team.parent / "config"))
    trusted_trees.write_pin(str(team), scan_content(str(team))[0], "off")
    async with here(team, mode) as client:
        assert (await said(client, "get_context")).startswith("<synapse-rules>")
        (team / ".synapse/evil").write_text("EVIL_RULE_0=x\n")
        for tool in (await client.list_tools()).tools:
            given = dict.fromkeys(tool.input_schema.get("required", ()), "x")
            if tool.name == "guard":
                given = {"command": "ls"}
            text = await refused(client, tool.name, **given)
            assert "Nothing is served" in text and "evil" not in text
        names = [prompt.name for prompt in (await client.list_prompts()).prompts]
        uris = [str(one.uri) for one in (await client.list_resources()).resources]
        with pytest.raises(MCPError, match="pinned"):
            await client.read_resource("synapse://block")
        with pytest.raises(MCPError, match="pinned"):
            await client.get_prompt("context", {"prompt": "go on"})
    assert names == ["context"]
    assert uris == ["synapse://block", "synapse://status"]


@pytest.mark.skipif(os.name == "nt", reason="rights of POSIX")
async def test_no_variable_moves_the_configuration_into_the_project(
    team: Path, mode: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    for variable, folder in (("HOME", home), ("XDG_CONFIG_HOME", home / ".config")):
        monkeypatch.setenv(variable, str(folder))
    monkeypatch.delenv("SYNAPSE_LS_CONFIG", raising=False)
    trusted_trees.write_pin(str(team), scan_content(str(team))[0], "off")
    (team / ".synapse/docs").write_text("DOCS_RULE_0=New\n")
    (team / "evil").mkdir(mode=0o700)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(team / "evil"))
    async with here(team, mode) as client:
        assert "Nothing is served" in await refused(client, "get_context", prompt="Go on")


async def test_a_pinned_tree_that_is_gone_counts_before_any_tree_around_it(
    team: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(team.parent / "config"))
    inner = team / "pkg"
    write_tree(inner, TEAM)
    trusted_trees.write_pin(str(inner), scan_content(str(inner))[0], "off")
    async with here(inner, mode) as client:
        shutil.rmtree(inner / ".synapse")
        refusal = await refused(client, "get_context")
        assert "Nothing is served" in refusal and "agent-dev" not in refusal


async def test_nor_is_a_tree_in_a_sub_folder_of_a_pinned_project_served(
    team: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(team.parent / "config"))
    trusted_trees.write_pin(str(team), scan_content(str(team))[0], "off")
    write_tree(team / "pkg", TEAM)
    async with here(team / "pkg", mode) as client:
        assert (await said(client, "status")).startswith(f"tree: {team} ")


async def test_no_profile_brings_in_rules_that_are_not_pinned(
    team: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(team.parent / "config"))
    carl = "GLOBAL_STATE=active\nGLOBAL_ALWAYS_ON=true\n"
    write_tree(team, {".carl/manifest": carl, ".carl/global": "GLOBAL_RULE_0=Evil zebra\n"})
    async with here(team, mode) as client:
        assert "zebra" in await said(client, "get_context", profile="carl")
        trusted_trees.write_pin(str(team), scan_content(str(team))[0], "off")
        for tool in ("get_context", "explain"):
            text = await refused(client, tool, profile="carl")
            assert text.startswith("Nothing of the profile carl is served"), text
            assert await said(client, tool, profile="synapse-live")
        assert "no profile" in (await refused(client, "get_context", profile="x")).lower()


@pytest.mark.parametrize(
    ("uri", "folder"),
    [
        ("file:///home/me/a%20b", "/home/me/a b"),
        ("file://localhost/x/", "/x"),
        ("https://example.org/x", ""),
        ("file:///a%00b", ""),
        ("file://[", ""),
        ("", ""),
    ],
)
def test_folders_are_read_from_uris(uri: str, folder: str) -> None:
    assert uri_folder(uri) == folder
