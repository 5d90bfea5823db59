"""``synapse/memory``, hovers and diagnostics of memories, over the protocol."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.memory.memory_index import refresh_index
from synapse_ls.memory.memory_search import make_query
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.memory.stored_index import QUICK_FILES, find_memories
from synapse_ls.storage.session_changes import record_prompt
from synapse_ls.storage.session_store import SessionStore
from tests.bench.bench_hook import OLD
from tests.lsp.wire import connected
from tests.trees import TEAM, write_tree


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = write_tree(tmp_path / "team", TEAM)
    store, now = MemoryStore(str(root)), time.time()
    store.add("Use the staging database.", now=now, type="user_correction", tags=("database",))
    store.add("Deploys wait for QA.", now=now, tags=("deploy",))
    store.add("Kept by dev.", now=now, agent="dev", scope="private")
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


def is_found_or_looked_for(root: Path, title: str, word: str) -> bool:
    """Whether a prompt with a word finds a memory, or has all files compared to find it."""
    found = find_memories(str(root), make_query(word), "", (), 0.2)
    return found is None or title in [row.record.title for row, _ in found.rows]


@pytest.mark.parametrize("event", ["saved", "watched"])
async def test_a_memory_of_a_large_store_that_was_edited_in_place_is_found_at_once(
    root: Path, event: str
) -> None:
    folder, now = root / ".synapse/memory/shared/durable", time.time()
    for number in range(QUICK_FILES + 10):
        (folder / f"note-{number}.md").write_text(f"# Note {number}\n\nAbout subject{number}.\n")
    for path in (root, *root.rglob("*")):
        os.utime(path, (OLD, OLD))
    refresh_index(str(root))
    # Of a session that is under way, in a window that is still fresh, the server recalls nothing itself.
    SessionStore(str(root / ".synapse/sessions")).update(
        "one", lambda session: record_prompt(session, "Hello there", now), cwd="", now=now
    )
    async with connected(root) as wire:
        await wire.settled()
        edited = folder / "note-7.md"
        edited.write_text("# Note 7\n\nAbout kubernetes.\n")
        assert not is_found_or_looked_for(root, "Note 7", "kubernetes")
        uri = path_to_uri(str(edited))
        if event == "saved":
            wire.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        else:
            changes = [{"uri": uri, "type": 2}]
            wire.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        await wire.until(lambda: is_found_or_looked_for(root, "Note 7", "kubernetes"))
