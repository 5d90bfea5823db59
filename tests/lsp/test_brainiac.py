"""A memory of Brainiac in an editor."""

from __future__ import annotations

from pathlib import Path

from synapse_ls.lsp.convert import path_to_uri
from tests.engine.test_profile import FILES, IDENTITY, SHORT_TERM
from tests.lsp.test_trees import served
from tests.lsp.wire import connected
from tests.trees import write_tree

OUTAGE = "memory/long_term/events/2025-08-outage.md"


async def test_findings_are_published_and_the_text_is_served(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "mira", FILES)
    uri = path_to_uri(str(root / SHORT_TERM))
    async with connected(root) as wire:
        wire.open(uri, "## Sumary\nWe talk.\n")
        await wire.until(lambda: bool(wire.diagnostics(uri)))
        assert [d["code"] for d in wire.diagnostics(uri)] == ["SYN025"]
        answer = await wire.request("synapse/context", {"prompt": "ticket machines"})
        assert answer["block"].startswith("## Core Identity\n")
        assert answer["block"].endswith("## User Prompt\nticket machines")


async def test_a_hover_sees_what_is_being_typed(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "mira", FILES)
    uri = path_to_uri(str(root / IDENTITY))
    async with connected(root) as wire:
        wire.open(uri, "You are Noa.\n")
        hover = await wire.request(
            "textDocument/hover",
            {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 2}},
        )
        assert "**In the block now**: it says who the agent is." in hover["contents"]["value"]
        assert "## Core Identity\nYou are Noa." in hover["contents"]["value"]


async def test_a_memory_that_appears_is_followed(tmp_path: Path) -> None:
    async with connected(tmp_path) as wire:
        root = write_tree(tmp_path / "mira", FILES)
        event = {"uri": path_to_uri(str(root / IDENTITY)), "type": 1}
        wire.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
        await wire.until(lambda: served(wire) == [str(root)])
        (root / OUTAGE).write_text("---\nuuid: a\n---\nThe lighthouse went dark.\n")
        event = {"uri": path_to_uri(str(root / OUTAGE)), "type": 2}
        wire.notify("workspace/didChangeWatchedFiles", {"changes": [event]})
        await wire.settled()
        answer = await wire.request("synapse/context", {"prompt": "Is the lighthouse dark?"})
        assert "The lighthouse went dark." in answer["block"]
