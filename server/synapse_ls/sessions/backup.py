"""Files replaced with a way back: a backup and a manifest first, then the change (ADR-001 R6).

A backup folder mirrors the paths of what it keeps, beside ``manifest.json``, which names every file
that was to be written with the SHA-256 of its content before and after.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from synapse_ls.sessions.changes import timestamp
from synapse_ls.sessions.files import (
    PRIVATE_FILE,
    Lock,
    SessionError,
    atomic_write,
    failure,
    read_bytes,
)
from synapse_ls.sessions.store import LOCK_TIMEOUT, create_folder, free_name
from synapse_ls.text.json import JsonError, dumps, loads

_PREFIX = "backup-"
_MANIFEST = "manifest.json"
_VERSION = 1
_LIMIT = 64_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Step:
    """One file to write: ``kind`` ("older", "carl", "aiox", "agent") says why.

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
    """What a rollback of the folder ``backup`` did to which files, relative to the root."""

    backup: str
    restored: tuple[str, ...]
    removed: tuple[str, ...]


def carry_out(
    root: str, folder: str, steps: Iterable[Step], now: float
) -> tuple[str, tuple[Step, ...]]:
    """Do ``steps`` after a backup under ``folder``; that backup, and the steps that were not done.

    A step is not done if its target no longer holds what it was planned for. Raises SessionError;
    what was done by then can be rolled back.
    """
    steps = tuple(steps)
    backup = _create(folder, now)
    for step in steps:
        for source, data in step.sources:
            _keep(backup, source, data)
        if step.before is not None:
            _keep(backup, step.target, step.before)
    _write_manifest(backup, _manifest(steps, now))
    left = []
    for step in steps:
        target = _inside(root, step.target)
        with Lock(target, LOCK_TIMEOUT):
            if read_bytes(target, _LIMIT) == step.before:
                atomic_write(target, step.after, durable=True, mode=PRIVATE_FILE)
            else:
                left.append(step)
    if left:
        _write_manifest(backup, _manifest([step for step in steps if step not in left], now))
    return backup, tuple(left)


def rollback(root: str, folder: str, now: float) -> Rollback:
    """Bring back, byte for byte, what the last backup under ``folder`` kept.

    Files that the backup knows nothing of stay. Raises SessionError, before anything is changed,
    if there is nothing to roll back, a file has been changed since, or the backup is damaged.
    """
    backup, manifest = _latest(folder)
    entries = manifest["entries"]
    changed = [entry["target"] for entry in entries if _state(root, entry) == "changed"]
    if changed:
        raise SessionError(
            f"Not rolled back: {', '.join(changed)} changed after the migration.",
            f"Move the changed files away, then roll back; {backup} keeps the originals.",
        )
    for entry in entries:
        for relative, digest in _copies(entry).items():
            _kept(backup, relative, digest)
    restored: list[str] = []
    removed: list[str] = []
    for entry in entries:
        if _undo(root, backup, entry):
            (removed if entry["before"] is None else restored).append(entry["target"])
        for relative, digest in entry["sources"].items():
            source = _inside(root, relative)
            if not os.path.lexists(source):
                create_folder(os.path.dirname(source))
                atomic_write(source, _kept(backup, relative, digest), durable=True)
                restored.append(relative)
    _write_manifest(backup, {**manifest, "rolled_back": timestamp(now)})
    return Rollback(backup, tuple(restored), tuple(removed))


def _manifest(steps: Iterable[Step], now: float) -> dict[str, Any]:
    return {
        "version": _VERSION,
        "created": timestamp(now),
        "rolled_back": None,
        "entries": [_entry(step) for step in steps],
    }


def _entry(step: Step) -> dict[str, Any]:
    return {
        "kind": step.kind,
        "session_id": step.session_id,
        "sources": {source: _digest(data) for source, data in step.sources},
        "target": step.target,
        "before": None if step.before is None else _digest(step.before),
        "after": _digest(step.after),
    }


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def _create(folder: str, now: float) -> str:
    """A new backup folder; the names sort by time."""
    digits = "".join(filter(str.isalnum, timestamp(now)))
    path = os.path.join(folder, _PREFIX + digits)
    if os.path.lexists(path):
        path = free_name(path)
    create_folder(path)
    return path


