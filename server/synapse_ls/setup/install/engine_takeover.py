"""Take over from another engine: its memories, inactive triggers and rule files.

The other engine's files are never run or changed. A memory with front matter is copied byte for
byte; a list item or pitfall becomes a record that names its source. Existing ones are skipped, so
that the migration can be repeated and undone.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from synapse_ls.edits.config_edits import LIVE_PROFILE, choose_profile
from synapse_ls.engine.context_usage import estimate_tokens
from synapse_ls.integrations import hook_commands, hook_registrations, settings_registry
from synapse_ls.integrations.client_settings import USER, Client, Surroundings
from synapse_ls.memory import foreign_memories
from synapse_ls.memory.memory_paths import (
    EXTENSION,
    MEMORY,
    is_record_file,
    next_free_id,
    record_folder,
)
from synapse_ls.memory.memory_record import Record, meaning_key, parse_record, render_record
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.setup.doctor.hook_trial import CanaryReply, send_alone, unsent_reply
from synapse_ls.setup.doctor.registration_checks import RivalHook, find_rivals
from synapse_ls.setup.install import hook_installation, settings_backup
from synapse_ls.setup.session_conversion import convert_sessions, plan_conversion
from synapse_ls.storage import atomic_files, session_store
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.text.iso_time import parse_instant
from synapse_ls.text.phrases import format_count
from synapse_ls.workspace import outside_links, tree_folders
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.file_reader import RefusedError, read_inside
from synapse_ls.workspace.tree_loader import load_tree

# What a migration has written: path -> where it comes from, and the SHA-256 of its content.
NOTES_PATH = f"{MEMORY}/migrated.json"

_LOCK_NAME = f"store{atomic_files.LOCK_SUFFIX}"
_LIMIT = 1_000_000  # bytes
_LOCK_PATIENCE = 10.0  # seconds


@dataclass(frozen=True, slots=True)
class MemoryMove:
    """A memory that is migrated. source: its file, from the root. text: what is written.

    existing: id of the record here that says the same, "" for none; then nothing is written.
    """

    source: str
    record: Record
    text: str
    existing: str = ""


@dataclass(frozen=True, slots=True)
class MigratedMemory:
    """A memory that was migrated: where it comes from, and its file here."""

    source: str
    path: str


def plan_moves(root: str) -> list[MemoryMove]:
    """Return what there is to migrate, by file, and what of it is here already."""
    store = MemoryStore(root, chati=False)
    known_records = (*store.records(), *store.archived_records())
    ids = {meaning_key(record): record.id for record in known_records}
    moves: list[MemoryMove] = []
    # Chati's pitfalls are among its files. Links are not followed.
    pitfalls = (p for p in foreign_memories.AIOX_FILES if foreign_memories.is_file(f"{root}/{p}"))
    for source in (*foreign_memories.chati_files(root), *pitfalls):
        data = atomic_files.read_bytes(f"{root}/{source}", _LIMIT, within=root)
        text = (data or b"").decode("utf-8", "surrogateescape")
        is_aiox = source in foreign_memories.AIOX_FILES
        parse = foreign_memories.parse_pitfalls if is_aiox else foreign_memories.parse_chati
        records = parse(text, source)
        for record in records:
            key = meaning_key(record)
            existing = ids.get(key, "")
            ids.setdefault(key, record.id or source)
            if len(records) == 1 and source.endswith(EXTENSION) and not record.source:
                moves.append(MemoryMove(source, record, text, existing))
                continue
            origin = f"{source}, {record.id}" if record.id and not record.source else record.source
            migrated = record.with_fields(source=origin or source)
            moves.append(MemoryMove(source, migrated, render_record(migrated), existing))
    return moves


def write_moves(
    root: str, planned_moves: Iterable[MemoryMove], *, now: float, on_behalf_of: str = ""
) -> list[MigratedMemory]:
    """Write the memories that are not here yet; raise StorageError.

    on_behalf_of: what brings them, noted with each for `undo_migration`.
    """
    if not (todo := [move for move in planned_moves if not move.existing]):
        return []
    folder = f"{root}/{MEMORY}"
    session_store.create_folder(folder, root)
    session_store.ignore_in_git(folder, root)
    session_store.keep_out_of_git(folder, root, session_store.IGNORE_BOOKKEEPING)
    brought: list[MigratedMemory] = []
    with atomic_files.FileLock(f"{folder}/store", _LOCK_PATIENCE, within=root):
        notes = _read_notes(root)
        for move in todo:
            record = move.record
            inner = f"{MEMORY}/{record_folder(record.scope, record.agent, record.storage)}"
            path, text = f"{inner}/{record.id}{EXTENSION}", move.text
            is_name = record.id.startswith("mem-") and os.path.basename(record.id) == record.id
            is_free = is_name and not os.path.lexists(f"{root}/{path}")
            if not is_free or MemoryStore(root, chati=False).get(record.id) is not None:
                # A new id, where its own is taken or is none.
                moment = record.created if parse_instant(record.created) is not None else ""
                id = next_free_id((moment or format_timestamp(now))[:10], root)
                path = f"{inner}/{id}{EXTENSION}"
                text = render_record(parse_record(text, path).with_fields(id=id), text)
            session_store.create_folder(os.path.dirname(f"{root}/{path}"), root)
            data = text.encode("utf-8", "surrogateescape")
            notes[path] = {"source": move.source, "sha256": settings_backup.content_digest(data)}
            if on_behalf_of:
                notes[path]["on_behalf_of"] = on_behalf_of
            # First the note, so that whatever was written can be taken back.
            _write_notes(root, notes)
            target, source = f"{root}/{path}", f"{root}/{move.source}"
            atomic_files.atomic_write(target, data, within=root, durable=True, source=source)
            brought.append(MigratedMemory(move.source, path))
    return brought


def undo_migration(root: str, *, on_behalf_of: str = "") -> tuple[list[MigratedMemory], list[str]]:
    """Remove what migrations have brought; what was changed since stays, and is named.

    on_behalf_of: only what was brought by this, "" for all. Folders that are empty then go too.
    """
    removed: list[MigratedMemory] = []
    changed_paths: list[str] = []
    if not os.path.exists(f"{root}/{NOTES_PATH}"):
        return removed, changed_paths
    with atomic_files.FileLock(f"{root}/{MEMORY}/store", _LOCK_PATIENCE, within=root):
        notes = _read_notes(root)
        for path, note in list(notes.items()):
            if on_behalf_of and note.get("on_behalf_of") != on_behalf_of:
                continue
            data = atomic_files.read_bytes(f"{root}/{path}", _LIMIT, within=root)
            if data is not None and settings_backup.content_digest(data) != note["sha256"]:
                changed_paths.append(path)
                continue
            if data is not None:
                atomic_files.remove_file(f"{root}/{path}", within=root)
                removed.append(MigratedMemory(note["source"], path))
                # Remove the folders of a memory that is gone, up to the store, as far as they are
                # empty.
                folder = path.rpartition("/")[0]
                while folder != MEMORY and atomic_files.remove_folder(
                    f"{root}/{folder}", within=root
                ):
                    folder = folder.rpartition("/")[0]
            del notes[path]
        if notes:
            _write_notes(root, notes)
        else:
            atomic_files.remove_file(f"{root}/{NOTES_PATH}", within=root)
    bookkeeping = {_LOCK_NAME, session_store.GITIGNORE}
    if (names := set(outside_links.list_names(root, MEMORY))) and names <= bookkeeping:
        for name in names:
            atomic_files.remove_file(f"{root}/{MEMORY}/{name}", within=root)
        atomic_files.remove_folder(f"{root}/{MEMORY}", within=root)
    return removed, changed_paths


def _read_notes(root: str) -> dict[str, dict[str, str]]:
    if (data := atomic_files.read_bytes(f"{root}/{NOTES_PATH}", _LIMIT, within=root)) is None:
        return {}
    try:
        value: Any = loads(data.decode())
    except (JsonError, UnicodeDecodeError) as error:
        raise atomic_files.StorageError(
            f"{NOTES_PATH} cannot be read: {error}.",
            "Move it away; nothing can be taken back then.",
        ) from error
    if not isinstance(value, dict):
        return {}
    return {
        path: note
        for path, note in value.items()
        if _is_memory_path(path) and isinstance(note, dict) and {"source", "sha256"} <= note.keys()
    }


def _is_memory_path(path: str) -> bool:
    """Return whether a path is that of a memory: the notes may be a repository's, and no other file
    is removed for them.
    """
    folder, _, name = path.rpartition("/")
    return (
        folder.startswith(f"{MEMORY}/") and ".." not in folder.split("/") and is_record_file(name)
    )


def _write_notes(root: str, notes: dict[str, dict[str, str]]) -> None:
    atomic_files.atomic_write(
        f"{root}/{NOTES_PATH}", (dumps(notes) + "\n").encode(), within=root, durable=True
    )


_NO_RULES = ("config.toml", ".gitignore")
_INSTALLATION = "install"  # who has brought memories
_MEMORIES_BACK = (
    f"`synapse uninstall` takes them back. To share them with others, commit {MEMORY}/; git leaves "
    "out what the program keeps there for itself"
)
_SESSIONS_BACK = "`synapse session migrate --rollback` takes them back"


@dataclass(frozen=True, slots=True)
class EngineFiles:
    """The rule files that an engine reads from which we take over: how many in which folder, and
    their tokens.
    """

    engine: str
    folder: str
    count: int
    tokens: int


def find_engines(clients: Iterable[Client], around: Surroundings) -> list[RivalHook]:
    """Return the hooks of the engines from which an installation can take over, those that these
    clients run, each once.
    """
    rivals = {
        (rival.file, rival.line, rival.event): rival
        for client in clients
        for rival in find_rivals(client, around)
        if rival.engine
    }
    return list(rivals.values())


def import_memory(root: str, *, now: float, write: bool) -> Iterator[str]:
    """Import, when an installation takes over from another engine, gotchas and sessions of other
    tools, whose files stay as they are, and yield a sentence for each kind, without ``write`` what
    would be imported. Raises StorageError.
    """
    moves = plan_moves(root)
    if write:
        memories = len(write_moves(root, moves, now=now, on_behalf_of=_INSTALLATION))
        sessions = len(convert_sessions(root, now=now).steps)
    else:
        memories = sum(not move.existing for move in moves)
        sessions = len(plan_conversion(root).steps)
    gotchas = f"{format_count(memories, 'gotcha')} (pitfalls that another tool noted) as memories"
    for count, what, back in (
        (memories, gotchas, _MEMORIES_BACK),
        (sessions, format_count(sessions, "session"), _SESSIONS_BACK),
    ):
        if count:
            yield f"imported {what}; {back}" if write else f"would import {what}"


def forget_import(around: Surroundings) -> list[str]:
    """Take back the memories that an installation has imported, once no client of the project calls
    the hook any more; return how many have gone, and a sentence for each one that stays. Raises
    StorageError.
    """
    if any(
        registration.scope != USER
        for client in settings_registry.CLIENTS.values()
        for registration in hook_registrations.find_registrations(around, client)
    ):
        return []
    removed, changed_paths = undo_migration(str(around.root), on_behalf_of=_INSTALLATION)
    count = format_count(len(removed), "memory", "memories")
    notes = [f"{count} that the installation had imported went, too"] if removed else []
    return notes + [f"{p} was changed since the installation, so it stays" for p in changed_paths]


def plan_live_profile(around: Surroundings, scope: str) -> hook_installation.SettingsChange | None:
    """Return the change that has, after a takeover, every trigger heard in every bracket; None
    where there is none. An uninstallation takes it back.
    """
    tree = load_tree(str(around.root), LoadScope.PROMPT).tree
    for edit in choose_profile(tree, LIVE_PROFILE).edits:
        return hook_installation.plan_file_change(around, tree_folders.CONFIG, edit.after, scope)
    return None


def engine_files(root: str, engines: Iterable[str]) -> Iterator[EngineFiles]:
    """Yield what the rule files of the engines come to from which we take over; nothing for one
    that has none here.
    """
    for engine in dict.fromkeys(engines):
        folder = tree_folders.CARL if engine == hook_commands.CARL_HOOK else tree_folders.TREE
        tokens = []
        for name in outside_links.list_names(root, folder):
            is_rules = name not in _NO_RULES and os.path.isfile(f"{root}/{folder}/{name}")
            with suppress(RefusedError):
                if is_rules and (content := read_inside(root, f"{folder}/{name}")) is not None:
                    tokens.append(estimate_tokens(content.decoded.text))
        if tokens:
            yield EngineFiles(engine, folder, len(tokens), sum(tokens))


def first_reply(clients: Iterable[Client], scope: str, around: Surroundings) -> CanaryReply | None:
    """Return what the hook tells, after a takeover, the first of these clients for a prompt that
    begins a session; None where none of them is registered.
    """
    for client in clients:
        for registration in hook_registrations.find_registrations(around, client):
            if (registration.scope, registration.event) != (scope, client.prompt):
                continue
            if missing := hook_registrations.missing_program(registration, around):
                return unsent_reply(registration, missing.reason)
            return send_alone(client, registration, around)
    return None
