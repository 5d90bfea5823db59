"""The index of a store: derived from its files, kept in the user's cache folder, never believed.

Each look compares it with the folders by stat alone and reads only the files that differ; so a file
that somebody edits by hand counts at once, and a lost index costs a moment. As in git's index, a
file not older than the index itself is read again.
"""

from __future__ import annotations

import os
import time

from synapse_ls.memory.places import MEMORY, PERSON, is_record, may_see, walk
from synapse_ls.memory.record import Record, parse, restored
from synapse_ls.memory.search import Words
from synapse_ls.service import cache
from synapse_ls.sessions.files import SessionError, read_bytes
from synapse_ls.text.lazy import load
from synapse_ls.version import VERSION
from synapse_ls.workspace.stamps import stamp_of, take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final

    from synapse_ls.workspace.stamps import Stamp

    Kept = dict[str, tuple[Stamp, tuple[Any, ...]]]  # path -> stamp, (fields, words) of its records

KIND: Final = "memory"
FORMAT: Final = (2, VERSION)  # what is read of a file may differ from one version to the next
LIMIT: Final = 1_000_000  # bytes of a record's file
_PACK: Final = 16  # files between two looks at the clock


class Row:
    """A record with the words it is found by."""

    __slots__ = ("record", "words")

    def __init__(self, record: Record, words: Words) -> None:
        self.record = record
        self.words = words


class Index:
    """What a look has found. complete: whether there was time for all. notes: what was not read."""

    __slots__ = ("_kept", "complete", "notes")

    def __init__(self, kept: Kept, notes: tuple[str, ...], *, complete: bool) -> None:
        self._kept = kept
        self.notes = notes
        self.complete = complete

    def rows(self, reader: str = PERSON) -> list[Row]:
        """The records that ``reader`` may see, by path."""
        found = []
        for path in sorted(self._kept):
            for fields, words in self._kept[path][1]:
                record = restored(fields)
                if may_see(record, reader):
                    found.append(Row(record, Words(*words)))
        return found


def look(root: str, *, deadline: float | None = None, chati: bool = False) -> Index:
    """The index of the memories at ``root`` as their files are now.

    deadline: on the monotonic clock; past it files are taken as they were when they were last read,
    and those that never were are missing. chati: those of a Chati tree as well.
    """
    kind = f"{KIND}-chati" if chati else KIND
    memo = cache.read_memo(root, kind)
    known: Kept = memo.get("rows", {}) if memo.get("format") == FORMAT else {}
    written = memo.get("written", 0) - cache.TICK
    kept: Kept = {}
    notes: list[str] = []
    began, changed, complete = time.time_ns(), False, True
    for count, (path, stamp, reader) in enumerate(_files(root, chati=chati)):
        before = known.get(path)
        if before is not None and before[0] == stamp and stamp[0] < written:
            kept[path] = before
            continue
        if deadline is not None and count % _PACK == 0 and time.monotonic() > deadline:
            complete = False
        if complete:
            row = _read(f"{root}/{path}", path, stamp, reader, notes)
            changed = True
        else:
            row = before
        if row is not None:
            kept[path] = row
    if complete and (changed or kept.keys() != known.keys()):
        cache.write_memo(root, kind, {"format": FORMAT, "rows": kept, "written": began})
    return Index(kept, tuple(notes), complete=complete)


def _files(root: str, *, chati: bool) -> Iterator[tuple[str, Stamp, str]]:
    """Path from the root, stamp and reader of each file with memories."""
    for inner, full in walk(f"{root}/{MEMORY}"):
        for name, stamp in _entries(full):
            yield f"{MEMORY}/{inner}/{name}", stamp, ""
    if chati:
        from synapse_ls.memory.readers import chati as reader

        for path in reader.files(root):
            found = take(f"{root}/{path}")
            if found is not None:
                yield path, found, "chati"


def _entries(full: str) -> list[tuple[str, Stamp]]:
    found: list[tuple[str, Stamp]] = []
    try:
        with os.scandir(full) as entries:
            files = (e for e in entries if is_record(e.name) and e.is_file(follow_symlinks=False))
            found += ((e.name, stamp_of(e.stat(follow_symlinks=False))) for e in files)
    except OSError:
        return found  # the folder has just gone, or may not be looked at: it holds nothing for us
    return found


def _read(
    full: str, path: str, stamp: Stamp, reader: str, notes: list[str]
) -> tuple[Stamp, tuple[Any, ...]] | None:
    try:
        data = read_bytes(full, LIMIT)
    except SessionError as error:
        notes.append(str(error))
        return None
    if data is None:
        return None
    text = data.decode("utf-8", "surrogateescape")
    if reader:
        records = load(f"synapse_ls.memory.readers.{reader}").parse(text, path)
    else:
        records = (parse(text, path),)
    return stamp, tuple((record.values(), Words.of(record).packed) for record in records)
