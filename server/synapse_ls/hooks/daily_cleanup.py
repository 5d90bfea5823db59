"""The daily clean-up, in a background process that `session_upkeep` starts.

Stale sessions and expired memories are archived, the oldest records of past sessions deleted, and
sessions that ended without an event get their digest.
"""

import os
from itertools import islice
from time import time

from synapse_ls.formats.session_file import ENDED_REASON
from synapse_ls.hooks.digest_worker import make_digest, transcript_path
from synapse_ls.memory.attention_score import ScoreConstants
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage import atomic_files, hook_log, injection_log, session_archive
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.session_store import SessionStore
from synapse_ls.text.phrases import format_count
from synapse_ls.workspace.tree_folders import SESSIONS

MAX_SESSIONS = 20  # digests that one process tries to make


def digest_abandoned(root: str, since: float, until: float, *, now: float) -> list[str]:
    """Make the digests that are missing, of sessions that this user's hook has answered. Return
    their ids.
    """
    store = SessionStore(os.path.join(root, SESSIONS))
    try:
        abandoned = [
            info
            for info in session_archive.list_sessions(store.folder)
            if since < info.last_activity <= until
        ]
    except atomic_files.StorageError as error:
        hook_log.log_error(error)
        return []
    answered = injection_log.answered_sessions(root)
    ids = (i.session_id for i in abandoned if i.session_id in answered and not i.problem)
    made_for = []
    for id in islice((id for id in ids if _lacks_digest(root, store, id)), MAX_SESSIONS):
        try:
            if make_digest(root, id, now=now, reason=ENDED_REASON) is not None:
                made_for.append(id)
        except Exception as error:  # one session that cannot be read keeps no other from its digest
            hook_log.log_error(error)
    return made_for


def _lacks_digest(root: str, store: SessionStore, session_id: str) -> bool:
    """Return whether the transcript has grown since the last digest."""
    session = store.load(session_id)
    path = transcript_path(root, session) if session else ""
    if session is None or not path:
        return False
    marks = session.recovery
    last = session_archive.parse_moment(marks.done.at) if marks.done else None
    try:
        written = os.stat(path).st_mtime
    except (OSError, ValueError):
        return False
    return marks.due is not None or last is None or written > last


MAX_MEMORIES = 500  # memories that one process puts away
_MAX_NAMED = 20  # of them whose ids the log has


def main(root: str, *between: str) -> None:
    """Do the daily tidying, if it is due by now; or make the missing digests of sessions whose last
    activity lies ``between`` two times, in seconds since 1970.
    """
    if between:
        since, until = map(float, between)
        digest_abandoned(root, since, until, now=time())
    else:
        tidy(root, now=time())


def tidy(root: str, *, now: float) -> None:
    """Tidy once a day: archive and delete what the settings of the tree say. What goes wrong is in
    the log.
    """
    try:
        settings = load_plan(root).plan.settings
        memory = settings.get("memory", {})
        if memory.get("gc"):
            # The memories that have expired or that nobody needs any more.
            try:
                store = MemoryStore(root, ScoreConstants.from_settings(memory))
                swept = [record.id for record, _ in store.sweep(now=now, most=MAX_MEMORIES)]
            except Exception as error:
                hook_log.log_error(error)
                swept = []
            if swept:
                was, it = ("was", "it") if len(swept) == 1 else ("were", "them")
                more = f" and {len(swept) - _MAX_NAMED} more" if len(swept) > _MAX_NAMED else ""
                hook_log.log_line(
                    f"{root}: {format_count(len(swept), 'memory', 'memories')} {was} put away: "
                    f"{', '.join(swept[:_MAX_NAMED])}{more}; `synapse memory restore` restores {it}"
                )
        session_archive.archive_stale(
            os.path.join(root, SESSIONS), now=now, hours=settings["stale_hours"]
        )
        megabytes = settings["kept_megabytes"]
        deleted = session_archive.delete_oldest(root, megabytes, injection_log.known_sessions(root))
    except Exception as error:  # nobody waits for it, and nobody sees what it says elsewhere
        hook_log.log_error(error)
        return
    if deleted:
        was = "was" if len(deleted) == 1 else "were"
        hook_log.log_line(
            f"{root}: {format_count(len(deleted), 'record')} of past sessions {was} deleted, the "
            f"oldest first: `session.kept_megabytes` is {megabytes}"
        )
