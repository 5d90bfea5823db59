"""``synapse/memory``, hovers and diagnostics of memories, over the protocol."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.memory.memory_store import MemoryStore
from tests.lsp.wire import connected
from tests.trees import TEAM, write_tree


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = write_tree(tmp_path / "team", TEAM)
    store, now = MemoryStore(str(root)), time.time()
    store.remember("Use the staging database.", now=now, type="user_correction", tags=("database",))
    store.remember("Deploys wait for QA.", now=now, tags=("deploy",))
    store.remember("Kept by dev.", now=now, agent="dev", scope="private")
    return root


async def test_memories_are_told_with_what_they_are_worth(root: Path) -> None:
    async with connected(root) as wire:
        told = await wire.request("synapse/memory", {})
    first = told["memories"][0]
    assert (first["title"], first["tier"], first["lifted"]) == (
        "Use the staging database", "hot", True,
    )  # fmt: skip
    assert first["factors"] == {"evidence": 0.1, "recency": 1.0, "access": 1.0, "confidence": 0.9}
    assert first["location"]["uri"].endswith("mem-" + first["id"][4:] + ".md")
    assert (told["counts"]["total"], told["counts"]["agents"]) == (3, {"dev": 1})


async def test_they_are_searched_and_seen_as_an_agent_sees_them(root: Path) -> None:
    async with connected(root) as wire:
        found = await wire.request("synapse/memory", {"query": "DATABASES"})
        nothing = await wire.request("synapse/memory", {"query": "kubernetes"})
        seen = await wire.request("synapse/memory", {"agent": "qa"})
    (only,) = found["memories"]
    assert only["matches"] == [{"word": "databases", "place": "tag"}]
    assert nothing["memories"] == []
    assert seen["counts"]["total"] == 2
    assert "Kept by dev" not in str(seen)


async def test_the_block_says_which_it_tells_and_why(root: Path) -> None:
    async with connected(root) as wire:
        told = await wire.request("synapse/context", {"session": "", "prompt": "the database"})
    assert "[MEMORY HINTS]" in told["block"]
    (hint,) = told["memory"]["told"]
    assert hint["factors"]["relevance"] == 1
    assert hint["location"]["range"]["start"]["line"] > 0
    assert len(told["memory"]["left"]) == 1


async def test_a_wrong_parameter_is_refused_with_a_sentence(root: Path) -> None:
    async with connected(root) as wire:
        refused = await wire.refusal("synapse/memory", {"tier": "boiling"})
    assert "boiling" in refused["message"]


async def test_a_slip_in_a_memory_is_reported_while_one_types(root: Path) -> None:
    paths = (root / ".synapse/memory/shared").rglob("*.md")
    path = next(path for path in paths if "procedural" in path.read_text())
    uri = path_to_uri(str(path))
    async with connected(root) as wire:
        wire.open(uri, path.read_text().replace("procedural", "procedual"))
        said = await wire.first(
            lambda m: (
                m.get("method") == "textDocument/publishDiagnostics"
                and m["params"]["uri"] == uri
                and bool(m["params"]["diagnostics"])
            )
        )
    assert [one["code"] for one in said["params"]["diagnostics"]] == ["SYN902"]
