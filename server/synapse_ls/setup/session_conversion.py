"""Convert sessions of other tools (CARL, AIOS, AIOX) and of older schemas, with a rollback.

ADR-001 (D1, R6) replaces CARL's ``.carl/sessions/``, the ``session-state.json`` of AIOS and AIOX,
and the last activated agent, which belongs to no session. Those files are never changed; sessions
of an older schema are converted in place. A backup folder mirrors the paths, with a
``manifest.json`` of SHA-256 digests before and after, written before the change.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from synapse_ls.formats import legacy_sessions as legacy
from synapse_ls.formats.session_file import SessionState, detect_schema
from synapse_ls.storage import atomic_files, session_store
from synapse_ls.storage.session_archive import parse_moment
from synapse_ls.storage.session_changes import activate_agent, format_timestamp
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.workspace.tree_folders import SESSIONS

ACTIVE_AGENT = f"{SESSIONS}/_active-agent.json"
CARL_SESSIONS = ".carl/sessions"
AIOX_STATES = (".aios/session-state.json", ".aiox/session-state.json")

_BACKUP_PREFIX = "backup-"
_MANIFEST_NAME = "manifest.json"
_MANIFEST_VERSION = 1
_BACKUP_LIMIT = 64_000_000  # bytes
_SESSION_LIMIT = 4_000_000  # bytes

Session = dict[str, Any]


@dataclass(slots=True)
class ConversionStep:
    """One file that a conversion of sessions writes: ``kind`` ("older", "carl", "aiox", "agent")
    says why.

    ``sources`` are the files that its content comes from, with what they hold; without any, nothing
    has to be done. ``before`` is what the target holds now (None: it does not exist). Paths are
    relative to the root, with ``/``.
    """

    kind: str
    target: str
    session: SessionState
    before: bytes | None
    sources: dict[str, bytes]

    @property
    def session_id(self) -> str:
        """The id of the session."""
        return self.session.id

    @property
    def after(self) -> bytes:
        """What the target will hold."""
        return session_store.encode_session(self.session)

    @property
    def last_activity(self) -> float:
        """When the session was used last, in seconds since the epoch; 0 where it does not say."""
        return parse_moment(self.session.last_activity) or 0.0


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a conversion of sessions would do or did, and the files it leaves alone with the reason
    why; ``backup`` is the folder of its backup, "" where nothing was done.
    """

    steps: tuple[ConversionStep, ...]
    skipped: tuple[tuple[str, str], ...]
    backup: str = ""


@dataclass(frozen=True, slots=True)
class Rollback:
    """What undoing a conversion of sessions, from the folder ``backup``, did to which files,
    relative to the root.
    """

    backup: str
    restored: tuple[str, ...]
    removed: tuple[str, ...]


def plan_conversion(root: str) -> Conversion:
    """Return what ``convert_sessions`` would do in the project folder ``root``; change nothing on
    disk.
    """
    planner = _ConversionPlanner(root)
    for source in planner.session_files(SESSIONS):
        # A session of ours: of today's schema, or to be converted where it is.
        session = session_store.read_session(planner.full_path(source), root)
        if session.session is None or session.data is None:
            planner.skipped.append((source, session.problem))
            continue
        sources = {source: session.data} if session.problem else {}
        step = ConversionStep("older", source, session.session, session.data, sources)
        planner.steps[source] = step
    for source in planner.session_files(CARL_SESSIONS):
        planner.add_foreign("carl", source)
    for source in AIOX_STATES:
        planner.add_foreign("aiox", source)
    planner.add_active_agent()
    steps = tuple(step for step in planner.steps.values() if step.sources)
    return Conversion(steps, tuple(planner.skipped))


