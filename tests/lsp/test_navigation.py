"""References, renaming, links and symbols, asked as VS Code, Neovim and Emacs declare themselves."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.lsp.convert import path_to_uri
from tests.lsp.declared import CLIENTS, capabilities
from tests.lsp.wire import PATIENCE, Wire, at, connected
from tests.trees import TEAM, Files, write_tree

FILES: Files = {
    **TEAM,
    ".claude/agents/dev.md": "---\nname: dev\n---\n",
    ".synapse/docs": "DOCS_RULE_0=See docs/guide.md and docs/nothing.md\n",
    "docs/guide.md": "# Guide\n",
    "squads/etl-squad/squad.yaml": "name: etl-squad\nversion: 1.0.0\n",
    "squads/etl-squad/.synapse/manifest": "ETL_EXTENDS=extend\nLOAD_STATE=active\n",
    "squads/etl-squad/.synapse/load": "LOAD_RULE_0=Check counts\n",
}
TESTING = (10, 3)
"""A place in the manifest: ``TESTING_STATE``."""
DEV = (5, 25)
"""A place in the manifest: the agent ``dev``."""

every_client = pytest.mark.parametrize("client", CLIENTS)


def tree(root: Path) -> tuple[Path, str]:
    """A tree and the URI of its manifest."""
    write_tree(root, FILES)
    return root, path_to_uri(str(root / ".synapse/manifest"))


def text(root: Path, path: str) -> str:
    return (root / path).read_text(encoding="utf-8")


def changes(edit: Any) -> dict[str, list[tuple[Any, str]]]:
    """URI -> (range, text) of all edits, in whichever form they came."""
    found = {uri: list(edits) for uri, edits in (edit.get("changes") or {}).items()}
    for change in edit.get("documentChanges") or []:
        if "edits" in change:
            found[change["textDocument"]["uri"]] = change["edits"]
    return {uri: [(one["range"], one["newText"]) for one in edits] for uri, edits in found.items()}


def renames(edit: Any) -> list[tuple[str, str]]:
    return [
        (change["oldUri"], change["newUri"])
        for change in edit.get("documentChanges") or []
        if change.get("kind") == "rename"
    ]


async def rename(wire: Wire, uri: str, place: tuple[int, int], new: str) -> Any:
    return await wire.request("textDocument/rename", {**at(uri, *place), "newName": new})


@every_client
async def test_references_and_highlights(client: str, tmp_path: Path) -> None:
    root, uri = tree(tmp_path)
    async with connected(root, capabilities=capabilities(client)) as wire:
        wire.open(uri, text(root, ".synapse/manifest"))
        asked = {**at(uri, *TESTING), "context": {"includeDeclaration": False}}
        found = await wire.request("textDocument/references", asked)
        lines = [(one["uri"], one["range"]["start"]["line"]) for one in found]
        rules = path_to_uri(str(root / ".synapse/testing"))
        assert lines == [(uri, 11), (uri, 12), (rules, 0), (rules, 1)]
        marks = await wire.request("textDocument/documentHighlight", at(uri, *TESTING))
        assert [mark["kind"] for mark in marks] == [3, 2, 2]


@every_client
async def test_a_definition_of_an_agent_that_a_rule_mentions(client: str, tmp_path: Path) -> None:
    root, _ = tree(tmp_path)
    (root / ".synapse/global").write_text("GLOBAL_RULE_0=Ask @dev\n", encoding="utf-8")
    uri = path_to_uri(str(root / ".synapse/global"))
    async with connected(root, capabilities=capabilities(client)) as wire:
        wire.open(uri, "GLOBAL_RULE_0=Ask @dev\n")
        (target,) = await wire.request("textDocument/definition", at(uri, 0, 20))
        assert (target.get("targetUri") or target["uri"]).endswith(".claude/agents/dev.md")


async def test_a_definition_leads_only_to_what_is_there(tmp_path: Path) -> None:
    root, _ = tree(tmp_path)
    docs = path_to_uri(str(root / ".synapse/docs"))
    async with connected(root) as wire:
        there = await wire.request("textDocument/definition", at(docs, 0, 22))
        assert [one["uri"] for one in there] == [path_to_uri(str(root / "docs/guide.md"))]
        assert await wire.request("textDocument/definition", at(docs, 0, 42)) == []


@every_client
async def test_prepare_rename_gives_the_name(client: str, tmp_path: Path) -> None:
    root, uri = tree(tmp_path)
    async with connected(root, capabilities=capabilities(client)) as wire:
        wire.open(uri, text(root, ".synapse/manifest"))
        found = await wire.request("textDocument/prepareRename", at(uri, *TESTING))
        assert found["placeholder"] == "TESTING"
        assert found["range"]["end"] == {"line": 10, "character": 7}
        refused = await wire.refusal("textDocument/prepareRename", at(uri, 1, 2))
        assert "GLOBAL has a fixed meaning" in refused["message"]


@pytest.mark.parametrize("client", ["vscode", "neovim"])
async def test_a_domain_is_renamed_with_its_file(client: str, tmp_path: Path) -> None:
    root, uri = tree(tmp_path)
    async with connected(root, capabilities=capabilities(client)) as wire:
        wire.open(uri, text(root, ".synapse/manifest"), version=7)
        edit = await rename(wire, uri, TESTING, "checks")
        rules = path_to_uri(str(root / ".synapse/testing"))
        assert [new for _, new in changes(edit)[uri]] == ["CHECKS"] * 3
        assert [new for _, new in changes(edit)[rules]] == ["CHECKS"] * 2
        assert renames(edit) == [(rules, path_to_uri(str(root / ".synapse/checks")))]
        first = edit["documentChanges"][0]["textDocument"]
        assert first == {"uri": uri, "version": 7}


async def test_changes_say_what_they_are_for_where_the_client_shows_it(tmp_path: Path) -> None:
    root, uri = tree(tmp_path)
    async with connected(root, capabilities=capabilities("vscode")) as wire:
        wire.open(uri, text(root, ".synapse/manifest"))
        edit = await rename(wire, uri, TESTING, "checks")
        used = {
            one.get("annotationId")
            for change in edit["documentChanges"]
            for one in (change.get("edits") or [change])
        }
        assert used == set(edit["changeAnnotations"])
        assert "Manifest: keys and triggers" in used


async def test_a_client_that_cannot_rename_files_is_told_so(tmp_path: Path) -> None:
    root, uri = tree(tmp_path)
    async with connected(root, capabilities=capabilities("emacs")) as wire:
        wire.open(uri, text(root, ".synapse/manifest"))
        refused = await wire.refusal(
            "textDocument/rename", {**at(uri, *TESTING), "newName": "checks"}
        )
        assert refused["code"] == -32803
        assert "cannot rename .synapse/testing to .synapse/checks" in refused["message"]
        commands = path_to_uri(str(root / ".synapse/commands"))
        edit = await rename(wire, commands, (1, 16), "short")
        assert [new for _, new in changes(edit)[commands]] == ["short", "SHORT", "SHORT"]


@every_client
async def test_a_name_in_use_is_refused_in_one_sentence(client: str, tmp_path: Path) -> None:
    root, uri = tree(tmp_path)
    async with connected(root, capabilities=capabilities(client)) as wire:
        wire.open(uri, text(root, ".synapse/manifest"))
        given = {**at(uri, *TESTING), "newName": "docs"}
        refused = await wire.refusal("textDocument/rename", given)
        assert refused["message"].startswith(".synapse/manifest already declares DOCS.")


@pytest.mark.parametrize("client", ["vscode", "neovim"])
async def test_a_squad_is_renamed_as_a_folder(client: str, tmp_path: Path) -> None:
    root, _ = tree(tmp_path)
    uri = path_to_uri(str(root / "squads/etl-squad/squad.yaml"))
    async with connected(root, capabilities=capabilities(client)) as wire:
        edit = await rename(wire, uri, (0, 8), "data-squad")
        assert renames(edit) == [
            (
                path_to_uri(str(root / "squads/etl-squad")),
                path_to_uri(str(root / "squads/data-squad")),
            )
        ]
        assert edit["documentChanges"][-1]["kind"] == "rename"


async def test_files_renamed_elsewhere_are_followed(tmp_path: Path) -> None:
    root, uri = tree(tmp_path)
    async with connected(root, capabilities=capabilities("vscode")) as wire:
        old, new = root / ".claude/agents/dev.md", root / ".claude/agents/builder.md"
        files = {"files": [{"oldUri": path_to_uri(str(old)), "newUri": path_to_uri(str(new))}]}
        edit = await wire.request("workspace/willRenameFiles", files)
        assert [new for _, new in changes(edit)[uri]] == ["builder"]
        assert changes(edit)[path_to_uri(str(old))]
        assert not renames(edit)
        old.rename(new)
        new.write_text("---\nname: builder\n---\n", encoding="utf-8")
        wire.notify("workspace/didRenameFiles", files)
        async with asyncio.timeout(PATIENCE):
            while not (found := await wire.request("workspace/symbol", {"query": "builder"})):
                await asyncio.sleep(0.02)
        assert found[0]["location"]["uri"] == path_to_uri(str(new))


async def test_only_clients_that_ask_before_are_offered_it(tmp_path: Path) -> None:
    for client in CLIENTS:
        wire = Wire()
        offered = await wire.initialize(tmp_path, capabilities=capabilities(client))
        operations = offered["workspace"].get("fileOperations") or {}
        assert bool(operations.get("willRename")) == (client == "vscode")
        await wire.request("shutdown")


@every_client
async def test_links_lead_to_what_is_there(client: str, tmp_path: Path) -> None:
    root, uri = tree(tmp_path)
    docs = path_to_uri(str(root / ".synapse/docs"))
    async with connected(root, capabilities=capabilities(client)) as wire:
        (guide,) = await wire.request("textDocument/documentLink", {"textDocument": {"uri": docs}})
        assert guide["target"] == path_to_uri(str(root / "docs/guide.md"))
        assert ("tooltip" in guide) == (client == "vscode")
        # A name is no link: going to its definition leads to the file.
        found = await wire.request("textDocument/documentLink", {"textDocument": {"uri": uri}})
        assert not found


@every_client
async def test_symbols_of_the_workspace(client: str, tmp_path: Path) -> None:
    root, uri = tree(tmp_path)
    async with connected(root, capabilities=capabilities(client)) as wire:
        found = await wire.request("workspace/symbol", {"query": "testing"})
        assert (found[0]["name"], found[0]["location"]["uri"]) == ("TESTING", uri)
        found = await wire.request("workspace/symbol", {"query": "tstrule1"})
        assert [one["name"] for one in found] == ["TESTING_RULE_1"]
        everything = await wire.request("workspace/symbol", {"query": ""})
        names = {one["name"] for one in everything}
        assert {"TESTING", "etl-squad", "ETL_LOAD", "*brief", "dev"} <= names
