"""What is to be noted of the sessions of a tree, when the whole of it is read.

Sessions change with every prompt and are no part of an index: they are looked at once and let go. So is
what the last one has left for the next.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from synapse_ls.formats import continuation
from synapse_ls.formats.config import Config
from synapse_ls.formats.session import parse
from synapse_ls.workspace.folders import CONTINUATION, SESSIONS
from synapse_ls.workspace.read import RefusedError, read_file
from synapse_ls.workspace.scan import LoadNote

if TYPE_CHECKING:
    from synapse_ls.formats.session import Session

MOST = 200
"""Sessions in use that are read; those with the latest activity come first."""

_HOUR = 3600.0


def session_notes(root: str, config: Config, now: float) -> Iterator[LoadNote]:
    """Notes of the kinds "invalid-session", for each, "stale-session", for the first of all, and
    "invalid-continuation".

    ``now`` is in seconds since 1970. A file that was not written for so long is stale unread.
    """
    hours = config.session.stale_hours
    stale: list[str] = []
    used: list[tuple[float, str]] = []
    for name, written in _files(f"{root}/{SESSIONS}"):
        if now - written >= hours * _HOUR:
            stale.append(name)
        else:
            used.append((-written, name))
    for _, name in sorted(used)[:MOST]:
        session, problem = _read(f"{root}/{SESSIONS}/{name}")
        if session is None and problem:
            message = f"The file {problem}, so nothing of the session is known."
            yield LoadNote(f"{SESSIONS}/{name}", "invalid-session", message)
        elif session is not None and now - _last_activity(session, now) >= hours * _HOUR:
            stale.append(name)
    if stale:
        others = f" and {len(stale) - 1:,} others have" if stale[1:] else " has"
        message = f"This session{others} had no activity for {hours} hours, so nobody uses it."
        yield LoadNote(f"{SESSIONS}/{min(stale)}", "stale-session", message)
    if problem := _left_unread(f"{root}/{CONTINUATION}"):
        message = f"The file {problem}, so no session goes on with what it says."
        yield LoadNote(CONTINUATION, "invalid-continuation", message)


def _left_unread(path: str) -> str:
    """Why no session takes a continuation file over, "" where one may or there is no file."""
    try:
        content = read_file(path)
    except RefusedError as refused:
        return _refused(refused)
    if content is None:
        return ""
    found = continuation.parse(content.decoded.text)
    if not found.session:
        return "does not name the session that it is about (`session_id`)"
    if _moment(found.created) is None:
        return "does not say when it was written (`created_at`)"
    return ""


def _files(folder: str) -> Iterator[tuple[str, float]]:
    """The session files of a folder, each with the time of its last change."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                is_session = entry.name.endswith(".json") and not entry.name.startswith(("_", "."))
                if is_session and entry.is_file(follow_symlinks=False):
                    yield entry.name, entry.stat(follow_symlinks=False).st_mtime
    except OSError:
        return  # no folder is no sessions; what else is wrong with it the session store reports


def _read(path: str) -> tuple[Session | None, str]:
    """The session in a file, and what is wrong; nothing of either where there is no file any more."""
    try:
        content = read_file(path)
    except RefusedError as refused:
        return None, _refused(refused)
    return parse(content.decoded.text) if content else (None, "")


def _refused(refused: RefusedError) -> str:
    return f"cannot be read ({refused.message.rstrip('.')})"


def _last_activity(session: Session, otherwise: float) -> float:
    """When a session was last used, in seconds since 1970; ``otherwise`` where it does not say."""
    found = _moment(session["last_activity"])
    return otherwise if found is None else found


def _moment(text: str) -> float | None:
    """Seconds since 1970 of an ISO 8601 date, None for anything else."""
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
