"""The store: adding, changing, forgetting, and who may see what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synapse_ls.memory.memory_paths import count_uses
from synapse_ls.memory.memory_record import PERSON
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage.atomic_files import StorageError
from tests.support import examples

NOW = 1_795_305_600.0  # 2026-11-22
DAY = 86400.0


def test_what_is_added_is_there(store: MemoryStore) -> None:
    record = store.remember("Deploys wait for QA.", now=NOW, tags=("deploy",), type="decision")
    assert record.id == "mem-2026-11-22-001"
    assert record.path == ".synapse/memory/shared/durable/mem-2026-11-22-001.md"
    assert store.records() == [record]
    assert (record.sector, record.confidence, record.evidence) == ("semantic", 0.3, 1)


def test_a_correction_is_what_a_person_said(store: MemoryStore) -> None:
    record = store.remember("Use tabs.", now=NOW, type="user_correction")
    assert record.explicit
    assert record.confidence == 0.9


def test_a_tree_without_memories_is_not_touched_by_looking(
    store: MemoryStore, tmp_path: Path
) -> None:
    assert store.records() == []
    assert store.get("mem-2026-11-22-001") is None
    assert store.archived_records() == []
    assert store.sweep(now=NOW) == []
    assert list(tmp_path.iterdir()) == []


def test_ids_are_counted_by_day_and_never_used_twice(store: MemoryStore) -> None:
    first = store.remember("One.", now=NOW)
    store.forget(first.id)
    assert store.remember("Two.", now=NOW).id == "mem-2026-11-22-002"
    assert store.remember("Three.", now=NOW + DAY).id == "mem-2026-11-23-001"


def test_the_same_said_again_is_evidence(store: MemoryStore) -> None:
    first = store.remember("Não faça deploy às sextas!", now=NOW)
    again = store.remember("nao faca DEPLOY as sextas", now=NOW + DAY)
    assert again.id == first.id
    assert again.evidence == 2
    assert again.confidence == pytest.approx(0.51)
    assert len(store.records()) == 1


def test_the_same_said_by_another_agent_in_private_is_another_memory(store: MemoryStore) -> None:
    mine = store.remember("Tests are slow.", now=NOW, agent="dev", scope="private")
    other = store.remember("Tests are slow.", now=NOW, agent="qa", scope="private")
    shared = store.remember("Tests are slow.", now=NOW)
    assert len({mine.id, other.id, shared.id}) == 3


def test_an_update_moves_a_record_to_where_it_belongs(store: MemoryStore, tmp_path: Path) -> None:
    record = store.remember("Sums up well.", now=NOW)
    moved = store.update(record.id, now=NOW + 1, scope="private", agent="qa", storage="daily")
    assert moved.path == ".synapse/memory/agents/qa/daily/mem-2026-11-22-001.md"
    assert (tmp_path / moved.path).exists()
    assert not (tmp_path / record.path).exists()
    assert store.get(record.id, "dev") is None


def test_an_update_that_changes_nothing_writes_nothing(store: MemoryStore, tmp_path: Path) -> None:
    record = store.remember("Same.", now=NOW)
    before = (tmp_path / record.path).stat()
    store.update(record.id, now=NOW + DAY, title=record.title)
    assert (tmp_path / record.path).stat().st_mtime_ns == before.st_mtime_ns


def test_a_use_does_not_change_the_file(store: MemoryStore, tmp_path: Path) -> None:
    record = store.remember("Used a lot.", now=NOW)
    text = (tmp_path / record.path).read_bytes()
    count_uses(store.root, [record.id], now=NOW + DAY)
    count_uses(store.root, [record.id], now=NOW + 2 * DAY)
    seen = store.get(record.id)
    assert seen is not None
    assert (seen.access_count, seen.accessed[:10]) == (2, "2026-11-24")
    assert (tmp_path / record.path).read_bytes() == text


@pytest.mark.parametrize(
    ("field", "value"),
    [("sector", "procedual"), ("storage", "forever"), ("type", "thing"), ("expires", "tomorrow")],
)
def test_a_word_that_means_nothing_is_refused(field: str, value: str, store: MemoryStore) -> None:
    more: dict[str, Any] = {field: value}
    with pytest.raises(StorageError, match=value):
        store.remember("Text.", now=NOW, **more)


def test_a_memory_without_text_is_refused(store: MemoryStore) -> None:
    with pytest.raises(StorageError, match="says nothing"):
        store.remember(" \n ", now=NOW)


def test_a_private_memory_needs_its_agent(store: MemoryStore) -> None:
    with pytest.raises(StorageError, match="belongs to an agent"):
        store.remember("Mine.", now=NOW, scope="private")


def test_an_odd_word_in_a_file_does_not_stop_another_change(
    store: MemoryStore, tmp_path: Path
) -> None:
    record = store.remember("Text.", now=NOW)
    path = tmp_path / record.path
    path.write_text(path.read_text().replace("type: lesson", "type: procedural"))
    assert store.update(record.id, now=NOW + DAY, tags=("a",)).tags == ("a",)


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_forgetting_and_restoring_are_inverse(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    root = tmp_path_factory.mktemp("root")
    store = MemoryStore(str(root))
    record = store.remember("To forget.", now=NOW)
    text = (root / record.path).read_bytes() + data
    (root / record.path).write_bytes(text)
    away = store.forget(record.id)
    assert store.get(record.id) is None
    assert [one.id for one in store.archived_records()] == [record.id]
    assert away.path.startswith(".synapse/memory/archive/")
    assert store.restore(record.id).path == record.path
    assert (root / record.path).read_bytes() == text
    assert store.archived_records() == []


def test_a_record_does_not_come_back_over_another_one(store: MemoryStore, tmp_path: Path) -> None:
    record = store.remember("First.", now=NOW)
    store.forget(record.id)
    (tmp_path / record.path).write_text("# Another\n")
    with pytest.raises(StorageError, match="there is a"):
        store.restore(record.id)
    assert (tmp_path / record.path).read_text() == "# Another\n"


def test_an_id_can_be_forgotten_twice(store: MemoryStore, tmp_path: Path) -> None:
    record = store.remember("First.", now=NOW)
    text = (tmp_path / record.path).read_text()
    store.forget(record.id)
    (tmp_path / record.path).write_text(text.replace("First", "Second"))
    store.forget(record.id)
    assert sorted(one.title for one in store.archived_records()) == ["First", "Second"]
    assert store.restore(record.id).path == record.path


def test_what_is_not_there_is_said_to_be_missing(store: MemoryStore) -> None:
    for change in (store.forget, store.restore):
        with pytest.raises(StorageError, match="mem-2026-01-01-001"):
            change("mem-2026-01-01-001")


AGENTS = st.sampled_from(["dev", "qa", "Ünïcode/../x", "UPPER"])


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(owner=AGENTS, reader=AGENTS)
def test_what_an_agent_keeps_for_itself_is_there_for_no_other_one(
    tmp_path_factory: pytest.TempPathFactory, owner: str, reader: str
) -> None:
    store = MemoryStore(str(tmp_path_factory.mktemp("root")))
    shared = store.remember("For all.", now=NOW)
    private = store.remember("For one.", now=NOW, agent=owner, scope="private")
    sees = {record.id for record in store.records(reader)}
    assert sees == ({shared.id, private.id} if owner == reader else {shared.id})
    assert len(store.index().records(reader)) == len(sees)
    assert (store.get(private.id, reader) is not None) == (owner == reader)
    assert {record.id for record in store.records("")} == {shared.id}
    assert {record.id for record in store.records(PERSON)} == {shared.id, private.id}
    if owner != reader:
        with pytest.raises(StorageError, match="no memory"):
            store.forget(private.id, reader=reader)
        with pytest.raises(StorageError, match="no memory"):
            store.update(private.id, now=NOW, reader=reader, title="Mine now")
        with pytest.raises(StorageError, match="no memory"):
            store.confirm(private.id, now=NOW, reader=reader)
        store.forget(private.id)
        assert store.archived_records(reader) == []
        with pytest.raises(StorageError, match="forgotten"):
            store.restore(private.id, reader=reader)


def test_ids_of_agents_never_lead_out_of_the_store(store: MemoryStore, tmp_path: Path) -> None:
    record = store.remember("Odd.", now=NOW, agent="../../../etc", scope="private")
    assert (tmp_path / record.path).resolve().is_relative_to(tmp_path / ".synapse/memory/agents")
    assert record.agent == "../../../etc"


def test_links_are_not_followed(store: MemoryStore, tmp_path: Path) -> None:
    record = store.remember("Real.", now=NOW)
    outside = tmp_path / "outside.md"
    outside.write_text("# Secret\n")
    (tmp_path / record.path).with_name("mem-2026-11-22-009.md").symlink_to(outside)
    assert [one.title for one in store.records()] == ["Real"]


def test_a_file_that_is_written_by_hand_counts_at_once(store: MemoryStore, tmp_path: Path) -> None:
    record = store.remember("By machine.", now=NOW)
    folder = (tmp_path / record.path).parent
    (folder / "mem-2026-11-22-050.md").write_text("# By hand\n\nText.\n")
    assert {one.title for one in store.records()} == {"By machine", "By hand"}
    (folder / "mem-2026-11-22-050.md").write_text("# By another hand\n")
    assert {one.title for one in store.records()} == {"By machine", "By another hand"}
    (folder / "mem-2026-11-22-050.md").unlink()
    assert {one.title for one in store.records()} == {"By machine"}


def test_a_lost_or_broken_index_is_made_again(store: MemoryStore, cache: Path) -> None:
    record = store.remember("Kept.", now=NOW)
    assert store.records() == [record]
    for file in cache.iterdir():
        file.write_bytes(b"rubbish")
    assert store.records() == [record]


def test_what_has_expired_goes_to_the_archive(store: MemoryStore) -> None:
    gone = store.remember("Over.", now=NOW, expires="2026-11-23")
    short = store.remember("Short.", now=NOW, type="progress")
    kept = store.remember("Lasting.", now=NOW)
    said = store.remember("Said.", now=NOW, explicit=True, storage="session")
    swept = store.sweep(now=NOW + 2 * DAY, dry_run=True)
    assert {record.id for record, _ in swept} == {gone.id, short.id}
    assert len(store.records()) == 4
    reasons = {record.id: reason for record, reason in store.sweep(now=NOW + 2 * DAY)}
    assert reasons[gone.id] == "it expired on 2026-11-23"
    assert {record.id for record in store.records()} == {kept.id, said.id}
    assert store.restore(gone.id).id == gone.id


def test_in_a_fresh_clone_git_leaves_out_the_lock_of_the_store(store: MemoryStore) -> None:
    store.remember("Shared.", now=NOW)
    ignored = Path(store.folder, ".gitignore")
    ignored.unlink()  # it leaves itself out, so a clone has none
    store.sweep(now=NOW)
    assert "*.lock" in ignored.read_text(encoding="utf-8").splitlines()


def test_what_nobody_uses_goes_to_the_archive_after_ninety_days(store: MemoryStore) -> None:
    record = store.remember("Unused.", now=NOW)
    assert store.sweep(now=NOW + 89 * DAY) == []
    ((swept, reason),) = store.sweep(now=NOW + 90 * DAY)
    assert swept.id == record.id
    assert "90 days" in reason
