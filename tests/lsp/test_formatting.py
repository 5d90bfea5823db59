"""Formatting as real editors ask for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.lsp.convert import path_to_uri
from tests.lsp.declared import CLIENTS, capabilities
from tests.lsp.wire import Message, connected
from tests.trees import write_tree

OPTIONS = {"tabSize": 4, "insertSpaces": True}
UNTIDY = "A_STATE = active\nA_RECALL=😀, b\n\n\nB_STATE = active"


def applied(text: str, edits: list[Message]) -> str:
    """A text after edits, whose places are in UTF-16 code units."""
    lines = text.splitlines(keepends=True)

    def offset(position: Message) -> int:
        before = "".join(lines[: position["line"]])
        line = lines[position["line"]] if position["line"] < len(lines) else ""
        units = line.encode("utf-16-le")[: 2 * position["character"]]
        return len(before) + len(units.decode("utf-16-le"))

    for edit in sorted(edits, key=lambda e: offset(e["range"]["start"]), reverse=True):
        start, end = (offset(edit["range"][side]) for side in ("start", "end"))
        text = text[:start] + edit["newText"] + text[end:]
    return text


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_document_and_a_part_of_it_are_laid_out(client: str, tmp_path: Path) -> None:
    root = write_tree(tmp_path / "team", {".synapse/manifest": "A_STATE=active\n"})
    uri = path_to_uri(str(root / ".synapse" / "manifest"))
    declared = capabilities(client)
    declared.setdefault("general", {})["positionEncodings"] = ["utf-16"]
    async with connected(root, capabilities=declared) as wire:
        wire.open(uri, UNTIDY)
        given = {"textDocument": {"uri": uri}, "options": OPTIONS}
        edits = await wire.request("textDocument/formatting", given)
        tidy = "A_STATE=active\nA_RECALL=😀,b\n\nB_STATE=active\n"
        assert applied(UNTIDY, edits) == tidy
        part = {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}}
        edits = await wire.request("textDocument/rangeFormatting", {**given, "range": part})
        assert applied(UNTIDY, edits) == UNTIDY.replace("😀, b", "😀,b")
        wire.change(uri, 2, {"text": tidy})
        assert await wire.request("textDocument/formatting", given) == []