def _keep(backup: str, relative: str, data: bytes) -> None:
    path = _inside(backup, relative)
    create_folder(os.path.dirname(path))
    atomic_write(path, data, durable=True, mode=PRIVATE_FILE)


def _copies(entry: dict[str, Any]) -> dict[str, str]:
    """The files that the backup keeps for an entry, with their digests."""
    copies: dict[str, str] = dict(entry["sources"])
    if entry["before"] is not None:
        copies[entry["target"]] = entry["before"]
    return copies


def _kept(backup: str, relative: str, digest: str) -> bytes:
    """What the backup holds of a file; raises SessionError unless it is what it was."""
    data = read_bytes(_inside(backup, relative), _LIMIT)
    if data is None or _digest(data) != digest:
        raise SessionError(
            f"The copy of {relative} in {backup} is missing or damaged.",
            "Take it from a backup of your own.",
        )
    return data


def _write_manifest(backup: str, manifest: dict[str, Any]) -> None:
    data = (dumps(manifest) + "\n").encode()
    atomic_write(os.path.join(backup, _MANIFEST), data, durable=True, mode=PRIVATE_FILE)


def _latest(folder: str) -> tuple[str, dict[str, Any]]:
    """The last backup that was not rolled back, and its manifest."""
    try:
        names = sorted(os.listdir(folder), reverse=True)
    except FileNotFoundError:
        names = []
    except OSError as error:
        raise failure("read", folder, error) from error
    for name in names:
        if name.startswith(_PREFIX):
            backup = os.path.join(folder, name)
            manifest = _read_manifest(backup)
            if manifest is not None and manifest["rolled_back"] is None:
                return backup, manifest
    raise SessionError(f"There is no migration to roll back in {folder}.", "Nothing is to do.")


def _read_manifest(backup: str) -> dict[str, Any] | None:
    """The manifest; None if the backup was interrupted before anything was changed."""
    path = os.path.join(backup, _MANIFEST)
    data = read_bytes(path, _LIMIT)
    if data is None:
        return None
    try:
        manifest = loads(data.decode())
    except (JsonError, UnicodeDecodeError):
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("version") != _VERSION:
        raise SessionError(f"{path} is not a manifest of version {_VERSION}.", "Restore by hand.")
    return manifest


def _state(root: str, entry: dict[str, Any]) -> str:
    """What became of a target: "done", "undone", "missing" or "changed"."""
    data = read_bytes(_inside(root, entry["target"]), _LIMIT)
    digest = None if data is None else _digest(data)
    if digest == entry["after"]:
        return "done"
    if digest == entry["before"]:
        return "undone"
    return "missing" if digest is None else "changed"


def _undo(root: str, backup: str, entry: dict[str, Any]) -> bool:
    """Bring a target back to what it was; whether anything had to be done."""
    target = _inside(root, entry["target"])
    if _state(root, entry) == "undone":
        return False
    with Lock(target, LOCK_TIMEOUT, keep=entry["before"] is not None):
        if _state(root, entry) == "changed":
            raise SessionError(f"{target} was changed in this moment.", "Roll back once more.")
        if entry["before"] is None:
            try:
                os.unlink(target)
            except OSError as error:
                raise failure("remove", target, error) from error
        else:
            data = _kept(backup, entry["target"], entry["before"])
            atomic_write(target, data, durable=True)
    return True


def _inside(root: str, relative: str) -> str:
    """The path of ``relative`` under ``root``; a manifest that was tampered with leads nowhere."""
    parts = relative.replace(os.sep, "/").split("/")
    if os.path.splitdrive(relative)[0] or {"", ".", ".."}.intersection(parts):
        raise SessionError(f"{relative!r} is not a path inside {root}.", "Restore by hand.")
    return os.path.join(root, *parts)
