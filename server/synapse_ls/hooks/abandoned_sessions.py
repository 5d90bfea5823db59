"""Make the digests of abandoned sessions: those that ended without a session-end event. It runs in
a background process.
"""

from __future__ import annotations

import os
from itertools import islice

from synapse_ls.hooks import digest_schedule
from synapse_ls.hooks.digest_worker import make_digest, transcript_path
from synapse_ls.storage import hook_log
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.storage.session_archive import list_sessions, parse_moment
from synapse_ls.storage.session_store import SessionStore
from synapse_ls.workspace.tree_folders import SESSIONS

MAX_SESSIONS = 20  # digests that one process tries to make


def main(root: str, after: str, before: str) -> None:
    """Make the missing digests of sessions whose last activity lies between two times, in seconds
    since 1970.
    """
    from time import time

    digest_abandoned(root, float(after), float(before), now=time())


def digest_abandoned(root: str, since: float, until: float, *, now: float) -> list[str]:
    """Make the digests that are missing; return the ids of the sessions of which one was made."""
    store = SessionStore(os.path.join(root, SESSIONS))
    try:
        left = [info for info in list_sessions(store.folder) if since < info.last_activity <= until]
    except StorageError as error:
        hook_log.log_error(error)
        return []
    lacking = (
        info.session_id
        for info in left
        if info.session_id and not info.problem and _lacks_digest(store, info.session_id)
    )
    return [id for id in islice(lacking, MAX_SESSIONS) if _try_digest(root, id, now)]


def _lacks_digest(store: SessionStore, session_id: str) -> bool:
    """Return whether the transcript has grown since the last digest."""
    session = store.load(session_id)
    path = transcript_path(session) if session else ""
    if session is None or not path:
        return False
    marks = session.recovery
    last = parse_moment(marks.done.at) if marks.done else None
    try:
        written = os.stat(path).st_mtime
    except (OSError, ValueError):
        return False
    return marks.due is not None or last is None or written > last


def _try_digest(root: str, session_id: str, now: float) -> bool:
    try:
        return (
            make_digest(root, session_id, now=now, reason=digest_schedule.ENDED_REASON) is not None
        )
    except Exception as error:  # one session that cannot be read keeps no other from its digest
        hook_log.log_error(error)
        return False
