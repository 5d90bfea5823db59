"""A tree of CARL in an editor."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from synapse_ls.lsp.convert import path_to_uri
from tests.carl_trees import BAND, BAND_V2
from tests.lsp.test_trees import served
from tests.lsp.wire import connected
from tests.trees import TEAM, write_tree


async def test_findings_are_published_and_the_block_is_served(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "band", BAND)
    uri = path_to_uri(str(root / ".carl" / "manifest"))
    async with connected(root) as wire:
        wire.open(uri, "GLOBAL_STATE=active\nDOMAIN_ORDER=MIX\n")
        await wire.until(lambda: bool(wire.diagnostics(uri)))
        assert [d["code"] for d in wire.diagnostics(uri)] == ["SYN104"]
        answer = await wire.request("synapse/context", {"prompt": "mix it"})
        assert answer["block"].startswith("<carl-rules>")
        assert "[MIX] RULES:" in answer["block"]


async def test_a_tree_that_appears_and_goes_is_followed(tmp_path: Path) -> None:
    async with connected(tmp_path) as wire:
        root = write_tree(tmp_path / "band", BAND)
        event = {"uri": path_to_uri(str(root / ".carl" / "manifest")), "type": 1}
        wire.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
        await wire.until(lambda: served(wire) == [str(root)])
        shutil.rmtree(root / ".carl")
        event = {"uri": path_to_uri(str(root / ".carl")), "type": 3}
        wire.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
        await wire.until(lambda: served(wire) == [])


async def test_rules_of_synapse_take_over_while_it_is_open(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "band", BAND)
    async with connected(root) as wire:
        write_tree(root, TEAM)
        event = {"uri": path_to_uri(str(root / ".synapse" / "manifest")), "type": 1}
        wire.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
        await wire.settled()
        answer = await wire.request("synapse/context", {"prompt": "mix it"})
        assert answer["block"].startswith("<synapse-rules>")


def house(rule: str) -> str:
    said = {"state": "active", "always_on": True, "rules": [rule]}
    return json.dumps({"domains": {"HOUSE": said}})


async def test_what_is_above_the_tree_is_shown_and_followed(tmp_path: Path) -> None:
    hall = write_tree(tmp_path / "hall", {".carl/carl.json": house("Sweep the floor")})
    root = write_tree(hall / "stage", BAND_V2)
    uri = path_to_uri(str(hall / ".carl" / "carl.json"))
    async with connected(root) as wire:
        await wire.settled()
        answer = await wire.request("synapse/explain", {})
        (found,) = (d for d in answer["domains"] if d["label"] == "HOUSE")
        assert found["location"]["uri"] == uri
        before = len(wire.notifications("synapse/didChangeContext"))
        write_tree(hall, {".carl/carl.json": house("Lock the door")})
        wire.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})
        await wire.until(lambda: len(wire.notifications("synapse/didChangeContext")) > before)
        assert "Lock the door" in (await wire.request("synapse/context", {}))["block"]


async def test_a_file_above_that_is_edited_is_seen_to_by_its_own_tree(tmp_path: Path) -> None:
    hall = write_tree(tmp_path / "hall", {".carl/carl.json": house("Sweep the floor")})
    root = write_tree(hall / "stage", BAND_V2)
    uri = path_to_uri(str(hall / ".carl" / "carl.json"))
    async with connected(root) as wire:
        wire.open(uri, house(""))
        await wire.until(lambda: bool(wire.diagnostics(uri)))
        assert [d["code"] for d in wire.diagnostics(uri)] == ["SYN010"]
