"""List a tree's sessions, archive stale ones, and keep what past ones left within a size limit.

Never on the path of a hook. Over the limit, in megabytes, the oldest files are deleted.
"""

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from synapse_ls.formats import continuation_file
from synapse_ls.storage import atomic_files, confined_folders, plan_cache, session_store
from synapse_ls.workspace.outside_links import find_outside_link, list_names
from synapse_ls.workspace.regular_files import read_beginning
from synapse_ls.workspace.tree_folders import CONTINUATIONS, SESSIONS, TREE


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A session as a list of sessions shows it.

    ``last_activity`` is in seconds since the epoch. ``problem`` says why there is no session in the
    file; then only ``path`` and ``last_activity``, the time of the file, are known. ``is_ours``: we
    wrote it last; else another engine keeps it.
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
    is_ours: bool = False


@dataclass(frozen=True, slots=True)
class ArchiveResult:
    """What ``archive_stale`` did: the files it moved (from, to), and those it skipped, with
    reasons.
    """

    moved: tuple[tuple[str, str], ...]
    skipped: tuple[tuple[str, str], ...]


def list_sessions(folder: str) -> tuple[SessionInfo, ...]:
    """Return the sessions in ``folder``, the one with the latest activity first; none if the folder
    is missing.

    Raises StorageError if the folder cannot be read.
    """
    return _latest_first(_session_paths(folder, session_store.EXTENSION))


def newest_session(folder: str, within_hours: float, *, now: float) -> SessionInfo | None:
    """Return the session with the latest activity in the last ``within_hours``; one that no hook
    of this user has run in only where there is no other.
    """
    since = now - within_hours * 3600
    # A file is written after the activity it records: an older file need not be opened.
    recent = [
        path
        for path in _session_paths(folder, session_store.EXTENSION)
        if _modified_at(path) >= since
    ]
    remembered = plan_cache.remembered_sessions(session_store.project_of(folder))
    infos = [i for i in _latest_first(recent) if not i.problem and i.last_activity >= since]
    return next((info for info in infos if info.session_id in remembered), next(iter(infos), None))


def archive_stale(
    folder: str, *, now: float, hours: float = session_store.STALE_HOURS
) -> ArchiveResult:
    """Move sessions without activity for ``hours`` to ``archive/``; none is deleted.

    A session that goes on later is taken back by its next transaction. Unreadable files, links and
    sessions that are in use stay where they are, and are reported.
    """
    before = now - hours * 3600
    moved: list[tuple[str, str]] = []
    left: list[tuple[str, str]] = []
    for path in _session_paths(folder, session_store.EXTENSION):
        try:
            destination = _archive_session(path, before)
        except atomic_files.StorageError as error:
            left.append((path, str(error)))
        else:
            if destination:
                moved.append((path, destination))
    # Remove the lock files of sessions that do not exist any more.
    for lock_path in _session_paths(folder, session_store.EXTENSION + atomic_files.LOCK_SUFFIX):
        session = lock_path.removesuffix(atomic_files.LOCK_SUFFIX)
        if not os.path.lexists(session) and _modified_at(lock_path) < before:
            try:
                with atomic_files.FileLock(
                    session, 0, within=session_store.project_of(folder), keep=False
                ):
                    pass  # leaving removes the file
            except atomic_files.StorageError:
                continue  # in use after all
    return ArchiveResult(tuple(moved), tuple(left))


def parse_moment(text: object) -> float | None:
    """Return the time that a session's file gives, by which stale ones are archived, in seconds
    since the epoch, from an ISO 8601 date, in local time if it names no zone (CARL); None if it is
    none.
    """
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except (ValueError, OverflowError):
        return None


def _session_paths(folder: str, suffix: str) -> list[str]:
    root = session_store.project_of(folder)
    if root and find_outside_link(root, os.path.relpath(folder, root)):
        return []
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise atomic_files.storage_error("read", folder, error) from error
    return [
        os.path.join(folder, name)
        for name in names
        if name.endswith(suffix)
        and session_store.is_session_file(name.removesuffix(atomic_files.LOCK_SUFFIX))
    ]


def _latest_first(paths: Iterable[str]) -> tuple[SessionInfo, ...]:
    described = (_describe_session(path) for path in paths)
    infos = [info for info in described if info is not None]
    return tuple(sorted(infos, key=lambda info: (-info.last_activity, info.path)))


