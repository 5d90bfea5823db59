"""The index of a store: what is found in it is what the files say now."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.memory import memory_index
from synapse_ls.memory.memory_index import MemoryIndex, refresh_index
from synapse_ls.memory.memory_search import make_query

FOLDER = ".synapse/memory/shared/durable"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of caches."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(folder))
    return folder


@pytest.fixture
def root(tmp_path: Path, cache: Path) -> Path:
    """A tree with more memories than are indexed anew with each change."""
    folder = tmp_path / "tree" / FOLDER
    folder.mkdir(parents=True)
    for number in range(210):
        (folder / f"mem-{number:03}.md").write_text(f"# Note {number}\n\nAbout subject{number}.\n")
    refresh_index(str(tmp_path / "tree"))
    return tmp_path / "tree"


def found(index: MemoryIndex, text: str) -> list[str]:
    return [row.record.title for row, _ in index.search(make_query(text))]


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
        assert not index.is_behind


def test_who_waits_does_not_wait_for_the_words_of_many_new_memories(root: Path) -> None:
    for number in range(300):
        (root / FOLDER / f"more-{number}.md").write_text(
            f"# More {number}\n\nAbout theme{number}.\n"
        )
    in_time = float("inf")
    index = refresh_index(str(root), deadline=in_time)
    assert index.is_behind
    assert found(index, "theme7") == ["More 7"]
    refresh_index(str(root))
    index = refresh_index(str(root), deadline=in_time)
    assert not index.is_behind
    assert found(index, "theme7") == ["More 7"]


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
    rows = index.worth_a_look(make_query("subject7"), "", {f"{FOLDER}/mem-009.md"}, 0.2)
    assert [row.record.title for row, _ in rows] == ["Note 7", "Note 9", "Said"]


def test_an_index_is_bounded_and_what_has_no_room_is_found_all_the_same(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file,) = cache.glob("*.memory")
    whole = file.stat().st_size
    monkeypatch.setattr(memory_index, "MOST_KEPT", whole // 10)
    (root / FOLDER / "new.md").write_text("# New\n\nAbout kubernetes.\n")
    for _ in range(3):
        index = refresh_index(str(root))
        assert found(index, "kubernetes") == ["New"]
        assert found(index, "subject7") == ["Note 7"]
        assert len(index.rows()) == 211
    assert file.stat().st_size < whole / 2


def test_one_large_memory_does_not_fill_the_index(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_index, "MOST_KEPT", 50_000)
    (root / FOLDER / "large.md").write_text(f"# Large\n\n{'kubernetes ' * 20_000}\n")
    assert found(refresh_index(str(root)), "kubernetes") == ["Large"]
    (file,) = cache.glob("*.memory")
    assert file.stat().st_size < 400_000
