"""This module keeps the index of a memory store: derived from its files, cached for the user, never
believed.

Each refresh compares it with the folders by stat alone and reads only the files that differ; so a
lost or damaged index costs a moment. As in git's index, a file not older than the index itself is
read again. A prompt has all files compared only where `stored_index` cannot tell by the folders.

The words of all records are in a search index beside them, so that a prompt looks only at those
that it names. What has changed since that was made is searched beside it; it is made anew where
that is much, and nobody waits.
"""

from __future__ import annotations

import os
import time
from marshal import dumps, loads

from synapse_ls.memory.attention_score import may_be_hot
from synapse_ls.memory.memory_paths import (
    MEMORY,
    PERSON,
    is_left_alone,
    is_record_file,
    iter_folders,
    may_see,
)
from synapse_ls.memory.memory_search import (
    IndexRow,
    RecordWords,
    compile_words,
    search_words,
)
from synapse_ls.memory.record import Record, parse_record, restore_record
from synapse_ls.memory.stored_index import (
    FILE_RECORDS,
    QUICK_FILES,
    FoundMemories,
    folder_stamps,
    index_kind,
    is_much_later,
    note_compared,
    read_index,
    write_index,
)
from synapse_ls.storage import memory_checksums
from synapse_ls.storage.atomic_files import StorageError, read_bytes
from synapse_ls.text.lazy_import import load_module
from synapse_ls.workspace.regular_files import take_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import Any, Final

    from synapse_ls.memory.memory_search import Match, SearchQuery
    from synapse_ls.memory.stored_index import Kept, Row, Stamps, StoredIndex
    from synapse_ls.workspace.regular_files import Stamp

FILE_LIMIT: Final = 1_000_000  # bytes of a record's file
_FILES_PER_CHECK: Final = 16  # files between two looks at the clock
MOST_KEPT: Final = 32_000_000  # bytes of records in the index; those beyond are read each time


class MemoryIndex:
    """A MemoryIndex is the index of a memory store, as a refresh has found it. complete: whether
    there was time for all. is_behind: whether much has changed since the search index was made.
    notes: what was not read.
    """

    __slots__ = ("_kept", "_search", "complete", "is_behind", "notes")

    def __init__(
        self,
        kept: Kept,
        search: _Search,
        notes: tuple[str, ...],
        *,
        complete: bool,
        is_behind: bool,
    ) -> None:
        self._kept = kept
        self._search = search
        self.notes = notes
        self.complete = complete
        self.is_behind = is_behind

    def rows(self, reader: str = PERSON) -> list[IndexRow]:
        """Returns the records that ``reader`` may see, by path."""
        return [row for path in sorted(self._kept) for _, row in self._rows_of(path, reader)]

    def search(
        self, query: SearchQuery, reader: str = PERSON, *, allow_prefix: bool = False
    ) -> list[tuple[IndexRow, Match]]:
        """Returns the records that match a query, by path; see `memory_search.search_words`."""
        found = self._matches(query, allow_prefix=allow_prefix)
        return [
            (row, found[path][number])
            for path in sorted(found)
            for number, row in self._rows_of(path, reader)
            if number in found[path]
        ]

    def find_memories(
        self, query: SearchQuery, reader: str, held: Collection[str] | None, least: float
    ) -> FoundMemories:
        """Returns the memories that may be told to a prompt: those of which the relevance is
        ``least`` or more, that may be HOT, and of the files ``held`` (None: of all).
        """
        found = self._matches(query)
        wanted = {path for path, (_, _, hot, _) in self._kept.items() if hot or held is None}
        wanted.update(path for path in held or () if path in self._kept)
        wanted.update(
            path
            for path, matches in found.items()
            if any(match.relevance >= least for match in matches.values())
        )
        rows = [
            (row, found.get(path, {}).get(number))
            for path in sorted(wanted)
            for number, row in self._rows_of(path, reader)
        ]
        return FoundMemories(
            rows,
            self.changed_digests(),
            self.notes,
            complete=self.complete,
            is_behind=self.is_behind,
        )

    def changed_digests(self) -> dict[str, str]:
        """Returns path → digest of the files that are not as the program wrote them, though nothing
        else shows that they are damaged; see `memory_checksums`.
        """
        return {path: digest for path, (_, _, _, digest) in self._kept.items() if digest}

    def _matches(
        self, query: SearchQuery, *, allow_prefix: bool = False
    ) -> dict[str, dict[int, Match]]:
        """Returns path → number of a record in its file → how it matches."""
        base, later = self._search.base, self._search.later
        matches = search_words(base["index"], query, later["index"], allow_prefix=allow_prefix)
        found: dict[str, dict[int, Match]] = {}
        first = len(base["paths"])
        for number, match in matches.items():
            file, inside = divmod(number, FILE_RECORDS)
            path = base["paths"][file] if file < first else later["paths"][file - first]
            if file >= first or self._search.holds(path):
                found.setdefault(path, {})[inside] = match
        return found

    def _rows_of(self, path: str, reader: str) -> Iterator[tuple[int, IndexRow]]:
        for number, values in enumerate(loads(self._kept[path][1])):
            record = restore_record(values)
            if may_see(record, reader):
                yield number, IndexRow(record)


