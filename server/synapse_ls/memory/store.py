"""The memories of one tree: written one by one under a lock, each write all or nothing.

Every read is for a reader. What an agent keeps for itself is neither returned, listed nor counted
for another one; the person whose tree it is (`PERSON`) sees everything.
"""

from __future__ import annotations

import errno
import os

from synapse_ls.formats.memory_fields import (
    DEFAULT_TYPE,
)
from synapse_ls.memory import uses
from synapse_ls.memory.drafts import checked, draft, saying, why_over
from synapse_ls.memory.index import Index, Row, look
from synapse_ls.memory.places import (
    ARCHIVE,
    EXTENSION,
    MEMORY,
    PERSON,
    folder_for,
    free_id,
    may_see,
    reader_of,
    records_in,
    walk,
)
from synapse_ls.memory.record import FIELDS, Record, parse, render
from synapse_ls.memory.score import STANDARD, Constants, grown
from synapse_ls.sessions.changes import timestamp
from synapse_ls.sessions.files import Lock, SessionError, atomic_write, failure, read_bytes
from synapse_ls.sessions.store import create_folder, free_name, ignore_in_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final

PATIENCE: Final = 10.0  # seconds that a writer waits for the others
SECONDS: Final = 86400
_LIMIT: Final = 1_000_000  # bytes
_CHANGEABLE: Final = frozenset(FIELDS) - {
    *("id", "path", "line", "tier"),
    *("created", "updated", "accessed", "access_count"),
}


