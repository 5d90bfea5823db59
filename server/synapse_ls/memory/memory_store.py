"""The store of a tree's memories: each write is locked and atomic.

Every read is for a reader: private memories of an agent are invisible to others, and count for
none; the tree's user (`PERSON`) sees everything.
"""

import errno
import os
from typing import Any

from synapse_ls.formats.memory_file import is_id
from synapse_ls.memory import attention_score, memory_paths
from synapse_ls.memory.memory_index import Match, MemoryIndex, SearchQuery, refresh_index
from synapse_ls.memory.memory_paths import ARCHIVES, EXTENSION, MEMORY
from synapse_ls.memory.memory_record import (
    PERSON,
    RECORD_FIELDS,
    Record,
    check_record,
    draft_record,
    may_see,
    meaning_key,
    parse_record,
    reader_name,
    render_record,
)
from synapse_ls.storage import atomic_files, session_store
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.workspace.rule_systems import is_chati_tree
from synapse_ls.workspace.tree_folders import CHATI_MEMORIES

LOCK_PATIENCE = 10.0  # seconds that a writer waits for the others
DAY_SECONDS = 86400
_LIMIT = 1_000_000  # bytes
_CHANGEABLE_FIELDS = frozenset(RECORD_FIELDS) - {
    *("id", "path", "line", "tier"),
    *("created", "updated", "accessed", "access_count"),
}


