"""Conversion of sessions of other tools (CARL, AIOS, AIOX) and of older schemas, with a rollback.

ADR-001 (D1, R6) names three stores that one replaces: CARL's ``.carl/sessions/``, the
``session-state.json`` of AIOS and AIOX, and the agent that was activated last, which belongs to no
session. Their files are read and never changed. Sessions of an older schema are converted in place.
A backup folder mirrors the paths of what it keeps, beside ``manifest.json``, which names every file
that was to be written with the SHA-256 of its content before and after; it is written before the
change.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from synapse_ls.formats import legacy_sessions as legacy
from synapse_ls.formats.session_file import SessionState, detect_schema
from synapse_ls.storage.atomic_files import (
    PRIVATE_FILE,
    FileLock,
    StorageError,
    atomic_write,
    read_bytes,
    remove_file,
    storage_error,
)
from synapse_ls.storage.session_archive import parse_moment
from synapse_ls.storage.session_changes import activate_agent, format_timestamp
from synapse_ls.storage.session_store import (
    EXTENSION,
    LOCK_TIMEOUT,
    create_folder,
    encode_session,
    free_name,
    ignore_in_git,
    is_session_file,
    keep_out_of_git,
    read_session,
    session_file_stem,
)
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.workspace.tree_folders import SESSIONS

_BACKUP_PREFIX = "backup-"
_MANIFEST_NAME = "manifest.json"
_MANIFEST_VERSION = 1
_BACKUP_LIMIT = 64_000_000  # bytes


@dataclass(frozen=True, slots=True)
class ConversionStep:
    """One file that a conversion of sessions writes: ``kind`` ("older", "carl", "aiox", "agent")
    says why.

    ``sources`` are the files that its content comes from, with what they hold. ``before`` is what
    the target holds now (None: it does not exist), ``after`` what it will hold. Paths are relative
    to the root, with ``/``.
    """

    kind: str
    sources: tuple[tuple[str, bytes], ...]
    target: str
    session_id: str
    before: bytes | None
    after: bytes


@dataclass(frozen=True, slots=True)
class Rollback:
    """What undoing a conversion of sessions, from the folder ``backup``, did to which files,
    relative to the root.
    """

    backup: str
    restored: tuple[str, ...]
    removed: tuple[str, ...]


def apply_steps(
    root: str, folder: str, steps: Iterable[ConversionStep], now: float
) -> tuple[str, tuple[ConversionStep, ...]]:
    """Carry out a conversion of sessions: backs up what ``steps`` touch under ``folder``, then
    write them; return that backup, and the steps that were not done.

    A step is not done if its target no longer holds what it was planned for. Raises StorageError;
    what was done by then can be rolled back.
    """
    steps = tuple(steps)
    # Create a new backup folder and return its path.
    digits = "".join(filter(str.isalnum, format_timestamp(now)))
    backup = os.path.join(folder, _BACKUP_PREFIX + digits)
    if os.path.lexists(backup):
        backup = free_name(backup)
    create_folder(backup, root)
    for step in steps:
        for source, data in step.sources:
            _copy_to_backup(root, backup, source, data)
        if step.before is not None:
            _copy_to_backup(root, backup, step.target, step.before)
    _write_manifest(root, backup, _build_manifest(steps, now))
    left = []
    for step in steps:
        target = _path_inside(root, step.target)
        with FileLock(target, LOCK_TIMEOUT, within=root):
            if read_bytes(target, _BACKUP_LIMIT, within=root) == step.before:
                atomic_write(target, step.after, within=root, durable=True, mode=PRIVATE_FILE)
            else:
                left.append(step)
    if left:
        _write_manifest(
            root, backup, _build_manifest([step for step in steps if step not in left], now)
        )
    return backup, tuple(left)


def _build_manifest(steps: Iterable[ConversionStep], now: float) -> dict[str, Any]:
    return {
        "version": _MANIFEST_VERSION,
        "created": format_timestamp(now),
        "rolled_back": None,
        "entries": [_manifest_entry(step) for step in steps],
    }


def _manifest_entry(step: ConversionStep) -> dict[str, Any]:
    return {
        "kind": step.kind,
        "session_id": step.session_id,
        "sources": {source: _content_digest(data) for source, data in step.sources},
        "target": step.target,
        "before": None if step.before is None else _content_digest(step.before),
        "after": _content_digest(step.after),
    }


def _content_digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def _copy_to_backup(root: str, backup: str, relative: str, data: bytes) -> None:
    path = _path_inside(backup, relative)
    create_folder(os.path.dirname(path), root)
    atomic_write(path, data, within=root, durable=True, mode=PRIVATE_FILE)


def _copied_files(entry: dict[str, Any]) -> dict[str, str]:
    """Return the files that the backup keeps for an entry, with their digests."""
    copies: dict[str, str] = dict(entry["sources"])
    if entry["before"] is not None:
        copies[entry["target"]] = entry["before"]
    return copies


def _read_copy(root: str, backup: str, relative: str, digest: str) -> bytes:
    """Return what the backup holds of a file; raise StorageError unless its digest is the noted
    one.
    """
    data = read_bytes(_path_inside(backup, relative), _BACKUP_LIMIT, within=root)
    if data is None or _content_digest(data) != digest:
        raise StorageError(
            f"The copy of {relative} in {backup} is missing or damaged.",
            "Take it from a backup of your own.",
        )
    return data


def _write_manifest(root: str, backup: str, manifest: dict[str, Any]) -> None:
    data = (dumps(manifest) + "\n").encode()
    path = os.path.join(backup, _MANIFEST_NAME)
    atomic_write(path, data, within=root, durable=True, mode=PRIVATE_FILE)


def _latest_backup(root: str, folder: str) -> tuple[str, dict[str, Any]]:
    """Return the last backup that was not rolled back, and its manifest."""
    try:
        names = sorted(os.listdir(folder), reverse=True)
    except FileNotFoundError:
        names = []
    except OSError as error:
        raise storage_error("read", folder, error) from error
    for name in names:
        if name.startswith(_BACKUP_PREFIX):
            backup = os.path.join(folder, name)
            manifest = _read_manifest(root, backup)
            if manifest is not None and manifest["rolled_back"] is None:
                return backup, manifest
    raise StorageError(f"There is no migration to roll back in {folder}.", "Nothing is to do.")


def _read_manifest(root: str, backup: str) -> dict[str, Any] | None:
    """Return the manifest; None if the backup was interrupted before anything was changed."""
    path = os.path.join(backup, _MANIFEST_NAME)
    data = read_bytes(path, _BACKUP_LIMIT, within=root)
    if data is None:
        return None
    try:
        manifest = loads(data.decode())
    except (JsonError, UnicodeDecodeError):
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("version") != _MANIFEST_VERSION:
        raise StorageError(
            f"{path} is not a manifest of version {_MANIFEST_VERSION}.", "Restore by hand."
        )
    return manifest


def _target_state(root: str, entry: dict[str, Any]) -> str:
    """Return what became of a target: "done", "undone", "missing" or "changed"."""
    data = read_bytes(_path_inside(root, entry["target"]), _BACKUP_LIMIT, within=root)
    digest = None if data is None else _content_digest(data)
    if digest == entry["after"]:
        return "done"
    if digest == entry["before"]:
        return "undone"
    return "missing" if digest is None else "changed"


def _undo_entry(root: str, backup: str, entry: dict[str, Any]) -> bool:
    """Restore a target to what it was; return whether anything had to be done."""
    target = _path_inside(root, entry["target"])
    if _target_state(root, entry) == "undone":
        return False
    with FileLock(target, LOCK_TIMEOUT, within=root, keep=entry["before"] is not None):
        if _target_state(root, entry) == "changed":
            raise StorageError(f"{target} was changed in this moment.", "Roll back once more.")
        if entry["before"] is None:
            remove_file(target, within=root)
        else:
            data = _read_copy(root, backup, entry["target"], entry["before"])
            atomic_write(target, data, within=root, durable=True)
    return True


def _path_inside(root: str, relative: str) -> str:
    """Return the path of ``relative`` under ``root``; raise StorageError for one that leads out of
    it, as in a manifest that was tampered with.
    """
    parts = relative.replace(os.sep, "/").split("/")
    if os.path.splitdrive(relative)[0] or {"", ".", ".."}.intersection(parts):
        raise StorageError(f"{relative!r} is not a path inside {root}.", "Restore by hand.")
    return os.path.join(root, *parts)


ACTIVE_AGENT = f"{SESSIONS}/_active-agent.json"
CARL_SESSIONS = ".carl/sessions"
AIOX_STATES = (".aios/session-state.json", ".aiox/session-state.json")

_SESSION_LIMIT = 4_000_000  # bytes

Session = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ConversionPlan:
    """What a conversion of sessions would do, and the files it leaves alone with the reason why."""

    steps: tuple[ConversionStep, ...]
    skipped: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ConversionResult:
    """What a conversion of sessions did; ``backup`` is the folder of its backup, "" if nothing was
    to do.
    """

    done: tuple[ConversionStep, ...]
    skipped: tuple[tuple[str, str], ...]
    backup: str


def plan_conversion(root: str, *, now: float) -> ConversionPlan:
    """Return what ``convert_sessions`` would do in the project folder ``root``; change nothing on
    disk.
    """
    return _ConversionPlanner(root, now).build_plan()


def convert_sessions(root: str, *, now: float) -> ConversionResult:
    """Convert the sessions that can be converted, after a backup in ``.synapse/sessions/backup-…``.

    Raises StorageError if the disk does not allow it.
    """
    plan = plan_conversion(root, now=now)
    if not plan.steps:
        return ConversionResult((), plan.skipped, "")
    folder = os.path.join(root, SESSIONS)
    create_folder(folder, root)
    ignore_in_git(folder, root)
    keep_out_of_git(folder, root)
    backup, left = apply_steps(root, folder, plan.steps, now)
    late = tuple(
        (source, f"{step.target} changed in the meantime")
        for step in left
        for source, _ in step.sources
    )
    done = tuple(step for step in plan.steps if step not in left)
    return ConversionResult(done, plan.skipped + late, backup)


def rollback_conversion(root: str, *, now: float) -> Rollback:
    """Undoe the last conversion of sessions in ``root``, byte for byte.

    Raises StorageError, and changes nothing, if a session has been used since.
    """
    backup, manifest = _latest_backup(root, os.path.join(root, SESSIONS))
    entries = manifest["entries"]
    changed = [entry["target"] for entry in entries if _target_state(root, entry) == "changed"]
    if changed:
        raise StorageError(
            f"Not rolled back: {', '.join(changed)} changed after the migration.",
            f"Move the changed files away, then roll back; {backup} keeps the originals.",
        )
    for entry in entries:
        for relative, digest in _copied_files(entry).items():
            _read_copy(root, backup, relative, digest)
    restored: list[str] = []
    removed: list[str] = []
    for entry in entries:
        if _undo_entry(root, backup, entry):
            (removed if entry["before"] is None else restored).append(entry["target"])
        for relative, digest in entry["sources"].items():
            source = _path_inside(root, relative)
            if not os.path.lexists(source):
                create_folder(os.path.dirname(source), root)
                data = _read_copy(root, backup, relative, digest)
                atomic_write(source, data, within=root, durable=True)
                restored.append(relative)
    _write_manifest(root, backup, {**manifest, "rolled_back": format_timestamp(now)})
    return Rollback(backup, tuple(restored), tuple(removed))


@dataclass(slots=True)
class _SessionDraft:
    """A session file as it will be: one that nothing has to be done to has no sources."""

    kind: str
    target: str
    session: SessionState
    before: bytes | None
    sources: dict[str, bytes]

    def to_step(self) -> ConversionStep:
        return ConversionStep(
            kind=self.kind,
            sources=tuple(self.sources.items()),
            target=self.target,
            session_id=self.session.id,
            before=self.before,
            after=encode_session(self.session),
        )


class _ConversionPlanner:
    """Collects the drafts of one plan; a later source never takes the place of an earlier one."""

    def __init__(self, root: str, now: float) -> None:
        self.root = root
        self.now = now
        self.drafts: dict[str, _SessionDraft] = {}
        self.skipped: list[tuple[str, str]] = []

    def build_plan(self) -> ConversionPlan:
        for source in self._session_files(SESSIONS):
            # A session of ours: of today's schema, or to be converted where it is.
            session = read_session(self._full_path(source), self.root)
            if session.session is None or session.data is None:
                self.skipped.append((source, session.problem))
                continue
            sources = {source: session.data} if session.problem else {}
            self.drafts[source] = _SessionDraft(
                "older", source, session.session, session.data, sources
            )
        for source in self._session_files(CARL_SESSIONS):
            self._add_foreign("carl", source, _convert_carl)
        for source in AIOX_STATES:
            self._add_foreign("aiox", source, legacy.session_from_aiox)
        self._add_active_agent()
        steps = tuple(draft.to_step() for draft in self.drafts.values() if draft.sources)
        return ConversionPlan(steps, tuple(self.skipped))

    def _add_foreign(
        self, kind: str, source: str, convert: Callable[[Session], SessionState]
    ) -> None:
        """Add a session of another tool, converted if there is none of its id."""
        document, data = self._read_object(source)
        if document is None:
            return
        is_session = detect_schema(document) == kind
        session = convert(document) if is_session else None
        if session is None or not session.id:
            self.skipped.append((source, f"holds no session of {kind.upper()}"))
            return
        target = f"{SESSIONS}/{session_file_stem(session.id)}{EXTENSION}"
        if target in self.drafts or os.path.lexists(self._full_path(target)):
            self.skipped.append((source, f"{target} is there already"))
            return
        self.drafts[target] = _SessionDraft(kind, target, session, None, {source: data})

    def _add_active_agent(self) -> None:
        """Give the agent without a session to the latest session, if that never had one."""
        document, data = self._read_object(ACTIVE_AGENT)
        if document is None:
            return
        agent, since = document.get("id"), parse_moment(document.get("activated_at"))
        latest = max(self.drafts.values(), key=_draft_activity, default=None)
        if not isinstance(agent, str) or not agent:
            reason = "names no agent"
        elif latest is None:
            reason = "there is no session that it could belong to"
        elif latest.session.agent.id or latest.session.history.agents:
            reason = f"{latest.target} has an agent of its own"
        elif since is None or since < (parse_moment(latest.session.started) or 0.0):
            reason = f"it was not activated in {latest.target}"
        else:
            quality = str(document.get("activation_quality") or "fallback")
            activate_agent(latest.session, agent, quality=quality, now=since)
            latest.kind = latest.kind if latest.sources else "agent"
            latest.sources[ACTIVE_AGENT] = data
            return
        self.skipped.append((ACTIVE_AGENT, reason))

    def _read_object(self, source: str) -> tuple[Session | None, bytes]:
        """Return the object in a file of another tool, and its bytes; None if it is none, or
        missing.
        """
        try:
            data = read_bytes(self._full_path(source), _SESSION_LIMIT, within=self.root)
        except StorageError as error:
            self.skipped.append((source, error.sentence))
            return None, b""
        if data is None:
            return None, b""
        try:
            document = loads(data.decode())
        except (JsonError, UnicodeDecodeError) as error:
            self.skipped.append((source, f"is not JSON ({error})"))
            return None, data
        if not isinstance(document, dict):
            self.skipped.append((source, "holds no JSON object"))
            return None, data
        return document, data

    def _session_files(self, folder: str) -> list[str]:
        """Return the session files in ``folder``, relative to the root, in the order of their
        names.
        """
        path = self._full_path(folder)
        try:
            names = sorted(os.listdir(path))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise storage_error("read", path, error) from error
        return [f"{folder}/{name}" for name in names if is_session_file(name)]

    def _full_path(self, relative: str) -> str:
        return os.path.join(self.root, *relative.split("/"))


def _convert_carl(document: Session) -> SessionState:
    """Convert a CARL session. CARL writes local time without saying so; which zone that is, only
    this machine knows.
    """
    dates = {field: parse_moment(document.get(field)) for field in ("started", "last_activity")}
    moments = {field: format_timestamp(at) for field, at in dates.items() if at is not None}
    return legacy.session_from_carl({**document, **moments})


def _draft_activity(draft: _SessionDraft) -> float:
    return parse_moment(draft.session.last_activity) or 0.0
