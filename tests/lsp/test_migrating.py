"""A CARL tree becomes one of ``.synapse/`` from an editor, which is asked first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.lsp.convert import path_to_uri
from tests.lsp.test_changing_commands import editor, refused, run
from tests.lsp.test_code_actions import asking
from tests.setup.migrate.trees import everything, project

ASK = "window/showMessageRequest"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CONFIG", "CACHE"):
        monkeypatch.setenv(f"SYNAPSE_LS_{name}", str(tmp_path / name.lower()))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return project(tmp_path / "shop")


async def test_the_manifest_of_carl_offers_it_and_the_person_decides(root: Path) -> None:
    uri = path_to_uri(str(root / ".carl/manifest"))
    before = everything(root)
    async with editor(root) as wire:
        wire.open(uri, (root / ".carl/manifest").read_text())
        found: list[Any] = await wire.request("textDocument/codeAction", asking(uri, 0))
        (action,) = (one for one in found if "synapse migrate" in one["title"])
        chosen = {key: action["command"][key] for key in ("command", "arguments")}
        wire.answers[ASK] = {"title": "Cancel"}
        assert await wire.request("workspace/executeCommand", chosen) is None
        assert everything(root) == before
        wire.answers[ASK] = {"title": "Migrate"}
        done = await wire.request("workspace/executeCommand", chosen)
    assert done["applied"] is True
    assert (root / ".synapse/manifest").exists()


async def test_what_would_be_done_is_answered_without_doing_it(root: Path) -> None:
    before = everything(root)
    async with editor(root) as wire:
        found = await run(wire, "synapse.migrate", root, step="plan")
        assert wire.notifications(ASK) == []
    assert found["applied"] is False
    assert found["changes"][-1]["path"] == "CLAUDE.md"
    assert everything(root) == before


async def test_each_step_can_be_asked_for_and_taken_back(root: Path) -> None:
    before = everything(root)
    async with editor(root) as wire:
        await run(wire, "synapse.migrate", root, step="migrate")
        told = await run(wire, "synapse.migrate", root, step="texts")
        assert told["texts_applied"] is True
        await run(wire, "synapse.migrate", root, step="finish")
        assert not (root / ".carl").exists()
        undone = await run(wire, "synapse.migrate", root, step="rollback")
        assert undone["applied"] is True
    assert everything(root) == before


async def test_a_document_that_is_not_saved_is_not_written_below(root: Path) -> None:
    async with editor(root) as wire:
        wire.open(path_to_uri(str(root / "CLAUDE.md")), "Not saved yet\n")
        error = await refused(wire, "synapse.migrate", root, step="migrate")
        assert "CLAUDE.md is not saved" in error["message"]
        error = await refused(wire, "synapse.migrate", root, step="leap")
        assert 'There is no step "leap"' in error["message"]
    assert not (root / ".synapse").exists()
