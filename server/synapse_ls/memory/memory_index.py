"""The index of a tree's memories, in the user's cache, always checked against the files.

A refresh compares it with the folders by stat and reads only files that differ, so a lost or
damaged index costs a moment. As in git's index, a file not older than the index is read again. It
also has the words of title, tags and text, for search; relevance is from 0 to 1, and names from the
work (files, the task) are a separate query.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import islice
from typing import Any

from synapse_ls.engine import text_search
from synapse_ls.engine.word_matching import fold_text
from synapse_ls.memory import attention_score, foreign_memories
from synapse_ls.memory.memory_paths import MEMORY, is_record_file, iter_folders
from synapse_ls.memory.memory_record import PERSON, RECORD_FIELDS, Record, may_see, parse_record
from synapse_ls.storage import atomic_files, plan_cache
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.phrases import quote_name
from synapse_ls.version import VERSION
from synapse_ls.workspace.regular_files import Stamp, take_stamp

LONGEST_TEXT = 4000  # code points of a text that are looked at
MOST_TERMS = 64  # words of a question
_EXTENSION = lazy_pattern(r"\.[A-Za-z]\w{0,4}$")
# What says nothing of the work at hand, since so many projects have it in their paths.
_PATH_WORDS = frozenset(
    [
        "api", "app", "apps", "assets", "backend", "bin", "build", "client", "common", "components",
        "config", "configs", "controllers", "core", "data", "db", "dist", "doc", "docs", "examples",
        "features", "frontend", "helpers", "home", "index", "init", "internal", "lib", "libs",
        "main", "migrations", "mod", "models", "modules", "node_modules", "package", "packages",
        "pages", "pkg", "public", "readme", "resources", "scripts", "server", "services", "shared",
        "spec", "specs", "src", "static", "styles", "test", "tests", "tmp", "tools", "types",
        "util", "utils", "vendor", "views", "web",
    ]
)  # fmt: skip
_PLACES = {"title": "title", "tags": "tag", "body": "text"}


def search_terms(text: str) -> list[str]:
    """Return the terms of a text that memories are searched by, in order, each once."""
    return list(text_search.extract_terms(fold_text(text[: 4 * LONGEST_TEXT])))


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What memories are searched for: term → word, of what was said and of the names at work."""

    said: Mapping[str, str]
    named: Mapping[str, str]

    def __bool__(self) -> bool:
        """Return whether anything is searched for."""
        return bool(self.said or self.named)


NO_QUERY = SearchQuery({}, {})


def make_query(text: str, names: Iterable[str] = ()) -> SearchQuery:
    """Return the query that searches memories for a text; ``names`` are those at work, such as
    those of files. Of a path in either only the words count that few other paths have.
    """
    words = (text[: 4 * LONGEST_TEXT].split(), names)
    said, named = (fold_text(" ".join(map(telling_words, some))) for some in words)
    terms = (text_search.question_terms(said), text_search.extract_terms(named))
    return SearchQuery(*(dict(islice(some.items(), MOST_TERMS)) for some in terms))


def telling_words(word: str) -> str:
    """Return a word, of a path what remains without its extension and the names that most projects
    have.
    """
    path = word.strip("`'\"()[]{}<>,;:!?.")
    bare = _EXTENSION.sub("", path)
    if "/" not in path and bare == path:
        return word
    parts = bare.replace("/", " ").replace(".", " ").split()
    return " ".join(part for part in parts if part.lower() not in _PATH_WORDS)


def make_typed_query(text: str) -> SearchQuery:
    """Return the query for what somebody has typed to search for, whatever it is."""
    return SearchQuery(text_search.extract_terms(fold_text(text[: 4 * LONGEST_TEXT])), {})


@dataclass(frozen=True, slots=True)
class RecordWords:
    """What a search finds a memory by, in the three places: terms, each as often as it stands
    there; strings, so that they can be kept.
    """

    tags: str
    title: str
    text: str

    @staticmethod
    def from_record(record: Record) -> RecordWords:
        """Return the words of a record."""
        texts = (" ".join(record.tags), record.title, record.text)
        terms = (text_search.split_terms(text[:LONGEST_TEXT]) for text in texts)
        return RecordWords(*map(" ".join, terms))

    def counts(self) -> dict[str, Mapping[str, int]]:
        """Return the terms with how often they stand there, by the fields of a search."""
        texts = (("title", self.title), ("tags", self.tags), ("body", self.text))
        return {field: Counter(terms.split()) for field, terms in texts}


@dataclass(frozen=True, slots=True)
class Match:
    """How well a memory matches a search. relevance: 0 to 1. share: of the words that were asked.
    matches: (word, where) in the query's order.
    """

    relevance: float
    share: float
    matches: tuple[tuple[str, str], ...]

    @property
    def is_evident(self) -> bool:
        """Whether it is more than one word of a text."""
        return len(self.matches) > 1 or any(place == "tag" for _, place in self.matches)

    @property
    def description(self) -> str:
        """What matches, in words."""
        by_place = group_pairs((place, word) for word, place in self.matches)
        return "; ".join(f"{place} {', '.join(words)}" for place, words in by_place.items())