class MemoryStore:
    """The store of the tree at ``root``; its folder need not exist yet.

    ``now`` is in seconds since the epoch. Every method may raise SessionError.
    """

    __slots__ = ("_constants", "folder", "root")

    def __init__(self, root: str, constants: Constants = STANDARD) -> None:
        self.root = os.path.abspath(root)
        self.folder = f"{self.root}/{MEMORY}"
        self._constants = constants

    def exists(self) -> bool:
        """Whether there may be memories; one stat."""
        return os.path.isdir(self.folder)

    def index(self, *, deadline: float | None = None) -> Index:
        """The index, as the files are now; see `memory.index.look`."""
        return look(self.root, deadline=deadline)

    def rows(self, reader: str = PERSON) -> list[Row]:
        """The records of ``reader`` with their words, by path; uses are counted in."""
        if not self.exists():
            return []
        known = uses.read(self.root)
        return [
            Row(uses.with_uses(row.record, known), row.words)
            for row in self.index().rows(reader_of(reader))
        ]

    def records(
        self,
        reader: str = PERSON,
        *,
        tags: Iterable[str] = (),
        sector: str = "",
        storage: str = "",
        type: str = "",
        scope: str = "",
        agent: str = "",
    ) -> list[Record]:
        """The records of ``reader`` that have all of these tags and are of these kinds, by path."""
        wanted = {tag.casefold() for tag in tags}
        given = {"sector": sector, "storage": storage, "type": type, "scope": scope}
        owner = reader_of(agent)
        return [
            row.record
            for row in self.rows(reader)
            if wanted <= {tag.casefold() for tag in row.record.tags}
            and all(
                not value or getattr(row.record, name) == value for name, value in given.items()
            )
            and (not owner or row.record.agent == owner)
        ]

    def get(self, id: str, reader: str = PERSON) -> Record | None:
        """The record of that id, None where ``reader`` sees none."""
        return next((r for r in self.records(reader) if r.id == id), None)

    def archived(self, reader: str = PERSON) -> list[Record]:
        """What was forgotten or has expired, of ``reader``."""
        who = reader_of(reader)
        found = []
        for inner, full in walk(f"{self.folder}/{ARCHIVE}", who):
            for name in records_in(full):
                record, _ = self._read(f"{MEMORY}/{ARCHIVE}/{inner}/{name}")
                if record is not None and may_see(record, who):
                    found.append(record)
        return found

    def add(
        self,
        text: str,
        *,
        now: float,
        title: str = "",
        type: str = DEFAULT_TYPE,
        agent: str = "",
        scope: str = "shared",
        explicit: bool | None = None,
        **more: Any,
    ) -> Record:
        """A new record; ``more`` are other fields of `Record`.

        Its sector and storage follow from its type unless they are given. explicit: whether a
        person said so; a correction by the user is, unless it is given otherwise.
        """
        return self._write_new(
            draft(text, title, type=type, agent=agent, scope=scope, explicit=explicit, **more),
            now,
        )

    def remember(self, text: str, *, now: float, title: str = "", **fields: Any) -> Record:
        """The record that says this: confirmed where there is one, else a new one.

        Two texts say the same if they differ only in case, accents, marks and white space, and
        belong to the same agent and scope.
        """
        made = draft(text, title, **fields)
        same = self._same(made)
        if same is None:
            return self._write_new(made, now, unless_said=True)
        return self.confirm(same.id, now=now, explicit=made.explicit)

    def update(self, id: str, *, now: float, reader: str = PERSON, **changes: Any) -> Record:
        """Other values for some fields; the record moves where these say that it belongs."""
        wrong = changes.keys() - _CHANGEABLE
        if wrong:
            raise TypeError(f"{', '.join(sorted(wrong))} of a record cannot be set")
        return self._change(
            id, lambda record: checked(record.replaced(**changes), changes), now, reader
        )

    def confirm(
        self, id: str, *, now: float, reader: str = PERSON, explicit: bool = False
    ) -> Record:
        """It was seen once more: one piece of evidence, and the confidence grows by the rule."""

        return self._change(id, lambda record: self._seen_again(record, explicit), now, reader)

    def touch(self, ids: Iterable[str], *, now: float) -> None:
        """Count that these memories were used: told to an agent, or shown."""
        uses.count(self.root, ids, now=now)

    def forget(self, id: str, *, reader: str = PERSON) -> Record:
        """Put a record away; it can be restored. The record as it lies in the archive."""
        with self._lock():
            record = self._found(id, reader)
            return self._move(record, f"{MEMORY}/{ARCHIVE}/{_inner(record.path)}")

    def restore(self, id: str, *, reader: str = PERSON) -> Record:
        """Bring a record back from the archive, to where it was."""
        with self._lock():
            found = [record for record in self.archived(reader) if record.id == id]
            if not found:
                raise SessionError(
                    f"No memory {id} was forgotten.",
                    "`synapse memory list --archived` shows those that were.",
                    errno.ENOENT,
                )
            record = found[-1]
            target = f"{MEMORY}/{_inner(record.path).removeprefix(f'{ARCHIVE}/')}"
            target = _without_number(target)
            if os.path.lexists(f"{self.root}/{target}"):
                raise SessionError(
                    f"{record.path} cannot come back: there is a {target} already.",
                    "Rename or forget that one first.",
                    errno.EEXIST,
                )
            return self._move(record, target)

    def sweep(
        self, *, now: float, reader: str = PERSON, dry_run: bool = False, most: int = 0
    ) -> list[tuple[Record, str]]:
        """Put away what has expired or nobody needs any more; each record with the reason.

        Only what is in the archive is ever taken out of a block, so nothing is lost. With
        ``dry_run`` nothing is moved. most: how many, 0 for all.
        """
        today = int(now // SECONDS)
        if not self.exists():
            return []
        found: list[tuple[Record, str]] = []
        with self._lock():
            for record in self.records(reader):
                reason = why_over(record, today, self._constants)
                if reason:
                    if not dry_run:
                        self._move(record, f"{MEMORY}/{ARCHIVE}/{_inner(record.path)}")
                    found.append((record, reason))
                    if len(found) == most:
                        break
        return found

    def _same(self, made: Record) -> Record | None:
        """The record that says the same to the same readers."""
        wanted = saying(made)
        reader = made.agent if made.is_private else ""
        return next((one for one in self.records(reader) if saying(one) == wanted), None)

    def _seen_again(self, record: Record, explicit: bool) -> Record:
        """A record with one more piece of evidence."""
        return record.replaced(
            evidence=record.evidence + 1,
            confidence=grown(record.confidence, self._constants),
            explicit=record.explicit or explicit,
        )

    def _write_new(self, made: Record, now: float, *, unless_said: bool = False) -> Record:
        inner = folder_for(made.scope, made.agent, made.storage)
        create_folder(f"{self.folder}/{inner}")
        ignore_in_git(self.folder)
        with self._lock():
            if unless_said and (same := self._same(made)) is not None:  # another was faster
                return self._changed(same, self._seen_again(same, made.explicit), now)
            at = timestamp(now)
            id = made.id or free_id(self.folder, at[:10])
            path = f"{MEMORY}/{inner}/{id}{EXTENSION}"
            record = made.replaced(id=id, created=made.created or at, path=path)
            text = render(record)
            self._write(path, text)
        return parse(text, path)

    def _change(self, id: str, change: Any, now: float, reader: str) -> Record:
        with self._lock():
            before = self._found(id, reader)
            return self._changed(before, change(before), now)

    def _changed(self, before: Record, after: Record, now: float) -> Record:
        """Write what differs, at the place where the record belongs then. Under the lock."""
        stored, text = self._read(before.path)
        if stored is None:
            raise _missing(before.id)
        fresh = {
            name: getattr(after, name)
            for name in _CHANGEABLE
            if getattr(after, name) != getattr(before, name)
        }
        if not fresh:
            return before
        record = stored.replaced(**fresh, updated=timestamp(now))
        text = render(record, text)
        target = before.path
        moves = folder_for(record.scope, record.agent, record.storage)
        placed = any(name in fresh for name in ("scope", "agent", "storage"))
        if placed and f"/{moves}/" not in before.path:
            create_folder(f"{self.folder}/{moves}")
            target = f"{MEMORY}/{moves}/{before.path.rpartition('/')[2]}"
            if os.path.lexists(f"{self.root}/{target}"):
                raise SessionError(
                    f"There is a {target} already.", "Rename one of them.", errno.EEXIST
                )
        self._write(before.path, text)
        if target != before.path:  # a rename after the write: at no time are there two, or none
            self._rename(before.path, target)
        return uses.with_uses(parse(text, target), uses.read(self.root))

    def _found(self, id: str, reader: str) -> Record:
        record = self.get(id, reader)
        if record is None:
            raise _missing(id)
        return record

    def _move(self, record: Record, target: str) -> Record:
        full = f"{self.root}/{target}"
        create_folder(os.path.dirname(full))
        if os.path.lexists(full):  # of an id that was there before
            full = free_name(full.removesuffix(EXTENSION)) + EXTENSION
            target = full[len(self.root) + 1 :]
        self._rename(record.path, target)
        return record.replaced(path=target)

    def _read(self, path: str) -> tuple[Record | None, str]:
        data = read_bytes(f"{self.root}/{path}", _LIMIT)
        if data is None:
            return None, ""
        text = data.decode("utf-8", "surrogateescape")
        return parse(text, path), text

    def _write(self, path: str, text: str) -> None:
        data = text.encode("utf-8", "surrogateescape")
        atomic_write(f"{self.root}/{path}", data, durable=True)

    def _rename(self, path: str, target: str) -> None:
        try:
            os.rename(f"{self.root}/{path}", f"{self.root}/{target}")
        except OSError as error:
            raise failure("move", path, error) from error

    def _lock(self) -> Lock:
        create_folder(self.folder)
        return Lock(f"{self.folder}/store", PATIENCE)


def _inner(path: str) -> str:
    return path.removeprefix(f"{MEMORY}/")


def _without_number(path: str) -> str:
    """Where a record was that the archive had to give another name."""
    stem = path.removesuffix(EXTENSION)
    name = stem.rpartition("/")[2]
    if name.startswith("mem-") and name.count("-") > 4:
        stem = stem.rpartition("-")[0]
    return stem + EXTENSION


def _missing(id: str) -> SessionError:
    return SessionError(
        f"There is no memory {id}.", "`synapse memory list` shows those there are.", errno.ENOENT
    )
