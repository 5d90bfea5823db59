"""What an editor says of files of instructions that a tree refers to."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.lsp.convert import path_to_uri
from tests.lsp.wire import connected
from tests.trees import write_tree

GUIDE, SCOPED = "CLAUDE.md", ".cursor/rules/types.mdc"
FILES = {
    ".synapse/config.toml": f'[[adopted]]\npath = "{GUIDE}"\n[[adopted]]\npath = "{SCOPED}"\n',
    GUIDE: "- Never push to main\n",
    SCOPED: "---\nglobs: '*.ts'\n---\n- Use strict types\n",
}


@pytest.mark.parametrize(("path", "client"), [(GUIDE, "claude"), (SCOPED, "cursor")])
async def test_a_hover_names_the_clients_that_read_the_file_by_themselves(
    path: str, client: str, tmp_path: Path
) -> None:
    root = write_tree(tmp_path / "tree", FILES)
    uri = path_to_uri(str(root / path))
    async with connected(root) as wire:
        wire.open(uri, FILES[path])
        place = {"line": FILES[path].count("\n") - 1, "character": 4}
        asked = {"textDocument": {"uri": uri}, "position": place}
        hover = (await wire.request("textDocument/hover", asked))["contents"]["value"]
    assert f"not injected for clients that read {path} by themselves ({client}" in hover