def _describe_session(path: str) -> SessionInfo | None:
    """Return what is in the file at ``path``; None if it is gone by now."""
    try:
        session_file = session_store.read_session(
            path, session_store.project_of(os.path.dirname(path))
        )
    except atomic_files.StorageError as error:
        return SessionInfo(path, _modified_at(path), problem=error.sentence)
    if session_file is session_store.MISSING_FILE:
        return None
    if (session := session_file.session) is None:
        return SessionInfo(path, _modified_at(path), problem=session_file.problem)
    at = parse_moment(session.last_activity)
    return SessionInfo(
        path,
        _modified_at(path) if at is None else at,
        session_id=session.id or os.path.basename(path).removesuffix(session_store.EXTENSION),
        title=session.title or "",
        label=session.label,
        agent=session.agent.id or "",
        bracket=session.context.bracket,
        prompt_count=session.prompt_count,
        is_ours=session_store.has_checksum(session_file.data or b""),
    )


def _modified_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0  # gone, or a link that leads nowhere: as old as can be


def _archive_session(path: str, before: float) -> str | None:
    """Archive the session at ``path`` if its last activity lies ``before``; return where it is
    then.

    Raises StorageError if it has to stay although nobody may be using it.
    """
    if (info := _describe_session(path)) is None:
        return None
    if info.problem:
        raise atomic_files.StorageError(
            f"{path}: {info.problem}.", "Repair the file or move it away."
        )
    if info.last_activity >= before:
        return None
    if os.path.islink(path):
        raise atomic_files.StorageError(
            f"{path} is a symbolic link.", "Move it and its target by hand."
        )
    within = session_store.project_of(os.path.dirname(path))
    with atomic_files.FileLock(path, 0, within=within, keep=False):
        info = _describe_session(path)
        if info is None or info.last_activity >= before:
            return None  # another process archived it, or goes on with it
        destination = session_store.archived_path(path)
        atomic_files.make_folders(
            os.path.dirname(destination), within=within, mode=atomic_files.PRIVATE_FOLDER
        )
        if os.path.lexists(destination):
            atomic_files.move_path(
                destination, session_store.free_name(destination + ".older"), within=within
            )
        atomic_files.move_path(path, destination, within=within)
    return destination


# Where records of past sessions are, relative to the root, and the names that the program gives
# them, with the beginning of a session's; a continuation names its session itself.
_CONTINUATION_NAME = re.compile(r"(?:\d{4}-\d\d-\d\dT[\dTZ-]+|undated(?:-\d+)?)\.md")
LIMITED_FOLDERS = {
    f"{SESSIONS}/{session_store.ARCHIVE}": re.compile(r"(.+)\.json(?:\.older-\d+)?"),
    f"{TREE}/memory/digests": re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(.+)-\d+\.md"),
    **{os.path.dirname(path): _CONTINUATION_NAME for path in CONTINUATIONS},
}
DIGEST_STEM = 12  # characters of a session's name that its digests have
_BYTES = 1_000_000  # of a megabyte


def delete_oldest(root: str, megabytes: int, sessions: Iterable[str]) -> list[str]:
    """Keep records within their limit: delete the oldest archived sessions, digests and earlier
    continuations of ``sessions`` in the tree in ``root`` until those left have at most so many
    megabytes; return the paths of what was deleted.

    Others', links, and what cannot be deleted stay and count for nothing.
    """
    records = _find_records(root, frozenset(sessions))
    kept = sum(size for _, _, size in records)
    deleted = []
    for _, path, size in sorted(records):
        if kept <= megabytes * _BYTES:
            break
        kept -= size
        try:
            atomic_files.remove_file(path, within=root)
        except atomic_files.StorageError:
            continue
        deleted.append(path)
    return deleted


def _find_records(root: str, sessions: frozenset[str]) -> list[tuple[float, str, int]]:
    """Return time, path and size of each record of these sessions."""
    stems = {session_store.session_file_stem(session) for session in sessions}
    stems |= {stem[:DIGEST_STEM] for stem in stems}
    records = []
    for folder, pattern in LIMITED_FOLDERS.items():
        place = os.path.join(root, folder)
        names = [] if confined_folders.find_note_link(place, root) else list_names(root, folder)
        for match in filter(None, map(pattern.fullmatch, names)):
            path = os.path.join(place, match[0])
            try:
                status = os.lstat(path)
                if not stat.S_ISREG(status.st_mode):
                    continue
                is_of_session = (
                    match[1] in stems
                    if pattern.groups
                    else continuation_file.parse(_read_text(path)).session in sessions
                )
            except OSError:
                continue
            if is_of_session:
                records.append((status.st_mtime, path, status.st_size))
    return records


def _read_text(path: str) -> str:
    return read_beginning(path, _BYTES).decode("utf-8", "replace")
