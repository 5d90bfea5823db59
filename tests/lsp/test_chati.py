"""A tree of Chati.dev in an editor."""

from __future__ import annotations

from pathlib import Path

from synapse_ls.lsp.file_uris import path_to_uri
from tests.chati_trees import BOARD
from tests.lsp.wire import connected
from tests.trees import write_tree

SESSION = ".chati/session.yaml"


async def test_findings_are_published_as_one_types_and_the_block_is_served(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "board", BOARD)
    uri = path_to_uri(str(root / SESSION))
    async with connected(root) as wire:
        wire.open(uri, BOARD[SESSION].replace("current_agent: dev", "current_agent: dve"))
        await wire.until(lambda: bool(wire.diagnostics(uri)))
        assert [d["code"] for d in wire.diagnostics(uri)] == ["SYN047"]
        answer = await wire.request("synapse/context", {"prompt": "go on"})
        assert answer["block"].startswith('<chati-context bracket="FRESH">')
        assert '<agent name="dev"' in answer["block"]


async def test_a_hover_shows_what_a_line_gives(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "board", BOARD)
    uri = path_to_uri(str(root / SESSION))
    async with connected(root) as wire:
        wire.open(uri, BOARD[SESSION])
        line = BOARD[SESSION].split("\n").index("  state: build")
        place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 3}}
        found = await wire.request("textDocument/hover", place)
        assert "<mode>build</mode>" in found["contents"]["value"]
