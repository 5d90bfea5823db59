"""This module keeps the index of a memory store: derived from its files, cached for the user, never
believed.

Each refresh compares it with the folders by stat alone and reads only the files that differ; so a
file that somebody edits by hand counts at once, and a lost index costs a moment. As in git's index,
a file not older than the index itself is read again.
"""

from __future__ import annotations

import os
import time

from synapse_ls.memory.memory_paths import (
    MEMORY,
    PERSON,
    is_left_alone,
    is_record_file,
    iter_folders,
    may_see,
)
from synapse_ls.memory.record import Record, parse_record, restore_record
from synapse_ls.memory.word_search import RecordWords
from synapse_ls.storage import plan_cache
from synapse_ls.storage.atomic_files import StorageError, read_bytes
from synapse_ls.text.lazy_import import load_module
from synapse_ls.version import VERSION
from synapse_ls.workspace.file_stamps import stamp_of_status, take_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final

    from synapse_ls.workspace.file_stamps import Stamp

    Kept = dict[str, tuple[Stamp, tuple[Any, ...]]]  # path -> stamp, (fields, words) of its records

CACHE_KIND: Final = "memory"
CACHE_FORMAT: Final = (2, VERSION)  # what is read of a file may differ from one version to the next
FILE_LIMIT: Final = 1_000_000  # bytes of a record's file
_FILES_PER_CHECK: Final = 16  # files between two looks at the clock


class IndexRow:
    """An IndexRow is a record with the words it is found by."""

    __slots__ = ("record", "words")

    def __init__(self, record: Record, words: RecordWords) -> None:
        self.record = record
        self.words = words


class MemoryIndex:
    """A MemoryIndex is what a refresh has found. complete: whether there was time for all. notes:
    what was not read.
    """

    __slots__ = ("_kept", "complete", "notes")

    def __init__(self, kept: Kept, notes: tuple[str, ...], *, complete: bool) -> None:
        self._kept = kept
        self.notes = notes
        self.complete = complete

    def rows(self, reader: str = PERSON) -> list[IndexRow]:
        """Returns the records that ``reader`` may see, by path."""
        found = []
        for path in sorted(self._kept):
            for fields, words in self._kept[path][1]:
                record = restore_record(fields)
                if may_see(record, reader):
                    found.append(IndexRow(record, RecordWords(*words)))
        return found


def refresh_index(root: str, *, deadline: float | None = None, chati: bool = False) -> MemoryIndex:
    """Returns the index of the memories at ``root`` as their files are now.

    deadline: on the monotonic clock; past it files are taken as they were when they were last read,
    and those that never were are missing. chati: those of a Chati tree as well.
    """
    kind = f"{CACHE_KIND}-chati" if chati else CACHE_KIND
    memo = plan_cache.read_memo(root, kind)
    known: Kept = memo.get("rows", {}) if memo.get("format") == CACHE_FORMAT else {}
    written = memo.get("written", 0) - plan_cache.CLOCK_TICK
    kept: Kept = {}
    notes: list[str] = []
    began, changed, complete = time.time_ns(), False, True
    for count, (path, stamp, reader) in enumerate(_memory_files(root, chati=chati)):
        before = known.get(path)
        if before is not None and before[0] == stamp and stamp[0] < written:
            kept[path] = before
            continue
        if deadline is not None and count % _FILES_PER_CHECK == 0 and time.monotonic() > deadline:
            complete = False
        if complete:
            row = _read_row(root, path, stamp, reader, notes)
            changed = True
        else:
            row = before
        if row is not None:
            kept[path] = row
    if complete and (changed or kept.keys() != known.keys()):
        plan_cache.write_memo(root, kind, {"format": CACHE_FORMAT, "rows": kept, "written": began})
    return MemoryIndex(kept, tuple(notes), complete=complete)


def _memory_files(root: str, *, chati: bool) -> Iterator[tuple[str, Stamp, str]]:
    """Yields path from the root, stamp and reader of each file with memories."""
    for inner, full in () if is_left_alone(root) else iter_folders(f"{root}/{MEMORY}"):
        for name, stamp in _record_entries(full):
            yield f"{MEMORY}/{inner}/{name}", stamp, ""
    if chati:
        from synapse_ls.memory.readers import chati as reader

        for path in reader.memory_files(root):
            found = take_stamp(f"{root}/{path}")
            if found is not None:
                yield path, found, "chati"


def _record_entries(full: str) -> list[tuple[str, Stamp]]:
    found: list[tuple[str, Stamp]] = []
    try:
        with os.scandir(full) as entries:
            files = (
                e for e in entries if is_record_file(e.name) and e.is_file(follow_symlinks=False)
            )
            found += ((e.name, stamp_of_status(e.stat(follow_symlinks=False))) for e in files)
    except OSError:
        return found  # the folder has just gone, or may not be looked at: it holds nothing for us
    return found


def _read_row(
    root: str, path: str, stamp: Stamp, reader: str, notes: list[str]
) -> tuple[Stamp, tuple[Any, ...]] | None:
    try:
        data = read_bytes(f"{root}/{path}", FILE_LIMIT, within=root)
    except StorageError as error:
        notes.append(str(error))
        return None
    if data is None:
        return None
    text = data.decode("utf-8", "surrogateescape")
    if reader:
        records = load_module(f"synapse_ls.memory.readers.{reader}").parse(text, path)
    else:
        records = (parse_record(text, path),)
    return stamp, tuple(
        (record.values(), RecordWords.from_record(record).as_tuple) for record in records
    )
