"""Memories of other tools: reading them, bringing them here, and taking that back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from synapse_ls.memory import foreign_memories
from synapse_ls.memory.memory_index import refresh_index
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.setup.install.engine_takeover import plan_moves, undo_migration, write_moves
from tests.formats.texts import hostile_texts
from tests.support import corpus
from tests.trees import write_tree

NOW = 1_795_305_600.0
CHATI = {
    ".chati/memories/shared/durable/mem-2026-02-12-001.md": """\
        ---
        id: mem-2026-02-12-001
        type: gotcha
        tags:
          - database
        tier: hot
        custom: kept
        ---

        # Deletes are soft
        """,
    ".chati/memories/dev/daily/mem-2026-02-12-002.md": "---\nid: mem-2026-02-12-002\n---\n# Dev's\n",
    ".chati/memories/dev/MEMORY.md": """\
        # Memory of dev

        Some prose.

        ## Style

        - Use tabs
          in Makefiles (high) [style, make]
        - Keep it short
        """,
    ".chati/memories/shared/gotchas.json": json.dumps(
        {"gotchas": [{"id": "G001", "message": "Port 5432 is taken", "count": 5, "resolution": "Stop it"}]}
    ),
    ".aiox/gotchas.json": json.dumps(
        {
            "schema": "aiox-gotchas-v1",
            "gotchas": [{"title": "Fetch does not throw", "wrong": "a", "right": "b", "severity": "high"}],
        }
    ),
}  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "tree", CHATI)


def test_an_item_of_an_agents_memory_keeps_its_further_lines() -> None:
    text = "## A\n- One\n  goes on\n\n  and on (low) [x, y]\n- Two\nlazily\n# Other\nprose\n"
    one, two = foreign_memories.parse_agent_memory(text, "m/MEMORY.md", "dev")
    assert one.text == "One\ngoes on\n\nand on"
    assert (one.tags, one.confidence, one.agent) == (("x", "y", "a"), 0.3, "dev")
    assert (one.tier, two.tier) == ("", "warm")
    assert (one.id, two.id) == ("one-goes-on-and-on", "two-lazily")

    assert two.text == "Two\nlazily"
    assert (one.line, two.line) == (1, 5)


def test_of_more_items_than_can_be_found_the_first_are_read() -> None:
    found = foreign_memories.parse_agent_memory(
        "- Use tabs\n" * 100_000, ".chati/memories/dev/MEMORY.md"
    )
    assert len({record.id for record in found}) == len(found) == foreign_memories.MAX_ITEMS


def test_items_that_begin_alike_have_ids_of_their_own() -> None:
    found = foreign_memories.parse_agent_memory("- Same\n- same!\n- SAME\n", "m/MEMORY.md")
    assert [one.id for one in found] == ["same", "same~2", "same~3"]


@given(hostile_texts)
def test_no_file_is_too_odd_to_be_read(text: str) -> None:
    foreign_memories.parse_agent_memory(text, "x/MEMORY.md")
    foreign_memories.parse_pitfalls(text, "x.json")
    foreign_memories.parse_pitfalls(text, "x.yaml")
    foreign_memories.parse_chati(text, ".chati/memories/dev/durable/x.md")


def test_pitfalls_of_every_schema_are_read() -> None:
    (old,) = foreign_memories.parse_pitfalls(CHATI[".aiox/gotchas.json"], "x.json")
    assert old.text == "Wrong: a\n\nRight: b"
    assert old.tags == ("critical",)
    (tracked,) = foreign_memories.parse_pitfalls(
        CHATI[".chati/memories/shared/gotchas.json"], "x.json"
    )
    assert (tracked.title, tracked.evidence) == ("Port 5432 is taken", 5)
    assert tracked.confidence == pytest.approx(0.8319)
    new = {
        "schema": "aiox-gotchas-memory-v1",
        "gotchas": [
            {
                "id": "gotcha-1", "title": "Slow build", "workaround": "Cache it",
                "category": "build", "severity": "info", "relatedFiles": ["a.ts"],
                "trigger": {"errorPattern": "timeout after N"},
                "source": {"type": "manual", "occurrences": 3, "lastSeen": "2026-02-01T00:00:00Z"},
            }
        ],
    }  # fmt: skip
    (manual,) = foreign_memories.parse_pitfalls(json.dumps(new), "x.json")
    assert manual.explicit and manual.evidence == 3
    assert "Sign: timeout after N" in manual.text and "Files: a.ts" in manual.text


def test_a_chati_tree_is_indexed_as_it_stands(root: Path) -> None:
    records = {one.title: one for one in refresh_index(str(root), chati=True).records()}
    assert set(records) == {
        "Deletes are soft", "Dev's", "Use tabs", "Keep it short", "Port 5432 is taken",
    }  # fmt: skip
    assert records["Dev's"].agent == records["Use tabs"].agent == "dev"
    seen = {one.title for one in refresh_index(str(root), chati=True).records("qa")}
    assert seen == {"Deletes are soft", "Port 5432 is taken"}


def test_a_migration_brings_everything_once_and_changes_nothing_of_theirs(root: Path) -> None:
    before = {path: (root / path).read_bytes() for path in CHATI}
    brought = write_moves(str(root), plan_moves(str(root)), now=NOW)
    assert len(brought) == 6
    assert {path: (root / path).read_bytes() for path in CHATI} == before
    copied = root / ".synapse/memory/shared/durable/mem-2026-02-12-001.md"
    assert copied.read_bytes() == before[".chati/memories/shared/durable/mem-2026-02-12-001.md"]
    store = MemoryStore(str(root), chati=False)
    assert {record.title for record in store.records("qa")} == {
        "Deletes are soft", "Port 5432 is taken", "Fetch does not throw",
    }  # fmt: skip
    tabs = next(record for record in store.records("dev") if record.title == "Use tabs")
    assert tabs.text == "Use tabs\nin Makefiles"
    assert tabs.source == ".chati/memories/dev/MEMORY.md, Style"
    assert write_moves(str(root), plan_moves(str(root)), now=NOW) == []


def test_a_migration_is_taken_back_but_for_what_was_changed(root: Path) -> None:
    brought = write_moves(str(root), plan_moves(str(root)), now=NOW)
    store = MemoryStore(str(root), chati=False)
    changed = store.records("")[0]
    store.update(changed.id, now=NOW, tags=("mine",))
    removed, kept = undo_migration(str(root))
    assert kept == [changed.path]
    assert len(removed) == len(brought) - 1
    assert [record.id for record in store.records()] == [changed.id]
    assert len(write_moves(str(root), plan_moves(str(root)), now=NOW)) == len(brought) - 1


def test_an_id_that_is_taken_is_not_given_twice(root: Path) -> None:
    store = MemoryStore(str(root), chati=False)
    taken = store.remember("Something else.", now=NOW, id="mem-2026-02-12-001")
    write_moves(str(root), plan_moves(str(root)), now=NOW)
    ids = [record.id for record in store.records()]
    assert len(ids) == len(set(ids)) == 7
    assert store.get(taken.id) == taken


def test_real_pitfalls_are_read() -> None:
    found = foreign_memories.parse_pitfalls(
        (corpus() / "aiox/.aiox/gotchas.json").read_text(), ".aiox/gotchas.json"
    )
    assert len(found) == 4
    yaml = corpus() / "chati/chati.dev/intelligence/gotchas.yaml"
    assert [one.id for one in foreign_memories.parse_pitfalls(yaml.read_text(), "x.yaml")] == [
        f"G00{number}" for number in range(1, 6)
    ]


@pytest.mark.parametrize(
    "link", [".chati/memories/shared/durable", ".chati/memories/dev", ".chati"]
)
def test_folders_behind_links_are_not_read(root: Path, tmp_path: Path, link: str) -> None:
    away = tmp_path / "away"
    (root / link).rename(away)
    (root / link).symlink_to(away)
    own = {path for path in CHATI if path.startswith(".chati/")}
    assert set(foreign_memories.chati_files(str(root))) == {
        p for p in own if not p.startswith(f"{link}/")
    }


def test_pitfalls_behind_a_link_are_not_brought(root: Path, tmp_path: Path) -> None:
    away = tmp_path / "away.json"
    (root / ".aiox/gotchas.json").rename(away)
    (root / ".aiox/gotchas.json").symlink_to(away)
    assert ".aiox/gotchas.json" not in {move.source for move in plan_moves(str(root))}
