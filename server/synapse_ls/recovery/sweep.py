"""Digests of the sessions that were left without a word."""

from __future__ import annotations

import os

from synapse_ls.recovery.worker import DONE, make, transcript_of
from synapse_ls.service import keeping, log
from synapse_ls.sessions.archive import list_sessions, moment
from synapse_ls.sessions.files import SessionError
from synapse_ls.sessions.store import SessionStore
from synapse_ls.workspace.folders import SESSIONS

MOST = 20  # sessions that one process looks after


def main(root: str, since: str, until: str) -> None:
    """Look after the sessions whose last activity lies between two times, in seconds."""
    from time import time

    sweep(root, float(since), float(until), now=time())


def sweep(root: str, since: float, until: float, *, now: float) -> list[str]:
    """Make the digests that are missing; the sessions of which one was made."""
    store = SessionStore(os.path.join(root, SESSIONS))
    made = []
    try:
        left = [info for info in list_sessions(store.folder) if since < info.last_activity <= until]
    except SessionError as error:
        log.note(error)
        return []
    for info in left[:MOST]:
        known = info.session_id and not info.problem
        if known and _is_missing(store, info.session_id) and _make(root, info.session_id, now):
            made.append(info.session_id)
    return made


def _is_missing(store: SessionStore, session_id: str) -> bool:
    """Whether the transcript has grown since the last digest."""
    session = store.load(session_id)
    path = transcript_of(session) if session else ""
    if session is None or not path:
        return False
    done = keeping.peek(session).get(DONE)
    last = moment(done.get("at")) if isinstance(done, dict) else None
    try:
        written = os.stat(path).st_mtime
    except (OSError, ValueError):
        return False
    return keeping.is_due(session) or last is None or written > last


def _make(root: str, session_id: str, now: float) -> bool:
    try:
        return make(root, session_id, now=now, reason=keeping.ENDED) is not None
    except Exception as error:  # one session that cannot be read keeps no other from its digest
        log.note(error)
        return False
