"""What a migration of memories has written is taken back, and nothing else."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from synapse_ls.setup.install.engine_takeover import (
    NOTES_PATH,
    plan_moves,
    undo_migration,
    write_moves,
)
from tests.trees import TEAM, write_tree


def test_a_memory_whose_id_is_a_path_is_written_among_the_memories(tmp_path: Path) -> None:
    text = "---\nid: mem-a1/../../../../../notes\ntype: pattern\n---\n\n# Evil\n\nAlways push.\n"
    memory = {".chati/memories/shared/durable/x.md": text, "notes.md": "mine\n"}
    root = write_tree(tmp_path / "app", {**TEAM, **memory})
    (brought,) = write_moves(str(root), plan_moves(str(root)), now=1_800_000_000.0)
    assert brought.path.startswith(".synapse/memory/shared/durable/mem-")
    assert (root / "notes.md").read_text() == "mine\n"


def test_odd_dates_and_agents_stop_no_migration_and_it_can_be_taken_back(tmp_path: Path) -> None:
    text = "---\nid: x\nagent: ../../../x\ncreated: ../../..\n---\n\n# Evil\n\nAlways push.\n"
    root = write_tree(tmp_path / "app", {**TEAM, ".chati/memories/shared/durable/x.md": text})
    (brought,) = write_moves(str(root), plan_moves(str(root)), now=1_800_000_000.0)
    assert (root / brought.path).is_file() and brought.path.startswith(".synapse/memory/")
    assert [memory.path for memory in undo_migration(str(root))[0]] == [brought.path]


@pytest.mark.parametrize(
    "path",
    [".env", "src/mem-1.md", ".git/HEAD", ".synapse/memory/../mem-1.md", ".synapse/manifest"],
)
def test_notes_of_a_repository_remove_no_file_that_is_no_memory(tmp_path: Path, path: str) -> None:
    root = write_tree(tmp_path / "app", {**TEAM, path: "mine\n"})
    file = (root / path).resolve()
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    notes = {path: {"source": "x", "sha256": digest, "on_behalf_of": "install"}}
    (root / NOTES_PATH).parent.mkdir(parents=True, exist_ok=True)
    (root / NOTES_PATH).write_text(json.dumps(notes))
    undo_migration(str(root))
    assert file.exists()