class MemoryStore:
    """The store of the memories of the tree at ``root``; its folder need not exist yet.

    chati: whether it is that of Chati.dev, which is written where its document says; None: as the
    folder's rules say. What was kept in ``.synapse/memory`` before stays there. Of Chati's files
    only those with an id of ours (``mem-2026-11-22-001``) are written. ``now`` is in seconds since
    the epoch. Every method may raise StorageError.
    """

    def __init__(
        self,
        root: str,
        constants: attention_score.ScoreConstants = attention_score.STANDARD_CONSTANTS,
        *,
        chati: bool | None = None,
    ) -> None:
        self.root = os.path.abspath(root)
        self._chati = is_chati_tree(self.root) if chati is None else chati
        self._homes = (CHATI_MEMORIES, MEMORY) if self._chati else (MEMORY,)
        self.folder = f"{self.root}/{self._homes[0]}"
        self.constants = constants

    def exists(self) -> bool:
        """Return whether there may be memories; one stat."""
        return self._chati or os.path.isdir(self.folder)

    def index(self) -> MemoryIndex:
        """Return the index, as the files are now; see `memory_index.refresh_index`."""
        return refresh_index(self.root, chati=self._chati)

    def search(self, query: SearchQuery, reader: str = PERSON) -> list[tuple[Record, Match]]:
        """Return the records of ``reader`` that match a query, words that only begin with one of
        its words among them; uses are counted in.
        """
        if not self.exists():
            return []
        uses = memory_paths.read_uses(self.root)
        matches = self.index().search(query, reader_name(reader), allow_prefix=True)
        return [(memory_paths.add_uses(record, uses), match) for record, match in matches]

    def records(self, reader: str = PERSON) -> list[Record]:
        """Return the records of ``reader``, by path; uses are counted in."""
        if not self.exists():
            return []
        uses = memory_paths.read_uses(self.root)
        records = self.index().records(reader_name(reader))
        return [memory_paths.add_uses(record, uses) for record in records]

    def get(self, id: str, reader: str = PERSON) -> Record | None:
        """Return the record of that id, None where ``reader`` sees none."""
        return next((r for r in self.records(reader) if r.id == id), None)

    def archived_records(self, reader: str = PERSON) -> list[Record]:
        """Return what was forgotten or has expired, of ``reader``."""
        who = reader_name(reader)
        records = []
        for home in self._homes:
            archive = ARCHIVES[home]
            for inner, full in memory_paths.iter_folders(self.root, archive, who):
                for name in memory_paths.record_files(full):
                    record, _ = self._read(f"{archive}/{inner}/{name}")
                    if record is not None and may_see(record, who):
                        records.append(record)
        return records

    def remember(self, text: str, *, now: float, title: str = "", **fields: Any) -> Record:
        """Return the record that says this: confirmed where there is one, else a new one.

        Its sector and storage follow from its type unless they are given. A correction by the user
        is explicit, that is a person said so, unless it is given otherwise. Two texts say the same
        if they differ only in case, accents, marks and white space, and belong to the same agent
        and scope.
        """
        record = draft_record(text, title, **fields)
        if (same := self._find_same(record)) is None:
            return self._write_new(record, now, unless_said=True)
        return self.confirm(same.id, now=now, explicit=record.explicit)

    def update(self, id: str, *, now: float, reader: str = PERSON, **changes: Any) -> Record:
        """Give some fields other values; the record moves where these say that it belongs."""
        if wrong := changes.keys() - _CHANGEABLE_FIELDS:
            raise TypeError(f"{', '.join(sorted(wrong))} of a record cannot be set")
        return self._change(
            id, lambda record: check_record(record.with_fields(**changes), changes), now, reader
        )

    def confirm(
        self, id: str, *, now: float, reader: str = PERSON, explicit: bool = False
    ) -> Record:
        """Count that a memory was seen once more: one piece of evidence, and the confidence grows
        by the rule.
        """
        return self._change(id, lambda record: self._add_evidence(record, explicit), now, reader)

    def forget(self, id: str, *, reader: str = PERSON) -> Record:
        """Put a record away, so that it can be restored; return it as it lies in the archive."""
        with self._lock():
            record = self._require_record(id, reader)
            return self._move(record, _archived_path(record.path))

    def restore(self, id: str, *, reader: str = PERSON) -> Record:
        """Bring a record back from the archive, to where it was."""
        with self._lock():
            archived_records = [r for r in self.archived_records(reader) if r.id == id]
            if not archived_records:
                raise atomic_files.StorageError(
                    f"No memory {id} was forgotten.",
                    "`synapse memory list --archived` shows those that were.",
                    errno.ENOENT,
                )
            record = archived_records[-1]
            home = _home(record.path)
            stem = home + record.path.removeprefix(ARCHIVES[home]).removesuffix(EXTENSION)
            name = stem.rpartition("/")[2]
            if name.startswith("mem-") and name.count("-") > 4:  # the archive gave it another name
                stem = stem.rpartition("-")[0]
            target = stem + EXTENSION
            if os.path.lexists(f"{self.root}/{target}"):
                raise atomic_files.StorageError(
                    f"{record.path} cannot come back: there is a {target} already.",
                    "Rename or forget that one first.",
                    errno.EEXIST,
                )
            return self._move(record, target)

    def sweep(
        self, *, now: float, dry_run: bool = False, most: int = 0
    ) -> list[tuple[Record, str]]:
        """Put away what has expired or nobody needs any more; return each record with the reason.

        Only what is in the archive is ever taken out of a block, so nothing is lost. With
        ``dry_run`` nothing is moved. most: how many, 0 for all.
        """
        today = int(now // DAY_SECONDS)
        if not self.exists():
            return []
        archived: list[tuple[Record, str]] = []
        with self._lock():
            for record in filter(_is_own, self.records()):
                if reason := attention_score.archive_reason(record, today, self.constants):
                    if not dry_run:
                        self._move(record, _archived_path(record.path))
                    archived.append((record, reason))
                    if len(archived) == most:
                        break
        return archived

    def _find_same(self, draft: Record) -> Record | None:
        """Return the record that says the same to the same readers."""
        wanted = meaning_key(draft)
        own = filter(_is_own, self.records(draft.agent if draft.is_private else ""))
        return next((record for record in own if meaning_key(record) == wanted), None)

    def _add_evidence(self, record: Record, explicit: bool) -> Record:
        return record.with_fields(
            evidence=record.evidence + 1,
            confidence=attention_score.grow_confidence(record.confidence, self.constants),
            explicit=record.explicit or explicit,
        )

    def _write_new(self, made: Record, now: float, *, unless_said: bool = False) -> Record:
        home = self._homes[0]
        inner = memory_paths.record_folder(made.scope, made.agent, made.storage, home)
        session_store.create_folder(f"{self.folder}/{inner}", self.root)
        if home == MEMORY:
            session_store.ignore_in_git(self.folder, self.root)
        with self._lock():
            if unless_said and (same := self._find_same(made)) is not None:  # another was faster
                return self._write_changes(same, self._add_evidence(same, made.explicit), now)
            at = format_timestamp(now)
            id = made.id or memory_paths.next_free_id(at[:10], self.root, self._homes)
            path = f"{home}/{inner}/{id}{EXTENSION}"
            record = made.with_fields(id=id, created=made.created or at, path=path)
            text = render_record(record, is_chati=home != MEMORY)
            self._write(path, text)
        return parse_record(text, path)

    def _change(self, id: str, change: Any, now: float, reader: str) -> Record:
        with self._lock():
            before = self._require_record(id, reader)
            return self._write_changes(before, change(before), now)

    def _write_changes(self, before: Record, after: Record, now: float) -> Record:
        """Write what differs, at the place where the record belongs then. Under the lock."""
        stored, text = self._read(before.path)
        if stored is None:
            raise _missing_error(before.id)
        fresh = {
            name: getattr(after, name)
            for name in _CHANGEABLE_FIELDS
            if getattr(after, name) != getattr(before, name)
        }
        if not fresh:
            return before
        record = stored.with_fields(**fresh, updated=format_timestamp(now))
        text = render_record(record, text)
        target = before.path
        home = _home(before.path)
        moves = memory_paths.record_folder(record.scope, record.agent, record.storage, home)
        placed = any(name in fresh for name in ("scope", "agent", "storage"))
        if placed and f"/{moves}/" not in before.path:
            session_store.create_folder(f"{self.root}/{home}/{moves}", self.root)
            target = f"{home}/{moves}/{before.path.rpartition('/')[2]}"
            if os.path.lexists(f"{self.root}/{target}"):
                raise atomic_files.StorageError(
                    f"There is a {target} already.", "Rename one of them.", errno.EEXIST
                )
        self._write(before.path, text)
        if target != before.path:  # a rename after the write: at no time are there two, or none
            self._rename(before.path, target)
        return memory_paths.add_uses(parse_record(text, target), memory_paths.read_uses(self.root))

    def _require_record(self, id: str, reader: str) -> Record:
        if (record := self.get(id, reader)) is None:
            raise _missing_error(id)
        if not _is_own(record):
            raise atomic_files.StorageError(
                f"{record.path} is a file of Chati.dev, which holds the memory {id}.",
                "Change that file: it is read here, and never written.",
                errno.EPERM,
            )
        return record

    def _move(self, record: Record, target: str) -> Record:
        full = f"{self.root}/{target}"
        session_store.create_folder(os.path.dirname(full), self.root)
        if os.path.lexists(full):  # of an id that was there before
            full = session_store.free_name(full.removesuffix(EXTENSION), EXTENSION)
            target = full[len(self.root) + 1 :]
        self._rename(record.path, target)
        return record.with_fields(path=target)

    def _read(self, path: str) -> tuple[Record | None, str]:
        data = atomic_files.read_bytes(f"{self.root}/{path}", _LIMIT, within=self.root)
        if data is None:
            return None, ""
        text = data.decode("utf-8", "surrogateescape")
        return parse_record(text, path), text

    def _write(self, path: str, text: str) -> None:
        data = text.encode("utf-8", "surrogateescape")
        if len(data) > _LIMIT:
            raise atomic_files.StorageError(
                f"A memory of {len(data):,} bytes is too long to be read again.",
                f"Shorten it; at most {_LIMIT:,} bytes are kept.",
                errno.EFBIG,
            )
        full = f"{self.root}/{path}"
        atomic_files.atomic_write(
            full, data, within=self.root, durable=True, mode=atomic_files.PRIVATE_FILE
        )

    def _rename(self, path: str, target: str) -> None:
        atomic_files.move_path(f"{self.root}/{path}", f"{self.root}/{target}", within=self.root)

    def _lock(self) -> atomic_files.FileLock:
        session_store.create_folder(self.folder, self.root)
        session_store.keep_out_of_git(self.folder, self.root, session_store.IGNORE_BOOKKEEPING)
        return atomic_files.FileLock(f"{self.folder}/store", LOCK_PATIENCE, within=self.root)


def _is_own(record: Record) -> bool:
    """Return whether a record may be changed: in Chati's folder one that has an id of ours."""
    is_chati = record.path.startswith(f"{CHATI_MEMORIES}/")
    return is_id(record.id) if is_chati else record.path.startswith(f"{MEMORY}/")


def _home(path: str) -> str:
    return MEMORY if path.startswith(f"{MEMORY}/") else CHATI_MEMORIES


def _archived_path(path: str) -> str:
    home = _home(path)
    return ARCHIVES[home] + path.removeprefix(home)


def _missing_error(id: str) -> atomic_files.StorageError:
    return atomic_files.StorageError(
        f"There is no memory {id}.", "`synapse memory list` shows those there are.", errno.ENOENT
    )