def convert_sessions(root: str, *, now: float) -> Conversion:
    """Convert the sessions that can be converted, after a backup in ``.synapse/sessions/backup-…``.

    A step is not done if its target no longer holds what it was planned for. Raises StorageError if
    the disk does not allow it; what was done by then can be rolled back.
    """
    plan = plan_conversion(root)
    if not plan.steps:
        return plan
    folder = os.path.join(root, SESSIONS)
    session_store.create_folder(folder, root)
    session_store.ignore_in_git(folder, root)
    session_store.keep_out_of_git(folder, root)
    digits = "".join(filter(str.isalnum, format_timestamp(now)))
    backup = os.path.join(folder, _BACKUP_PREFIX + digits)
    if os.path.lexists(backup):
        backup = session_store.free_name(backup)
    session_store.create_folder(backup, root)
    for step in plan.steps:
        copies = step.sources if step.before is None else {**step.sources, step.target: step.before}
        for relative, data in copies.items():
            path = _path_inside(backup, relative)
            session_store.create_folder(os.path.dirname(path), root)
            atomic_files.atomic_write(
                path, data, within=root, durable=True, mode=atomic_files.PRIVATE_FILE
            )
    _write_manifest(root, backup, _build_manifest(plan.steps, now))
    done: list[ConversionStep] = []
    late: list[tuple[str, str]] = []
    for step in plan.steps:
        target = _path_inside(root, step.target)
        with atomic_files.FileLock(target, session_store.LOCK_TIMEOUT, within=root):
            if atomic_files.read_bytes(target, _BACKUP_LIMIT, within=root) == step.before:
                atomic_files.atomic_write(
                    target, step.after, within=root, durable=True, mode=atomic_files.PRIVATE_FILE
                )
                done.append(step)
            else:
                late += ((path, f"{step.target} changed in the meantime") for path in step.sources)
    if late:
        _write_manifest(root, backup, _build_manifest(done, now))
    return Conversion(tuple(done), (*plan.skipped, *late), backup)


def rollback_conversion(root: str, *, now: float) -> Rollback:
    """Undo the last conversion of sessions in ``root``, byte for byte.

    Raises StorageError, and changes nothing, if a session has been used since.
    """
    backup, manifest = _latest_backup(root)
    entries = manifest["entries"]
    changed = [entry["target"] for entry in entries if _target_state(root, entry) == "changed"]
    if changed:
        raise atomic_files.StorageError(
            f"Not rolled back: {', '.join(changed)} changed after the migration.",
            f"Move the changed files away, then roll back; {backup} keeps the originals.",
        )
    for entry in entries:
        for relative, digest in entry["sources"].items():
            _read_copy(root, backup, relative, digest)
        if entry["before"] is not None:
            _read_copy(root, backup, entry["target"], entry["before"])
    restored: list[str] = []
    removed: list[str] = []
    for entry in entries:
        relative, before = entry["target"], entry["before"]
        target = _path_inside(root, relative)
        if _target_state(root, entry) != "undone":
            with atomic_files.FileLock(
                target, session_store.LOCK_TIMEOUT, within=root, keep=before is not None
            ):
                if _target_state(root, entry) == "changed":
                    raise atomic_files.StorageError(
                        f"{target} was changed in this moment.", "Roll back once more."
                    )
                if before is None:
                    atomic_files.remove_file(target, within=root)
                else:
                    data = _read_copy(root, backup, relative, before)
                    atomic_files.atomic_write(target, data, within=root, durable=True)
            (removed if before is None else restored).append(relative)
        for relative, digest in entry["sources"].items():
            source = _path_inside(root, relative)
            if not os.path.lexists(source):
                session_store.create_folder(os.path.dirname(source), root)
                data = _read_copy(root, backup, relative, digest)
                atomic_files.atomic_write(source, data, within=root, durable=True)
                restored.append(relative)
    _write_manifest(root, backup, {**manifest, "rolled_back": format_timestamp(now)})
    return Rollback(backup, tuple(restored), tuple(removed))


def _build_manifest(steps: Iterable[ConversionStep], now: float) -> dict[str, Any]:
    return {
        "version": _MANIFEST_VERSION,
        "created": format_timestamp(now),
        "rolled_back": None,
        "entries": [
            {
                "kind": step.kind,
                "session_id": step.session_id,
                "sources": {source: _content_digest(data) for source, data in step.sources.items()},
                "target": step.target,
                "before": _content_digest(step.before),
                "after": _content_digest(step.after),
            }
            for step in steps
        ],
    }


def _content_digest(data: bytes | None) -> str | None:
    return None if data is None else sha256(data).hexdigest()


def _read_copy(root: str, backup: str, relative: str, digest: str) -> bytes:
    """Return what the backup holds of a file; raise StorageError unless its digest is the noted
    one.
    """
    data = atomic_files.read_bytes(_path_inside(backup, relative), _BACKUP_LIMIT, within=root)
    if data is None or _content_digest(data) != digest:
        raise atomic_files.StorageError(
            f"The copy of {relative} in {backup} is missing or damaged.",
            "Take it from a backup of your own.",
        )
    return data


def _write_manifest(root: str, backup: str, manifest: dict[str, Any]) -> None:
    data = (dumps(manifest) + "\n").encode()
    path = os.path.join(backup, _MANIFEST_NAME)
    atomic_files.atomic_write(path, data, within=root, durable=True, mode=atomic_files.PRIVATE_FILE)


