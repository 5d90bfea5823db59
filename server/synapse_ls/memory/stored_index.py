"""This module reads and writes the index of a memory store in the user's cache, in parts, and looks
up memories in it for a prompt without a look at every file.

A folder's time tells of files that are new, gone or replaced, so the folders of the store are
compared, and the files of the memories that are about to be told. In a small store all files are.
Whatever is not as it was then has everything compared (`memory_index.refresh_index`): nothing is
told that its file does not say. What somebody has written into another file of a large store, in
place, is found by a process that compares them all when the prompt is answered.
"""

from __future__ import annotations

import os
import time
from marshal import dumps, loads

from synapse_ls.memory.memory_paths import (
    AGENTS,
    MEMORY,
    SHARED,
    is_left_alone,
    iter_folders,
    may_hold_memories,
    may_see,
)
from synapse_ls.memory.memory_search import IndexRow, search_words
from synapse_ls.memory.record import restore_record
from synapse_ls.storage import plan_cache
from synapse_ls.text.lazy_import import load_module
from synapse_ls.version import VERSION
from synapse_ls.workspace.regular_files import take_stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Final

    from synapse_ls.memory.memory_search import Match, SearchQuery
    from synapse_ls.workspace.regular_files import Stamp

    # path -> stamp, values of its records as they were dumped, whether one may be HOT, the digest
    # of the file where that is not as the program wrote it
    Row = tuple[Stamp, bytes, bool, str]
    Kept = dict[str, Row]
    Stamps = Mapping[str, Stamp | None]

CACHE_KIND: Final = "memory"
# What is read of a file may differ from one version to the next.
CACHE_FORMAT: Final = (5, VERSION, plan_cache.CACHE_VERSION)
FILE_RECORDS: Final = 4096  # records of a file that can be found by words
MOST_LATER: Final = 256  # files that are searched beside the search index
QUICK_FILES: Final = (
    200  # files that are all looked at, and their words gathered, while a prompt waits
)
COMPARE_SECONDS: Final = 60.0  # seconds after which the files of a large store are compared again
_PLACE_BYTES: Final = 4
_NO_PLACE: Final = 0xFFFFFFFF
_RARITY_BYTES: Final = 2
# The parts of the file: these, then the shelves of the search index, then the files with memories.
_RARITIES, _PLACES, _LATER, _BASE_PATHS, _STAMPS, _FIRST_SHELF = range(6)


class FoundMemories:
    """FoundMemories are the rows of an index that may be told to a prompt, with how they match.

    notes: what was not read. changed: path → digest of the files that are not as the program wrote
    them. complete: whether there was time for all files. is_behind: whether much has changed since
    the search index was made. is_due: whether all files are to be compared once nobody waits.
    """

    __slots__ = ("changed", "complete", "is_behind", "is_due", "notes", "rows")

    def __init__(
        self,
        rows: list[tuple[IndexRow, Match | None]],
        changed: Mapping[str, str],
        notes: tuple[str, ...] = (),
        *,
        complete: bool = True,
        is_behind: bool = False,
        is_due: bool = False,
    ) -> None:
        self.rows = rows
        self.changed = changed
        self.notes = notes
        self.complete = complete
        self.is_behind = is_behind
        self.is_due = is_due


class StoredIndex:
    """A StoredIndex is the index of a memory store as it was kept, of which only what is asked for
    is read.

    written: when its files were looked at, in nanoseconds. compared: when they were last known to
    be as they are here, in seconds. folders: the stamps of the store's folders. later: the paths of
    files that have changed since the search index was made. hot: the places of the files of which a
    memory may be HOT. changed: place → digest of the files that are not as the program wrote them.
    is_whole: whether it has all memories, and all files could be read.
    """

    __slots__ = (
        "_parts",
        "_shelves",
        "changed",
        "compared",
        "folders",
        "hot",
        "is_whole",
        "later",
        "written",
    )

    def __init__(self, head: Sequence[Any], parts: Sequence[bytes], compared: float) -> None:
        self.written, self.folders, self.later, shelves, self.hot, self.changed, self.is_whole = (
            head
        )
        self._parts = parts
        self._shelves = {name: _FIRST_SHELF + place for place, name in enumerate(shelves)}
        self.compared = compared

    def __len__(self) -> int:
        """Returns the number of files with memories."""
        return len(self._parts) - _FIRST_SHELF - len(self._shelves)

    @property
    def safe(self) -> int:
        """Returns the time before which a file was last changed that is as it was read."""
        return int(self.written) - plan_cache.CLOCK_TICK

    @property
    def is_behind(self) -> bool:
        """Tells whether so much has changed that the search index is to be made anew."""
        return is_much_later(len(self.later), len(self))

    def stamps(self) -> dict[str, Stamp]:
        """Returns the stamps of all files, by path, in the order of their places."""
        return dict(loads(self._parts[_STAMPS]))

    def row(self, place: int) -> tuple[str, Row]:
        """Returns the path of a file and what is kept of it."""
        path, *row = loads(self._parts[_FIRST_SHELF + len(self._shelves) + place])
        return path, tuple(row)

    def rows(self) -> Kept:
        """Returns what is kept of each file, by path."""
        return dict(map(self.row, range(len(self))))

    def search_index(self) -> dict[str, Any]:
        """Returns the search index as a whole, with the paths of the files that it numbers."""
        shelves = {name: self._parts[place] for name, place in self._shelves.items()}
        packed = _Rarities(self._parts[_RARITIES])
        rarity = tuple(packed[number] for number in range(len(packed)))
        paths = loads(self._parts[_BASE_PATHS])
        return {"index": {"shelves": shelves, "rarity": rarity}, "paths": paths}

    def find_matches(self, query: SearchQuery) -> dict[int, dict[int, Match]]:
        """Returns place of a file → number of a record in it → how that matches."""
        base = {
            "shelves": _Shelves(self._parts, self._shelves),
            "rarity": _Rarities(self._parts[_RARITIES]),
        }
        places, data = self._parts[_PLACES], self._parts[_LATER]
        later = loads(data) if data else None
        found: dict[int, dict[int, Match]] = {}
        for number, match in search_words(base, query, later).items():
            file, inside = divmod(number, FILE_RECORDS)
            at = file * _PLACE_BYTES
            place = int.from_bytes(places[at : at + _PLACE_BYTES], "little")
            if place != _NO_PLACE:
                found.setdefault(place, {})[inside] = match
        return found


