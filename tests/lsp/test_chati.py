"""A tree of Chati.dev in an editor."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.lsp.convert import path_to_uri
from tests.chati_trees import BOARD
from tests.cli.test_chati import MEMORIES
from tests.lsp.wire import connected
from tests.trees import write_tree

SESSION = ".chati/session.yaml"
MEMORY = ".chati/memories/shared/durable/auth-pattern.md"


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


GOTCHAS = """\
gotchas:
  - id: G001
    pattern: A file is locked
    severity: high
  - id: G002
    pattern: A port is in use
    severity: low
"""


@pytest.mark.parametrize(
    ("path", "needle", "name"),
    [
        (MEMORY, "Keep this", "auth-pattern"),
        (MEMORY, "tier:", "auth-pattern"),
        ("chati.dev/intelligence/gotchas.yaml", "severity: high", "G001"),
        ("chati.dev/intelligence/gotchas.yaml", "A port", "G002"),
    ],
)
async def test_a_hover_on_a_memory_says_what_becomes_of_it(
    path: str, needle: str, name: str, tmp_path: Path
) -> None:
    files = {**BOARD, **MEMORIES, "chati.dev/intelligence/gotchas.yaml": GOTCHAS}
    root = write_tree(tmp_path / "board", files)
    uri = path_to_uri(str(root / path))
    async with connected(root) as wire:
        wire.open(uri, files[path])
        before = files[path].partition(needle)[0].split("\n")
        position = {"line": len(before) - 1, "character": len(before[-1]) + 1}
        asked = {"textDocument": {"uri": uri}, "position": position}
        found = await wire.request("textDocument/hover", asked)
    said = found["contents"]["value"].replace("\\", "")
    assert f"**{name}** · " in said
    assert "the block now**" in said