def _latest_backup(root: str) -> tuple[str, dict[str, Any]]:
    """Return the last backup that was not rolled back, and its manifest. One without a manifest was
    interrupted before anything was changed.
    """
    folder = os.path.join(root, SESSIONS)
    for name in reversed(_names_in(folder)):
        backup = os.path.join(folder, name)
        path = os.path.join(backup, _MANIFEST_NAME)
        is_backup = name.startswith(_BACKUP_PREFIX)
        data = atomic_files.read_bytes(path, _BACKUP_LIMIT, within=root) if is_backup else None
        if data is None:
            continue
        try:
            manifest = loads(data.decode())
        except (JsonError, UnicodeDecodeError):
            manifest = None
        if not isinstance(manifest, dict) or manifest.get("version") != _MANIFEST_VERSION:
            raise atomic_files.StorageError(
                f"{path} is not a manifest of version {_MANIFEST_VERSION}.", "Restore by hand."
            )
        if manifest["rolled_back"] is None:
            return backup, manifest
    raise atomic_files.StorageError(
        f"There is no migration to roll back in {folder}.", "Nothing is to do."
    )


def _target_state(root: str, entry: dict[str, Any]) -> str:
    """Return what became of a target: "done", "undone", "missing" or "changed"."""
    data = atomic_files.read_bytes(_path_inside(root, entry["target"]), _BACKUP_LIMIT, within=root)
    digest = _content_digest(data)
    if digest == entry["after"]:
        return "done"
    if digest == entry["before"]:
        return "undone"
    return "missing" if digest is None else "changed"


def _path_inside(root: str, relative: str) -> str:
    """Return the path of ``relative`` under ``root``; raise StorageError for one that leads out of
    it, as in a manifest that was tampered with.
    """
    parts = relative.replace(os.sep, "/").split("/")
    if os.path.splitdrive(relative)[0] or {"", ".", ".."}.intersection(parts):
        raise atomic_files.StorageError(
            f"{relative!r} is not a path inside {root}.", "Restore by hand."
        )
    return os.path.join(root, *parts)


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise atomic_files.storage_error("read", folder, error) from error


class _ConversionPlanner:
    """Collector of the steps of one plan; a later source never takes the place of an earlier one."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.steps: dict[str, ConversionStep] = {}
        self.skipped: list[tuple[str, str]] = []

    def add_foreign(self, kind: str, source: str) -> None:
        """Add a session of another tool, converted if there is none of its id."""
        document, data = self._read_object(source)
        if document is None:
            return
        session = None
        if detect_schema(document) == kind == "aiox":
            session = legacy.session_from_aiox(document)
        elif detect_schema(document) == kind:
            # CARL writes local time without saying so; which zone that is, only this machine knows.
            dates = {
                name: parse_moment(document.get(name)) for name in ("started", "last_activity")
            }
            moments = {name: format_timestamp(at) for name, at in dates.items() if at is not None}
            session = legacy.session_from_carl({**document, **moments})
        if session is None or not session.id:
            self.skipped.append((source, f"holds no session of {kind.upper()}"))
            return
        target = (
            f"{SESSIONS}/{session_store.session_file_stem(session.id)}{session_store.EXTENSION}"
        )
        if target in self.steps or os.path.lexists(self.full_path(target)):
            self.skipped.append((source, f"{target} is there already"))
            return
        self.steps[target] = ConversionStep(kind, target, session, None, {source: data})

    def add_active_agent(self) -> None:
        """Give the agent without a session to the latest session, if that never had one."""
        document, data = self._read_object(ACTIVE_AGENT)
        if document is None:
            return
        agent, since = document.get("id"), parse_moment(document.get("activated_at"))
        latest = max(self.steps.values(), key=lambda step: step.last_activity, default=None)
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
            data = atomic_files.read_bytes(self.full_path(source), _SESSION_LIMIT, within=self.root)
            document = loads(data.decode()) if data is not None else None
        except atomic_files.StorageError as error:
            self.skipped.append((source, error.sentence))
            return None, b""
        except (JsonError, UnicodeDecodeError) as error:
            self.skipped.append((source, f"is not JSON ({error})"))
            return None, b""
        if data is None:
            return None, b""
        if not isinstance(document, dict):
            self.skipped.append((source, "holds no JSON object"))
            return None, b""
        return document, data

    def session_files(self, folder: str) -> list[str]:
        """Return the session files in ``folder``, relative to the root, in the order of their
        names.
        """
        return [
            f"{folder}/{n}"
            for n in _names_in(self.full_path(folder))
            if session_store.is_session_file(n)
        ]

    def full_path(self, relative: str) -> str:
        """Return the path of a file that is relative to the root."""
        return os.path.join(self.root, *relative.split("/"))
