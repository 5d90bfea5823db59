"""The index of a store: what is found in it is what the files say now."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from synapse_ls.memory import memory_index
from synapse_ls.memory.memory_index import (
    FILES_PER_CHECK,
    MemoryIndex,
    make_query,
    refresh_index,
)
from tests.bench.bench_hook import OLD

FOLDER = ".synapse/memory/shared/durable"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of caches."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(folder))
    return folder


@pytest.fixture
def root(tmp_path: Path, cache: Path) -> Path:
    """A tree with some memories."""
    folder = tmp_path / "tree" / FOLDER
    folder.mkdir(parents=True)
    for number in range(210):
        (folder / f"mem-{number:03}.md").write_text(f"# Note {number}\n\nAbout subject{number}.\n")
    refresh_index(str(tmp_path / "tree"))
    return tmp_path / "tree"


def found(index: MemoryIndex, text: str) -> list[str]:
    return [record.title for record, _ in index.search(make_query(text))]


def test_a_memory_is_found_by_its_words(root: Path) -> None:
    assert found(refresh_index(str(root)), "subject7") == ["Note 7"]


def test_what_has_changed_is_found_at_once_by_its_new_words_alone(root: Path) -> None:
    (root / FOLDER / "mem-007.md").write_text("# Note 7\n\nAbout kubernetes.\n")
    (root / FOLDER / "mem-new.md").write_text("# New\n\nKubernetes too.\n")
    (root / FOLDER / "mem-008.md").unlink()
    for _ in range(2):  # as it was read, and as it was kept
        index = refresh_index(str(root))
        assert found(index, "kubernetes") == ["Note 7", "New"]
        assert found(index, "subject7") == found(index, "subject8") == []


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_an_index_that_is_damaged_is_made_anew(
    root: Path, cache: Path, damage: bytes | None
) -> None:
    (file,) = cache.glob("*.memory")
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2] if damage is None else damage)
    assert found(refresh_index(str(root)), "subject7") == ["Note 7"]
    assert file.read_bytes() == data or file.stat().st_size > len(data) // 2


def test_a_prompt_looks_only_at_what_it_names_and_at_what_may_be_told_unasked(root: Path) -> None:
    (root / FOLDER / "said.md").write_text("---\nexplicit: true\n---\n# Said\n\nUse tabs.\n")
    index = refresh_index(str(root))
    found = index.find_memories(make_query("subject7"), "", {f"{FOLDER}/mem-009.md"}, 0.2)
    assert [record.title for record, _ in found] == ["Note 7", "Note 9", "Said"]


def test_what_is_too_much_to_be_kept_is_found_all_the_same(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file,) = cache.glob("*.memory")
    before = file.read_bytes()
    monkeypatch.setattr(memory_index, "MOST_KEPT", 1_000)
    (root / FOLDER / "new.md").write_text("# New\n\nAbout kubernetes.\n")
    for _ in range(2):
        index = refresh_index(str(root))
        assert found(index, "kubernetes") == ["New"]
        assert found(index, "subject7") == ["Note 7"]
        assert len(index.records()) == 211
    assert file.read_bytes() == before


def test_what_was_edited_in_place_is_found_as_it_is_now(root: Path) -> None:
    path = root / FOLDER / "mem-007.md"
    os.utime(path, (OLD, OLD))
    refresh_index(str(root))
    path.write_text("# Note 7\n\nAbout subject100.\n")
    os.utime(path, (OLD + 1, OLD + 1))
    assert found(refresh_index(str(root)), "subject100") == ["Note 7", "Note 100"]


def test_past_its_time_files_are_as_they_were_read_last(root: Path) -> None:
    for number in range(FILES_PER_CHECK):  # these are read however late it is
        (root / ".synapse/memory/shared/session").mkdir(parents=True, exist_ok=True)
        (root / f".synapse/memory/shared/session/mem-new-{number}.md").write_text("# Early\n")
    (root / FOLDER / "mem-007.md").write_text("# Note 7\n\nAbout kubernetes and more.\n")
    (root / FOLDER / "mem-new.md").write_text("# New\n\nKubernetes too.\n")
    index = refresh_index(str(root), deadline=time.monotonic() - 1)
    assert not index.complete
    assert found(index, "kubernetes") == []
    assert found(index, "subject7") == ["Note 7"]


def test_of_a_path_the_words_count_that_few_other_paths_have() -> None:
    query = make_query(
        "look at src/data/config.json and `src/refunds/ledger.ts`.", ["docs/index.md"]
    )
    assert (list(query.said.values()), list(query.named.values())) == (["refunds", "ledger"], [])


def test_a_word_of_prose_is_none_of_a_path() -> None:
    assert list(make_query("Read the json. Then test it, e.g. twice.").said.values()) == [
        "read", "json", "test", "twice",
    ]  # fmt: skip
