"""Memories and the continuation of a Chati.dev tree lie where its document says (Chati Context
Engine, "Autonomous Context Recovery")."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from synapse_ls.formats.continuation_file import Continuation
from synapse_ls.hooks.digest_worker import make_digest
from synapse_ls.memory import continuations
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage import plan_cache
from tests.cli.conftest import Synapse
from tests.hooks.hook_clients import Claude
from tests.integrations.transcripts.claude_records import answer, prompt
from tests.integrations.transcripts.support import lines_of
from tests.trees import write_tree

NOW = 1_764_400_000.0
SESSION = {".chati/session.yaml": "mode: build\ncurrent_agent: dev\n"}
OLD = ".synapse/memory/shared/durable/mem-2025-11-29-001.md"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = write_tree(tmp_path / "board", SESSION)
    monkeypatch.chdir(root)
    return root


def test_a_memory_is_kept_in_the_folder_of_chati_and_fits_its_schema(
    root: Path, synapse: Synapse
) -> None:
    assert synapse("memory", "add", "Deploys wait for QA").code == 0
    (path,) = (root / ".chati/memories").rglob("*.md")
    assert path.parent == root / ".chati/memories/shared/durable"
    assert not (root / ".synapse/memory/shared").exists()
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o777 == 0o600
    assert ".chati/memories" not in synapse("check").out


def test_what_an_agent_keeps_for_itself_lies_in_its_own_folder(root: Path) -> None:
    store = MemoryStore(str(root))
    kept = store.remember("Tokens rotate weekly", now=NOW, scope="private", agent="dev")
    assert kept.path.startswith(".chati/memories/dev/durable/")
    assert [record.id for record in store.records("dev")] == [kept.id]
    assert store.records("qa") == []


def test_a_forgotten_memory_comes_back_to_its_place(root: Path, synapse: Synapse) -> None:
    store = MemoryStore(str(root))
    kept = store.remember("Tokens rotate weekly", now=NOW)
    store.forget(kept.id)
    assert store.records() == []
    assert kept.id not in synapse("check").out
    assert store.restore(kept.id).path == kept.path
    assert [record.path for record in store.records()] == [kept.path]


def test_memories_of_the_old_place_are_still_read_and_changed_there(root: Path) -> None:
    write_tree(root, {OLD: "---\nid: mem-2025-11-29-001\n---\n\n# Keep it short\n"})
    store = MemoryStore(str(root))
    assert store.confirm("mem-2025-11-29-001", now=NOW).path == OLD
    assert store.remember("Something else", now=NOW).id == "mem-2025-11-29-002"


def test_a_continuation_of_the_old_place_is_still_found(root: Path) -> None:
    write_tree(
        root, {".synapse/continuation/latest.md": "---\nsession_id: old\n---\n\n## Resume\n"}
    )
    for session in ("old", "new"):
        plan_cache.remember_session(str(root), session)
    found = continuations.latest_continuation(str(root))
    assert found is not None and found.session == "old"
    continuations.write_continuation(str(root), Continuation(session="new"))
    found = continuations.latest_continuation(str(root))
    assert found is not None and found.session == "new"
    assert continuations.continuation_of_session(str(root), "old") is not None


def test_git_takes_no_continuation_of_a_chati_tree(root: Path, synapse: Synapse) -> None:
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    client = Claude(root)
    client.prompt("begin")
    assert synapse("handoff").code == 0
    path = root / ".chati/continuation/latest.md"
    assert os.name == "nt" or path.stat().st_mode & 0o777 == 0o600
    shown = subprocess.run(
        ["git", "status", "--short", "-uall"], cwd=root, check=True, capture_output=True
    )
    assert b"continuation" not in shown.stdout
    assert not (root / ".synapse/continuation").exists()


def test_a_new_session_goes_on_where_the_last_one_was_left(root: Path, synapse: Synapse) -> None:
    first = Claude(root)
    first.transcript.write_bytes(
        lines_of(prompt("Build it", 1), answer(9_000, "TODO: index the table.", second=2))
    )
    first.prompt("Build it")
    make_digest(str(root), first.session, now=first.now, reason="manual")
    assert (root / ".chati/continuation/latest.md").is_file()
    second = Claude(root, "session-2")
    second.now = first.now + 60
    second.transcript = root / "second.jsonl"
    assert "TODO: index the table." in second.prompt("Hello")
    assert ".chati/continuation/latest.md" in synapse("recover", "--session", first.session).out