class _Shelves:
    """The shelves of a search index, each read when it is asked for."""

    __slots__ = ("_parts", "_places")

    def __init__(self, parts: Sequence[bytes], places: Mapping[str, int]) -> None:
        self._parts = parts
        self._places = places

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __getitem__(self, name: str) -> bytes:
        return self._parts[self._places[name]]


class _Rarities:
    """The rarities of a search index, packed."""

    __slots__ = ("_data",)

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data) // _RARITY_BYTES

    def __getitem__(self, number: int) -> int:
        at = number * _RARITY_BYTES
        return int.from_bytes(self._data[at : at + _RARITY_BYTES], "little")


def is_much_later(later: int, files: int) -> bool:
    """Tells whether so many files have changed, of those there are, since the search index was made
    that it is to be made anew.
    """
    return later > (0 if files <= QUICK_FILES else MOST_LATER)


def index_kind(*, chati: bool) -> str:
    """Returns the kind of file that the index is in the cache; chati: with the memories of Chati."""
    return f"{CACHE_KIND}-chati" if chati else CACHE_KIND


def read_index(root: str, kind: str) -> StoredIndex | None:
    """Return the stored index of the memories at ``root``; None where there is none that can be
    read or trusted.
    """
    memo = plan_cache.read_memo(root, kind)
    if memo.get("version") != CACHE_FORMAT:
        return None
    try:
        compared = os.stat(plan_cache.memo_file(root, kind)).st_mtime
    except OSError:
        return None  # another process has just removed it
    return StoredIndex(memo["fields"], memo["parts"], compared)


def write_index(
    root: str,
    kind: str,
    kept: Kept,
    search: Mapping[str, Any],
    later: Mapping[str, Any],
    changed: Collection[str],
    folders: Stamps,
    written: int,
    *,
    is_whole: bool,
) -> None:
    """Writes an index. search: that of the words, with the paths it numbers. later: one of the files
    that have ``changed`` since, numbered on. The rest is as in `StoredIndex`.
    """
    paths = sorted(kept)
    place_of = {path: place for place, path in enumerate(paths)}
    places = [
        _NO_PLACE if path in changed else place_of.get(path, _NO_PLACE) for path in search["paths"]
    ]
    places += (place_of.get(path, _NO_PLACE) for path in later["paths"])
    shelves = search["index"]["shelves"]
    parts = (
        b"".join(one.to_bytes(_RARITY_BYTES, "little") for one in search["index"]["rarity"]),
        b"".join(one.to_bytes(_PLACE_BYTES, "little") for one in places),
        dumps(later["index"]) if later["paths"] else b"",
        dumps(tuple(search["paths"])),
        dumps(tuple((path, kept[path][0]) for path in paths)),
        *shelves.values(),
        *(dumps((path, *kept[path])) for path in paths),
    )
    hot = tuple(place for place, path in enumerate(paths) if kept[path][2])
    digests = {place: kept[path][3] for place, path in enumerate(paths) if kept[path][3]}
    fields = (
        written,
        dict(folders),
        tuple(sorted(changed)),
        tuple(shelves),
        hot,
        digests,
        is_whole,
    )
    memo = {"version": CACHE_FORMAT, "fields": fields, "parts": parts}
    plan_cache.write_memo(root, kind, memo)


def note_compared(root: str, kind: str, now: int) -> None:
    """Note that all files were compared at a time (nanoseconds) and are as the index has them."""
    try:
        os.utime(plan_cache.memo_file(root, kind), ns=(now, now))
    except OSError:
        return  # there is no index, or another process has just removed it