NO_MATCH = Match(0.0, 0.0, ())


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that hints are selected from. relevance: as its provider says, None to find it out
    here. match: how it matches in words, None to find that out here.
    """

    record: Record
    match: Match | None = None
    words: RecordWords | None = None
    provider: str = ""
    relevance: float | None = None


def compile_words(rows: Iterable[tuple[int, RecordWords]]) -> dict[str, Any]:
    """Return the index in which memories are searched by their words, by number."""
    return text_search.compile_index((number, words.counts()) for number, words in rows)


def search_words(
    index: Mapping[str, Any], query: SearchQuery, *, allow_prefix: bool = False
) -> dict[int, Match]:
    """Return the memories that a search finds, by their numbers; see `text_search.search_index`.

    What answers both what was said and the names at work counts by the better one.
    """
    matches: dict[int, Match] = {}
    for terms in (query.said, query.named):
        hits = text_search.search_index(index, terms, allow_prefix=allow_prefix) if terms else {}
        for number, hit in hits.items():
            matched = tuple(zip(hit.words, (_PLACES[field] for field in hit.fields), strict=True))
            match = Match(hit.relevance / 1000, len(hit.words) / len(terms), matched)
            before = matches.get(number, NO_MATCH)
            best = match if match.relevance > before.relevance else before
            words = dict(before.matches)
            more = (word_match for word_match in match.matches if word_match[0] not in words)
            matches[number] = Match(best.relevance, best.share, (*before.matches, *more))
    return matches


def match_words(
    query: SearchQuery, rows: Sequence[RecordWords], *, allow_prefix: bool = False
) -> list[Match]:
    """Return how well each of a few memories matches a search."""
    if not query or not rows:
        return [NO_MATCH] * len(rows)
    matches = search_words(compile_words(enumerate(rows)), query, allow_prefix=allow_prefix)
    return [matches.get(number, NO_MATCH) for number in range(len(rows))]


FILE_LIMIT = 1_000_000  # bytes of a record's file
MOST_KEPT = 32_000_000  # code points of records in the index; more are read each time
FILE_RECORDS = 4096  # records of a file that can be found by words
# What is read of a file may differ from one version to the next.
CACHE_FORMAT = (8, VERSION)
_TEXT = RECORD_FIELDS.index("text")
# Changed files that are read between two looks at the clock: the first of them however late it is,
# so that a machine that stands still for a moment loses no prompt its memories.
FILES_PER_CHECK = 16
_NEVER_CURRENT: Stamp = (0, 0, 0)

# Stamp, values of its records, their words, and whether one may be HOT.
Row = tuple[Stamp, tuple[tuple[Any, ...], ...], tuple[tuple[str, str, str], ...], bool]


class MemoryIndex:
    """The memories of a tree, as a refresh has found them.

    complete: whether there was time for all files. notes: what was not read.
    """

    def __init__(
        self,
        rows: dict[str, Row],
        search: Mapping[str, Any],
        notes: tuple[str, ...],
        complete: bool,
    ) -> None:
        self._rows = rows
        self._search = search
        self._paths = sorted(rows)
        self.notes = notes
        self.complete = complete

    def records(self, reader: str = PERSON) -> list[Record]:
        """Return the records that ``reader`` may see, by path."""
        return [record for path in self._paths for _, record in self._read_file(path, reader)]

    def search(
        self, query: SearchQuery, reader: str = PERSON, *, allow_prefix: bool = False
    ) -> list[tuple[Record, Match]]:
        """Return the records that match a query, by path; see `memory_search.search_words`."""
        matches = self._find_matches(query, allow_prefix=allow_prefix)
        return [
            (record, matches[path][number])
            for path in sorted(matches)
            for number, record in self._read_file(path, reader)
            if number in matches[path]
        ]

    def find_memories(
        self, query: SearchQuery, reader: str, standing_files: Collection[str] | None, least: float
    ) -> list[tuple[Record, Match | None]]:
        """Return the memories that may be told to a prompt, with how they match: those of which the
        relevance is ``least`` or more, that may be HOT, and of the given files (None: of all).
        """
        matches = self._find_matches(query)
        paths = [
            path
            for path in self._paths
            if standing_files is None
            or self._rows[path][3]
            or path in standing_files
            or any(match.relevance >= least for match in matches.get(path, {}).values())
        ]
        return [
            (record, matches.get(path, {}).get(number))
            for path in paths
            for number, record in self._read_file(path, reader)
        ]

    def _find_matches(
        self, query: SearchQuery, *, allow_prefix: bool = False
    ) -> dict[str, dict[int, Match]]:
        """Return path -> number of a record in its file -> how it matches."""
        matches: dict[str, dict[int, Match]] = {}
        for number, match in search_words(self._search, query, allow_prefix=allow_prefix).items():
            file, position = divmod(number, FILE_RECORDS)
            matches.setdefault(self._paths[file], {})[position] = match
        return matches

    def _read_file(self, path: str, reader: str) -> Iterator[tuple[int, Record]]:
        """Yield the records of a file that ``reader`` may see, with their numbers."""
        for number, values in enumerate(self._rows[path][1]):
            record = Record(*values)
            if may_see(record, reader):
                yield number, record


def refresh_index(root: str, *, deadline: float | None = None, chati: bool = False) -> MemoryIndex:
    """Return the index of the memories at ``root`` as their files are now.

    deadline: on the monotonic clock; past it changed files beyond the first `FILES_PER_CHECK` are
    taken as they were when they were last read, and those that never were are missing. chati: those
    of a Chati tree as well.
    """
    kind = "memory-chati" if chati else "memory"
    began = time.time_ns()
    if (stored := plan_cache.read_memo(root, kind)).get("format") != CACHE_FORMAT:
        stored = {"rows": {}, "written": 0, "search": compile_words(())}
    stored_rows: dict[str, Row] = stored["rows"]
    safe = stored["written"] - plan_cache.CLOCK_TICK
    rows: dict[str, Row] = {}
    notes: list[str] = []
    changed: set[str] = set()
    complete = True
    for path, stamp, is_foreign in _memory_files(root, chati=chati):
        if (row := stored_rows.get(path)) is None or row[0] != stamp or stamp[0] >= safe:
            is_due = bool(changed) and len(changed) % FILES_PER_CHECK == 0
            if complete and deadline is not None and is_due:
                complete = time.monotonic() <= deadline
            if complete:
                row = _read_row(root, path, stamp, notes, is_foreign=is_foreign)
                changed.add(path)
        if row is not None:
            rows[path] = row
    search = stored["search"]
    # A row that is to be kept with its time is as good as another one.
    differs = any(
        row != stored_rows.get(path) or (row is not None and row[0] != _NEVER_CURRENT)
        for path, row in ((path, rows.get(path)) for path in changed)
    )
    if differs or rows.keys() != stored_rows.keys():
        search = compile_words(
            (file * FILE_RECORDS + number, RecordWords(*words))
            for file, path in enumerate(sorted(rows))
            for number, words in enumerate(rows[path][2][:FILE_RECORDS])
        )
        size = sum(len(values[_TEXT]) for row in rows.values() for values in row[1])
        if complete and size <= MOST_KEPT:
            memo = {"format": CACHE_FORMAT, "written": began, "rows": rows, "search": search}
            plan_cache.write_memo(root, kind, memo)
    return MemoryIndex(rows, search, tuple(notes), complete)


def _memory_files(root: str, *, chati: bool) -> Iterator[tuple[str, Stamp, bool]]:
    """Yield path from the root and stamp of each file with memories, and whether Chati.dev keeps
    it.
    """
    for inner, full in iter_folders(root, MEMORY):
        try:
            with os.scandir(full) as entries:
                for entry in entries:
                    if is_record_file(entry.name) and entry.is_file(follow_symlinks=False):
                        status = entry.stat(follow_symlinks=False)
                        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
                        yield f"{MEMORY}/{inner}/{entry.name}", stamp, False
        except OSError:
            continue  # the folder has just gone, or may not be looked at: it holds nothing for us
    for path in foreign_memories.chati_files(root) if chati else ():
        if (file_stamp := take_stamp(f"{root}/{path}")) is not None:
            yield path, file_stamp, True


def _read_row(
    root: str, path: str, stamp: Stamp, notes: list[str], *, is_foreign: bool
) -> Row | None:
    try:
        data = atomic_files.read_bytes(f"{root}/{path}", FILE_LIMIT, within=root)
    except atomic_files.StorageError as error:
        notes.append(str(error))
        return None
    if data is None:
        return None
    text = data.decode("utf-8", "surrogateescape")
    records = (
        foreign_memories.parse_chati(text, path) if is_foreign else (parse_record(text, path),)
    )
    line, damage = (0, "") if is_foreign else _find_damage(data, records[0])
    if damage:
        stamp = _NEVER_CURRENT  # it is said each time
        notes.append(
            f"{quote_name(path)}:{line} {damage}, so this memory may not say what it said: "
            "`synapse check` shows where it is damaged."
        )
    return (
        stamp,
        tuple(record.values() for record in records),
        tuple(astuple(RecordWords.from_record(record)) for record in records),
        any(map(attention_score.may_be_hot, records)),
    )


def _find_damage(data: bytes, record: Record) -> tuple[int, str]:
    """Return the first line, from 1, of what no editor leaves behind, and what that is; (0, "")
    for none. What reads like an edit by hand is taken for one.
    """
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1, "is not UTF-8"
    if (at := data.find(b"\0")) >= 0:
        return data.count(b"\n", 0, at) + 1, "holds NUL characters"
    if data.startswith(b"---\n") and b"\n---" not in data and b"\n..." not in data:
        return 1, "begins a front matter that never ends"
    return (0, "") if record.title or record.text.strip() else (1, "says nothing")
