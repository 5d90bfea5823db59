"""Looking at all sessions of a tree, and putting the stale ones away. Not for the hook path."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from synapse_ls.sessions.files import (
    LOCK_SUFFIX,
    PRIVATE_FOLDER,
    Lock,
    SessionError,
    failure,
)
from synapse_ls.sessions.store import (
    EXTENSION,
    MISSING,
    STALE_HOURS,
    archived_path,
    free_name,
    is_session_file,
    read_session,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """What a list of sessions shows of one.

    ``last_activity`` is in seconds since the epoch. ``problem`` says why there is no session in the
    file; then only ``path`` and ``last_activity``, the time of the file, are known.
    """

    path: str
    last_activity: float
    session_id: str = ""
    title: str = ""
    label: str = ""
    agent: str = ""
    bracket: str = ""
    prompt_count: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Archived:
    """What ``archive_stale`` did: the files it moved (from, to), and those it left, with reasons."""

    moved: tuple[tuple[str, str], ...]
    left: tuple[tuple[str, str], ...]


def list_sessions(folder: str) -> tuple[SessionInfo, ...]:
    """The sessions in ``folder``, the one with the latest activity first; none if it is missing.

    Raises SessionError if the folder cannot be read.
    """
    return _latest_first(_names(folder, EXTENSION))


def newest(folder: str, within_hours: float, *, now: float) -> SessionInfo | None:
    """The session with the latest activity, if that was in the last ``within_hours``."""
    since = now - within_hours * 3600
    # A file is written after the activity it records: an older file need not be opened.
    recent = [path for path in _names(folder, EXTENSION) if _written(path) >= since]
    for info in _latest_first(recent):
        if not info.problem:
            return info if info.last_activity >= since else None
    return None


def archive_stale(folder: str, *, now: float, hours: float = STALE_HOURS) -> Archived:
    """Move sessions without activity for ``hours`` to ``archive/``; none is deleted.

    A session that goes on later is taken back by its next transaction. Unreadable files, links and
    sessions that are in use stay where they are, and are reported.
    """
    before = now - hours * 3600
    moved: list[tuple[str, str]] = []
    left: list[tuple[str, str]] = []
    for path in _names(folder, EXTENSION):
        try:
            destination = _put_away(path, before)
        except SessionError as error:
            left.append((path, str(error)))
        else:
            if destination:
                moved.append((path, destination))
    _remove_idle_locks(folder, before)
    return Archived(tuple(moved), tuple(left))


def moment(text: object) -> float | None:
    """Seconds since the epoch of an ISO 8601 date, in local time if it names no zone (CARL)."""
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except (ValueError, OverflowError):
        return None


def _names(folder: str, suffix: str) -> list[str]:
    """The paths of the files in ``folder`` that belong to sessions and end in ``suffix``."""
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise failure("read", folder, error) from error
    return [
        os.path.join(folder, name)
        for name in names
        if name.endswith(suffix) and is_session_file(name.removesuffix(LOCK_SUFFIX))
    ]


def _latest_first(paths: Iterable[str]) -> tuple[SessionInfo, ...]:
    described = (_describe(path) for path in paths)
    found = [info for info in described if info is not None]
    return tuple(sorted(found, key=lambda info: (-info.last_activity, info.path)))


def _describe(path: str) -> SessionInfo | None:
    """What is in the file at ``path``; None if it is gone by now."""
    try:
        found = read_session(path)
    except SessionError as error:
        return SessionInfo(path, _written(path), problem=error.sentence)
    if found is MISSING:
        return None
    session = found.session
    if session is None:
        return SessionInfo(path, _written(path), problem=found.problem)
    at = moment(session["last_activity"])
    return SessionInfo(
        path,
        _written(path) if at is None else at,
        session_id=session["uuid"] or os.path.basename(path).removesuffix(EXTENSION),
        title=session["title"] or "",
        label=session["label"] or "",
        agent=session["active_agent"]["id"] or "",
        bracket=session["context"]["last_bracket"] or "",
        prompt_count=session["prompt_count"],
    )


def _written(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0  # gone, or a link that leads nowhere: as old as can be


def _put_away(path: str, before: float) -> str | None:
    """Archive the session at ``path`` if its last activity lies ``before``; where it is then.

    Raises SessionError if it has to stay although nobody may be using it.
    """
    info = _describe(path)
    if info is None:
        return None
    if info.problem:
        raise SessionError(f"{path}: {info.problem}.", "Repair the file or move it away.")
    if info.last_activity >= before:
        return None
    if os.path.islink(path):
        raise SessionError(f"{path} is a symbolic link.", "Move it and its target by hand.")
    with Lock(path, 0, keep=False):
        info = _describe(path)
        if info is None or info.last_activity >= before:
            return None  # another process archived it, or goes on with it
        destination = archived_path(path)
        try:
            os.makedirs(os.path.dirname(destination), PRIVATE_FOLDER, exist_ok=True)
            if os.path.lexists(destination):
                os.rename(destination, free_name(destination + ".older"))
            os.rename(path, destination)
        except OSError as error:
            raise failure("archive", path, error) from error
    return destination


def _remove_idle_locks(folder: str, before: float) -> None:
    """Remove the lock files of sessions that are not there (any more)."""
    for path in _names(folder, EXTENSION + LOCK_SUFFIX):
        session = path.removesuffix(LOCK_SUFFIX)
        if not os.path.lexists(session) and _written(path) < before:
            try:
                with Lock(session, 0, keep=False):
                    pass  # leaving removes the file
            except SessionError:
                continue  # in use after all
