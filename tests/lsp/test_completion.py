"""Completion as real editors ask for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.lsp.convert import path_to_uri
from tests.lsp.declared import CLIENTS, capabilities
from tests.lsp.wire import Message, at, connected, edit
from tests.trees import TEAM, write_tree

MANIFEST = TEAM[".synapse/manifest"]


def taken(item: Message, defaults: Message) -> Message:
    """The edit of an item, whichever way the client has it told."""
    if "textEdit" in item:
        return dict(item["textEdit"])
    ranges = defaults["editRange"]
    given = ranges if "insert" in ranges else {"range": ranges}
    return {"newText": item.get("textEditText", item["label"]), **given}


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_half_typed_line_is_completed_and_told_about(client: str, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", TEAM)
    uri = path_to_uri(str(root / ".synapse" / "manifest"))
    declared = capabilities(client)
    async with connected(root, capabilities=declared) as wire:
        text = (root / ".synapse" / "manifest").read_text(encoding="utf-8")
        last = text.count("\n")
        wire.open(uri, text)
        wire.change(uri, 2, edit((last, 0), (last, 0), "AGENT_QA_RE"))
        found = await wire.request("textDocument/completion", at(uri, last, 11))
        items = {item["label"]: item for item in found["items"]}
        item = items["AGENT_QA_RECALL"]
        defaults = found.get("itemDefaults", {})
        change = taken(item, defaults)
        whole = change.get("replace") or change["range"]
        assert whole["start"] == {"line": last, "character": 0}
        assert whole["end"] == {"line": last, "character": 11}
        assert change["newText"] == "AGENT_QA_RECALL="
        snippets = declared["textDocument"]["completion"]["completionItem"]["snippetSupport"]
        state = items["AGENT_QA_ALWAYS_ON"]
        assert ("${1" in taken(state, defaults)["newText"]) is bool(snippets)
        told = await wire.request("completionItem/resolve", item)
        assert "activate the domain" in told["documentation"]["value"]
        assert told["label"] == item["label"]


@pytest.mark.parametrize("client", CLIENTS)
async def test_inserting_and_replacing_a_value_that_is_there(client: str, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", TEAM)
    uri = path_to_uri(str(root / ".synapse" / "manifest"))
    async with connected(root, capabilities=capabilities(client)) as wire:
        found = await wire.request("textDocument/completion", at(uri, 0, 21))
        change = taken(found["items"][0], found.get("itemDefaults", {}))
        assert change["newText"] == "active"
        whole = change.get("replace") or change["range"]
        assert (whole["start"]["character"], whole["end"]["character"]) == (19, 25)
        if "insert" in change:
            assert change["insert"]["end"]["character"] == 21


async def test_a_place_without_anything_to_offer_has_no_list(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", {**TEAM, ".synapse/manifest": "# a comment\n"})
    uri = path_to_uri(str(root / ".synapse" / "manifest"))
    async with connected(root) as wire:
        assert await wire.request("textDocument/completion", at(uri, 0, 5)) is None


async def test_what_is_told_of_an_item_of_ours_only(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", TEAM)
    async with connected(root) as wire:
        for item in ({"label": "a"}, {"label": "b", "data": {"topic": 3}}):
            assert await wire.request("completionItem/resolve", item) == item


async def test_the_characters_after_which_editors_ask_are_told(tmp_path: Path) -> None:
    from tests.lsp.wire import Wire

    wire = Wire()
    told = await wire.initialize(tmp_path)
    assert told["completionProvider"]["resolveProvider"] is True
    assert {"_", "=", ",", "*", "@"} <= set(told["completionProvider"]["triggerCharacters"])
    await wire.request("shutdown")