class _Search:
    """A _Search has the words of all records: those of a time before, and those that are new since.

    changed: paths of files that are not, or no longer, as the first ones were made from them.
    """

    __slots__ = ("base", "changed", "later")

    def __init__(self, base: Mapping[str, Any], changed: set[str], kept: Kept) -> None:
        self.base = base
        self.changed = changed
        there = sorted(path for path in changed if path in kept)
        self.later = _compile_search(there, kept, len(base["paths"]))

    def holds(self, path: str) -> bool:
        """Tells whether a file is as it was when the search index was made."""
        return path not in self.changed


def _compile_search(paths: list[str], kept: Kept, first: int = 0) -> Mapping[str, Any]:
    """Returns the search index of some files, numbered from ``first`` on."""
    words = (
        (
            (first + file) * FILE_RECORDS + number,
            RecordWords.from_record(restore_record(values)),
        )
        for file, path in enumerate(paths)
        for number, values in enumerate(loads(kept[path][1])[:FILE_RECORDS])
    )
    return {"index": compile_words(words), "paths": tuple(paths)}


_NO_SEARCH: Final[Mapping[str, Any]] = {"index": {"shelves": {}, "rarity": (0,)}, "paths": ()}


def main(root: str) -> None:
    """Brings the stored indexes of a tree up to date, in a background process."""
    for chati in (False, True):
        if read_index(root, index_kind(chati=chati)) is not None:
            refresh_index(root, chati=chati)


def refresh_index(root: str, *, deadline: float | None = None, chati: bool = False) -> MemoryIndex:
    """Returns the index of the memories at ``root`` as their files are now.

    deadline: on the monotonic clock; past it files are taken as they were when they were last read,
    and those that never were are missing. chati: those of a Chati tree as well.
    """
    kind = index_kind(chati=chati)
    stored, known, base = _read_stored(root, kind)
    safe = stored.safe if stored else 0
    kept: Kept = {}
    notes: list[str] = []
    changed: set[str] = set()
    began, complete = time.time_ns(), True
    folders = folder_stamps(root)
    for count, (path, stamp, reader) in enumerate(_memory_files(root, chati=chati)):
        before = known.get(path)
        if before is not None and before[0] == stamp and stamp[0] < safe:
            kept[path] = before
            continue
        if deadline is not None and count % _FILES_PER_CHECK == 0 and time.monotonic() > deadline:
            complete = False
        if complete:
            row = _read_row(root, path, stamp, reader, notes)
            changed.add(path)
        else:
            row = before
        if row is not None:
            kept[path] = row
    _compare_digests(root, kept, changed)
    gone = known.keys() - kept.keys()
    later = {*changed, *gone, *(stored.later if stored else ())}
    behind = is_much_later(len(later), len(kept))
    if behind and complete and (len(kept) <= QUICK_FILES or deadline is None):
        base, later, behind = _compile_search(sorted(kept), kept), set(), False
        changed = set(kept)
    search = _Search(base, later, kept)
    if complete:
        if changed or gone or not _is_settled(stored, folders, kept):
            _write_index(root, kind, kept, search, folders, began, is_whole=not notes)
        note_compared(root, kind, began)
    return MemoryIndex(kept, search, tuple(notes), complete=complete, is_behind=behind)


