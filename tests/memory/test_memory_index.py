"""The index of a store: what is found in it is what the files say now."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from synapse_ls.memory import memory_index
from synapse_ls.memory.memory_index import MemoryIndex, refresh_index
from synapse_ls.memory.memory_search import IndexRow, Match, make_query
from synapse_ls.memory.stored_index import (
    QUICK_FILES,
    doubt_changed_files,
    doubt_index,
    find_memories,
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
    found = index.find_memories(make_query("subject7"), "", {f"{FOLDER}/mem-009.md"}, 0.2)
    assert [row.record.title for row, _ in found.rows] == ["Note 7", "Note 9", "Said"]


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


def looked_up(root: Path, text: str, held: tuple[str, ...] = ()) -> list[str] | None:
    """The titles of what a prompt finds without a look at every file; None where it cannot tell."""
    index = find_memories(str(root), make_query(text), "", held, 0.2)
    return None if index is None else [row.record.title for row, _ in index.rows]


def described(row: IndexRow, match: Match | None) -> tuple[object, ...]:
    return row.record.values(), match and (match.relevance, match.share, match.matches)


def settle(root: Path) -> None:
    """Have the files be old, and an index of them."""
    for path in (root, *root.rglob("*")):
        os.utime(path, (OLD, OLD))
    refresh_index(str(root))


def test_a_prompt_is_told_what_the_whole_index_finds(root: Path) -> None:
    (root / FOLDER / "said.md").write_text("---\nexplicit: true\n---\n# Said\n\nUse tabs.\n")
    settle(root)
    (root / FOLDER / "mem-007.md").write_text("# Note 7\n\nAbout kubernetes.\n")
    (root / FOLDER / "mem-new.md").write_text("# New\n\nKubernetes too.\n")
    (root / FOLDER / "mem-008.md").unlink()
    settle(root)
    held = (f"{FOLDER}/mem-009.md", f"{FOLDER}/mem-008.md")
    for text in ("kubernetes", "subject7 subject8", "subject5 kubernetes", "nothing of it", ""):
        query = make_query(text)
        whole = refresh_index(str(root)).find_memories(query, "", held, 0.2)
        quick = find_memories(str(root), query, "", held, 0.2)
        assert quick is not None
        assert [described(row, match) for row, match in quick.rows] == [
            described(row, match) for row, match in whole.rows
        ]


@pytest.mark.parametrize("what", ["new", "gone", "replaced", "another owner", "damaged index"])
def test_a_prompt_has_all_files_compared_where_a_folder_has_changed(
    root: Path, cache: Path, what: str
) -> None:
    settle(root)
    assert looked_up(root, "subject7") == ["Note 7"]
    path = root / FOLDER / "mem-007.md"
    if what == "new":
        (root / FOLDER / "new.md").write_text("# New\n")
    elif what == "gone":
        path.unlink()
    elif what == "replaced":
        (root / "other").write_text("# Note 7\n\nAbout subject9.\n")
        (root / "other").replace(path)
    elif what == "another owner":
        (root / ".synapse/memory/agents/dev/durable").mkdir(parents=True)
    else:
        (file,) = cache.glob("*.memory")
        data = file.read_bytes()
        file.write_bytes(data[:-100] + bytes(100))
        assert looked_up(root, "subject7", (f"{FOLDER}/mem-209.md",)) is None
        return
    assert looked_up(root, "subject7") is None


def test_what_is_told_is_what_its_file_says_now_though_it_was_edited_in_place(root: Path) -> None:
    settle(root)
    (root / FOLDER / "mem-007.md").write_text("# Note 7\n\nAbout subject7 and subject8.\n")
    assert looked_up(root, "subject7") is None
    assert looked_up(root, "subject100", (f"{FOLDER}/mem-007.md",)) is None
    assert looked_up(root, "subject100") == ["Note 100"]


def test_all_files_of_a_small_store_are_looked_at(root: Path) -> None:
    for path in sorted((root / FOLDER).iterdir())[QUICK_FILES:]:
        path.unlink()
    settle(root)
    assert looked_up(root, "subject100") == ["Note 100"]
    (root / FOLDER / "mem-007.md").write_text("# Note 7\n\nAbout subject100.\n")
    assert looked_up(root, "subject100") is None


def test_files_of_a_large_store_are_compared_again_after_a_minute_or_at_once_if_somebody_edits(
    root: Path, cache: Path
) -> None:
    settle(root)
    query = make_query("subject7")
    found = find_memories(str(root), query, "", (), 0.2)
    assert found is not None
    assert not found.is_due
    (file,) = cache.glob("*.memory")
    os.utime(file, (time.time() - 61, time.time() - 61))
    found = find_memories(str(root), query, "", (), 0.2)
    assert found is not None
    assert found.is_due
    memory_index.main(str(root))
    assert file.stat().st_mtime > time.time() - 61
    doubt_index(str(root))
    assert looked_up(root, "subject7") is None


@pytest.mark.parametrize(
    ("path", "is_doubted"),
    [
        (f"{FOLDER}/mem-007.md", True),
        (f"{FOLDER}/mem-008.md", False),
        (f"{FOLDER}/no-memory-yet.md", True),
        (".synapse/memory", True),
        ("", True),
        (".synapse/manifest", False),
    ],
)
def test_an_index_is_doubted_where_a_file_is_not_as_it_has_it(
    root: Path, path: str, is_doubted: bool
) -> None:
    settle(root)
    (root / FOLDER / "mem-007.md").write_text("# Note 7\n\nAbout kubernetes.\n")
    assert looked_up(root, "kubernetes") == []  # nobody has looked at that file
    doubt_changed_files(str(root), [path, "squads/a/.synapse/manifest"])
    assert looked_up(root, "kubernetes") == (None if is_doubted else [])
