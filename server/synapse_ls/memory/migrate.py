"""Bringing what other tools remember here: Chati's memories, agents' ``MEMORY.md``, and pitfalls.

Their files stay as they are. A memory with front matter is copied byte for byte; an item of a list
and a pitfall become a record that names where it comes from. What is here already is not brought
again, so a migration can be repeated, and it can be taken back.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from synapse_ls.memory.drafts import saying
from synapse_ls.memory.places import EXTENSION, MEMORY, folder_for, free_id
from synapse_ls.memory.readers import chati, gotchas
from synapse_ls.memory.record import Record, parse, render
from synapse_ls.memory.store import MemoryStore
from synapse_ls.sessions.changes import timestamp
from synapse_ls.sessions.files import Lock, SessionError, atomic_write, read_bytes
from synapse_ls.sessions.store import create_folder, ignore_in_git
from synapse_ls.text.json import JsonError, dumps, loads

NOTES = f"{MEMORY}/migrated.json"
"""What a migration has written: path -> where it comes from, and the SHA-256 of its content."""

_LIMIT = 1_000_000  # bytes
_PATIENCE = 10.0  # seconds


@dataclass(frozen=True, slots=True)
class Move:
    """A memory that is brought. source: its file, from the root. text: what is written.

    there: id of the record here that says the same, "" for none; then nothing is written.
    """

    source: str
    record: Record
    text: str
    there: str = ""


@dataclass(frozen=True, slots=True)
class Brought:
    """A memory that was brought: where it comes from, and its file here."""

    source: str
    path: str


def moves(root: str) -> list[Move]:
    """What there is to bring, by file, and what of it is here already."""
    store = MemoryStore(root)
    known = {saying(record): record.id for record in (*store.records(), *store.archived())}
    found: list[Move] = []
    for source in (*chati.files(root), *_pitfalls(root)):
        data = read_bytes(f"{root}/{source}", _LIMIT)
        text = (data or b"").decode("utf-8", "surrogateescape")
        for record, written in _records(text, source):
            said = saying(record)
            found.append(Move(source, record, written, known.get(said, "")))
            known.setdefault(said, record.id or source)
    return found


def _pitfalls(root: str) -> Iterator[str]:
    """The pitfalls of AIOX; Chati's are among its files. Links are not followed."""
    yield from (path for path in gotchas.AIOX if chati.is_file(f"{root}/{path}"))


def _records(text: str, source: str) -> Iterator[tuple[Record, str]]:
    """The records of a file, each with the text that its own file will have."""
    reader = gotchas if source in gotchas.AIOX else chati
    found = reader.parse(text, source)
    for record in found:
        whole = len(found) == 1 and source.endswith(EXTENSION) and not record.source
        if whole:
            yield record, text
        else:
            told = f"{source}, {record.id}" if record.id and not record.source else record.source
            made = record.replaced(source=told or source)
            yield made, render(made)


def carry_out(root: str, wanted: Iterable[Move], *, now: float) -> list[Brought]:
    """Write what is not here yet; raises SessionError."""
    todo = [move for move in wanted if not move.there]
    if not todo:
        return []
    folder = f"{root}/{MEMORY}"
    create_folder(folder)
    ignore_in_git(folder)
    brought: list[Brought] = []
    with Lock(f"{folder}/store", _PATIENCE):
        notes = _notes(root)
        for move in todo:
            path, text = _placed(root, move, now)
            create_folder(os.path.dirname(f"{root}/{path}"))
            data = text.encode("utf-8", "surrogateescape")
            atomic_write(f"{root}/{path}", data, durable=True)
            notes[path] = {"source": move.source, "sha256": sha256(data).hexdigest()}
            brought.append(Brought(move.source, path))
            _note(root, notes)  # after each, so that what was written can always be taken back
    return brought


def _placed(root: str, move: Move, now: float) -> tuple[str, str]:
    """Where a memory goes, and its text there: with a new id where its own is taken or is none."""
    record = move.record
    inner = folder_for(record.scope, record.agent, record.storage)
    name = f"{record.id}{EXTENSION}"
    own = record.id.startswith("mem-") and not os.path.lexists(f"{root}/{MEMORY}/{inner}/{name}")
    if own and MemoryStore(root).get(record.id) is None:
        return f"{MEMORY}/{inner}/{name}", move.text
    id = free_id(f"{root}/{MEMORY}", (record.created or timestamp(now))[:10])
    path = f"{MEMORY}/{inner}/{id}{EXTENSION}"
    return path, render(parse(move.text, path).replaced(id=id), move.text)


def take_back(root: str) -> tuple[list[Brought], list[str]]:
    """Remove what migrations have brought; what was changed since stays, and is named."""
    removed: list[Brought] = []
    kept: list[str] = []
    if not os.path.exists(f"{root}/{NOTES}"):
        return removed, kept
    with Lock(f"{root}/{MEMORY}/store", _PATIENCE):
        notes = _notes(root)
        for path, note in list(notes.items()):
            data = read_bytes(f"{root}/{path}", _LIMIT)
            if data is not None and sha256(data).hexdigest() != note["sha256"]:
                kept.append(path)
                continue
            if data is not None:
                os.unlink(f"{root}/{path}")
                removed.append(Brought(note["source"], path))
            del notes[path]
        _note(root, notes)
    return removed, kept


def _notes(root: str) -> dict[str, dict[str, str]]:
    data = read_bytes(f"{root}/{NOTES}", _LIMIT)
    if data is None:
        return {}
    try:
        value: Any = loads(data.decode())
    except (JsonError, UnicodeDecodeError) as error:
        raise SessionError(
            f"{NOTES} cannot be read: {error}.", "Move it away; nothing can be taken back then."
        ) from error
    return value if isinstance(value, dict) else {}


def _note(root: str, notes: dict[str, dict[str, str]]) -> None:
    atomic_write(f"{root}/{NOTES}", (dumps(notes) + "\n").encode(), durable=True)
