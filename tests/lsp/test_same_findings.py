"""One linter: the editor, ``synapse check`` and standard input find and mend the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.lsp.convert import path_to_uri
from tests.cli.conftest import Synapse, synapse
from tests.lsp.declared import CLIENTS, capabilities
from tests.lsp.test_code_actions import asking, chosen, edits_in
from tests.lsp.test_formatting import applied
from tests.lsp.wire import Message, connected
from tests.trees import TEAM, write_tree

__all__ = ["synapse"]

MANIFEST = ".synapse/manifest"
UNTIDY = (
    "  GLOBAL_STATE=Active\r\nDOCS_STATE=active\r\n"
    "DOCS_RECALL=𝄞 readme,,manual\r\n# 𝄞\r\nDOCS_EXCLUDE=𝄞,,x\r\nLOST_STATE=activ\r\n"
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree whose manifest has findings of every kind."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = write_tree(tmp_path / "team", TEAM)
    (root / MANIFEST).write_bytes(UNTIDY.encode())
    monkeypatch.chdir(root)
    return root


def units(text: str, line: int, column: int) -> int:
    """A column from 1 in code points as UTF-16 code units from 0."""
    before = text.replace("\r\n", "\n").split("\n")[line - 1][: column - 1]
    return len(before.encode("utf-16-le")) // 2


def as_told_to_editors(found: Message) -> tuple[Any, ...]:
    """A finding of the command line as the protocol has it."""
    place = found["range"]
    start = place["line"] - 1, units(UNTIDY, place["line"], place["column"])
    end = place["end_line"] - 1, units(UNTIDY, place["end_line"], place["end_column"])
    return found["code"], start, end


def as_told(diagnostic: Message) -> tuple[Any, ...]:
    """Which rule found something where."""
    ends = (diagnostic["range"][side] for side in ("start", "end"))
    start, end = ((end["line"], end["character"]) for end in ends)
    return diagnostic["code"], start, end


@pytest.mark.parametrize("client", CLIENTS)
async def test_all_three_find_and_mend_the_same(synapse: Synapse, root: Path, client: str) -> None:
    options = ("--format", "json")
    in_file = synapse("check", MANIFEST, *options).json
    given = ("check", "-", "--stdin-filename", MANIFEST)
    in_text = synapse(*given, *options, stdin=UNTIDY).json
    mended_text = synapse(*given, "--fix", stdin=UNTIDY).out
    uri = path_to_uri(str(root / MANIFEST))
    declared = capabilities(client)
    declared.setdefault("general", {})["positionEncodings"] = ["utf-16"]
    async with connected(root, capabilities=declared) as wire:
        wire.open(uri, UNTIDY)
        await wire.settled()
        in_editor = wire.diagnostics(uri)
        if not in_editor:  # this client comes for them
            report = await wire.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
            in_editor = report["items"]
        [action] = await wire.request(
            "textDocument/codeAction", asking(uri, 0, only=("source.fixAll",))
        )
        action = await chosen(wire, [action], "Fix all")
        mended_in_editor = applied(UNTIDY, edits_in(action["edit"], uri))
    synapse("check", MANIFEST, "--fix")
    assert in_text == in_file
    assert len(in_file) >= 5
    assert list(map(as_told, in_editor)) == list(map(as_told_to_editors, in_file))
    mended_file = (root / MANIFEST).read_bytes().decode()
    assert UNTIDY != mended_file == mended_text == mended_in_editor