def doubt_index(root: str) -> None:
    """Has all files be compared before memories are told the next time: somebody has written into
    one.
    """
    for chati in (False, True):
        note_compared(root, index_kind(chati=chati), 0)


def doubt_changed_files(root: str, paths: Iterable[str]) -> None:
    """Has all files be compared before memories are told the next time, where one of ``paths``
    (of files or folders, relative to ``root``, "" for itself) holds memories and is not as an index
    has it.
    """
    inside = [path for path in paths if may_hold_memories(path)]
    for kind in (index_kind(chati=chati) for chati in (False, True)) if inside else ():
        stored = read_index(root, kind)
        if stored is None or not stored.compared:
            continue
        stamps = stored.stamps()
        if not all(
            path in stamps and _is_same_file(f"{root}/{path}", stamps[path], stored.safe)
            for path in inside
        ):
            note_compared(root, kind, 0)


def folder_stamps(root: str) -> dict[str, Stamp | None]:
    """Returns the stamps of the folders of the store, by which new and missing files are noticed."""
    base = f"{root}/{MEMORY}"
    inner = {SHARED, AGENTS}
    for path, _ in iter_folders(base):
        inner.update((path, path.rpartition("/")[0]))
    if os.path.isdir(f"{base}/{AGENTS}"):
        inner.update(f"{AGENTS}/{name}" for name in os.listdir(f"{base}/{AGENTS}"))
    return {path: take_stamp(f"{base}/{path}") for path in sorted(inner)}


def find_memories(
    root: str,
    query: SearchQuery,
    reader: str,
    held: Collection[str],
    least: float,
    *,
    chati: bool = False,
) -> FoundMemories | None:
    """Returns the memories that may be told to a prompt: those of which the relevance is ``least``
    or more, that may be HOT, and of the files ``held``. None where all files are to be compared.
    """
    stored = read_index(root, index_kind(chati=chati))
    if stored is None or not stored.is_whole or not stored.compared or is_left_alone(root):
        return None
    if not _are_folders_same(f"{root}/{MEMORY}", stored.folders, stored.safe):
        return None
    return _find_in(stored, root, query, reader, held, least, chati=chati)


def _find_in(
    stored: StoredIndex,
    root: str,
    query: SearchQuery,
    reader: str,
    held: Collection[str],
    least: float,
    *,
    chati: bool,
) -> FoundMemories | None:
    is_small = len(stored) <= QUICK_FILES
    stamps = stored.stamps() if is_small or held or chati else {}
    if chati and not _are_chati_files_same(root, stamps):
        return None
    matches = stored.find_matches(query) if query else {}
    wanted = {*stored.hot, *stored.changed, *_places_of(matches, least)}
    wanted.update(place for place, path in enumerate(stamps) if path in held)
    rows = {place: stored.row(place) for place in sorted(wanted)}
    looked_at = stamps.items() if is_small else [(path, row[0]) for path, row in rows.values()]
    if not all(_is_same_file(f"{root}/{path}", stamp, stored.safe) for path, stamp in looked_at):
        return None
    is_due = not is_small and not 0 <= time.time() - stored.compared < COMPARE_SECONDS
    return FoundMemories(
        [
            (IndexRow(record), matches.get(place, {}).get(number))
            for place, (_, row) in rows.items()
            for number, record in enumerate(map(restore_record, loads(row[1])))
            if may_see(record, reader)
        ],
        {path: row[3] for path, row in rows.values() if row[3]},
        is_behind=stored.is_behind,
        is_due=is_due,
    )


def _places_of(matches: Mapping[int, Mapping[int, Match]], least: float) -> Iterator[int]:
    """Yields the places of files with a memory that is relevant enough."""
    for place, found in matches.items():
        if any(match.relevance >= least for match in found.values()):
            yield place


def _are_folders_same(base: str, folders: Stamps, safe: int) -> bool:
    """Returns whether folders are as stamped; ``safe``: what is younger may have changed since."""
    for path, stamp in folders.items():
        if take_stamp(f"{base}/{path}") != stamp or (stamp is not None and stamp[0] >= safe):
            return False
    return True


def _is_same_file(path: str, stamp: Stamp, safe: int) -> bool:
    try:
        now = os.lstat(path)
    except (OSError, ValueError):
        return False
    return now.st_mtime_ns == stamp[0] < safe and now.st_size == stamp[1] and now.st_ino == stamp[2]


def _are_chati_files_same(root: str, stamps: Stamps) -> bool:
    """Returns whether the files that Chati keeps, which may be links, are those that are stamped."""
    files = load_module("synapse_ls.memory.readers.chati").memory_files(root)
    known = {path: stamp for path, stamp in stamps.items() if not path.startswith(f"{MEMORY}/")}
    return {path: take_stamp(f"{root}/{path}") for path in files} == known