def _read_stored(root: str, kind: str) -> tuple[StoredIndex | None, Kept, Mapping[str, Any]]:
    """Returns the index as it was stored, its rows and its search index; None and nothing where it
    cannot be read.
    """
    stored = read_index(root, kind)
    if stored is not None:
        return stored, stored.rows(), stored.search_index()
    return None, {}, _NO_SEARCH


def _is_settled(stored: StoredIndex | None, folders: Stamps, kept: Kept) -> bool:
    """Returns whether the folders are as the index has them, and were so for long enough when it
    was written that no other change can carry the same time. Where there are no memories, none is
    needed.
    """
    if stored is None or stored.folders != folders:
        return stored is None and not kept
    return all(stamp is None or stamp[0] < stored.safe for stamp in folders.values())


def _compare_digests(root: str, kept: Kept, paths: set[str]) -> None:
    """Takes the digests of files that were just read out of the rows, but for those that are not as
    the program wrote them.
    """
    digests = {path: kept[path][3] for path in paths if path in kept}
    different = memory_checksums.find_changes(root, digests)
    for path in digests.keys() - different.keys():
        kept[path] = (*kept[path][:3], "")


def _write_index(
    root: str,
    kind: str,
    kept: Kept,
    search: _Search,
    folders: Stamps,
    began: int,
    *,
    is_whole: bool,
) -> None:
    written = _rows_within_bounds(kept)
    base, later, changed = search.base, search.later, search.changed
    if len(written) < len(kept):
        base, later, changed = _compile_search(sorted(written), written), _NO_SEARCH, set()
        is_whole = False
    write_index(root, kind, written, base, later, changed, folders, began, is_whole=is_whole)


def _rows_within_bounds(kept: Kept) -> Kept:
    """Returns the rows that the index has room for, the latest files first."""
    if sum(len(values) for _, values, _, _ in kept.values()) <= MOST_KEPT:
        return kept
    found: Kept = {}
    room = MOST_KEPT
    for path, row in sorted(kept.items(), key=lambda item: item[1][0], reverse=True):
        if len(row[1]) <= room:
            room -= len(row[1])
            found[path] = row
    return found


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
            for entry in entries:
                if is_record_file(entry.name) and entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    found.append((entry.name, (status.st_mtime_ns, status.st_size, status.st_ino)))
    except OSError:
        return found  # the folder has just gone, or may not be looked at: it holds nothing for us
    return found


_NEVER_CURRENT: Stamp = (0, 0, 0)


def _find_damage(data: bytes, record: Record) -> tuple[int, str]:
    """Returns the first line, from 1, of what no editor leaves behind, and what that is; (0, "")
    for none. What reads like an edit by hand is taken for one.
    """
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1, "is not UTF-8"
    at = data.find(b"\0")
    if at >= 0:
        return data.count(b"\n", 0, at) + 1, "holds NUL characters"
    if data.startswith(b"---\n") and b"\n---" not in data and b"\n..." not in data:
        return 1, "begins a front matter that never ends"
    return (0, "") if record.title or record.text.strip() else (1, "says nothing")


def _read_row(root: str, path: str, stamp: Stamp, reader: str, notes: list[str]) -> Row | None:
    try:
        data = read_bytes(f"{root}/{path}", FILE_LIMIT, within=root)
    except StorageError as error:
        notes.append(str(error))
        return None
    if data is None:
        return None
    text = data.decode("utf-8", "surrogateescape")
    records: Iterable[Record]
    if reader:
        records = load_module(f"synapse_ls.memory.readers.{reader}").parse(text, path)
    else:
        records = (parse_record(text, path),)
    held = tuple(records)
    line, damage = (0, "") if reader else _find_damage(data, held[0])
    if damage:
        stamp = _NEVER_CURRENT  # it is said each time
        notes.append(
            f"{path}:{line} {damage}, so this memory may not say what it said: `synapse check "
            f"{path}` shows where it is damaged."
        )
    values = tuple(record.values() for record in held)
    digest = "" if reader or damage else memory_checksums.compute_digest(data)
    return stamp, dumps(values), any(may_be_hot(record) for record in held), digest
