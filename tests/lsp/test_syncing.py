"""A file for agents that is out of date is found, and written again, in an editor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.formats.managed_block import BEGIN_MARK
from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.setup.sync_plan import plan_sync, write_changes
from tests.lsp.test_changing_commands import editor, refused, run
from tests.lsp.test_code_actions import asking
from tests.lsp.wire import Wire
from tests.trees import TEAM, write_tree


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of which AGENTS.md says what the rules said before."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    root = write_tree(tmp_path / "team", TEAM)
    write_changes(root, plan_sync(root, ["agents"]).changes)
    (root / ".synapse/global").write_text("GLOBAL_RULE_0=Write tiny functions\n", "utf-8")
    return root


def line_of(root: Path, text: str) -> int:
    return (root / "AGENTS.md").read_text("utf-8").splitlines().index(text)


async def offered(wire: Wire, root: Path, line: int) -> list[Any]:
    uri = path_to_uri(str(root / "AGENTS.md"))
    found: list[Any] = await wire.request("textDocument/codeAction", asking(uri, line))
    return [one for one in found if one.get("command")]


async def test_the_quick_fix_runs_the_command(root: Path) -> None:
    async with editor(root) as wire:
        (action,) = await offered(wire, root, line_of(root, "- Write small functions"))
        assert action["title"] == "Run `synapse sync`"
        told = await wire.request(
            "workspace/executeCommand",
            {"command": action["command"]["command"], "arguments": action["command"]["arguments"]},
        )
    assert told["changed"] == [path_to_uri(str(root / "AGENTS.md"))]
    assert "tiny" in (root / "AGENTS.md").read_text("utf-8")


async def test_an_edit_is_given_up_only_when_asked(root: Path) -> None:
    file = root / "AGENTS.md"
    file.write_text(file.read_text("utf-8").replace("small", "large"), "utf-8")
    async with editor(root) as wire:
        told = await run(wire, "synapse.sync", root)
        assert told["changed"] == []
        assert "left alone" in told["left"][0]
        (action,) = await offered(wire, root, line_of(root, "- Write large functions"))
        assert action["title"].startswith("Give up the edit")
        await run(wire, "synapse.sync", root, **action["command"]["arguments"][0])
    assert "tiny" in file.read_text("utf-8")


async def test_a_target_can_be_named(root: Path) -> None:
    async with editor(root) as wire:
        await run(wire, "synapse.sync", root, targets=["gemini"])
        error = await refused(wire, "synapse.sync", root, targets=["x"])
    assert BEGIN_MARK in (root / "GEMINI.md").read_text("utf-8")
    assert "Choose one of" in error["message"]


async def test_a_document_that_is_not_saved_is_not_written(root: Path) -> None:
    file = root / "AGENTS.md"
    before = file.read_bytes()
    async with editor(root) as wire:
        wire.open(path_to_uri(str(file)), f"{before.decode()}\nunsaved\n")
        error = await refused(wire, "synapse.sync", root)
    assert "not saved" in error["message"]
    assert file.read_bytes() == before
