"""Do what is due once a day, in a background process that `session_upkeep` starts: stale sessions
and memories whose time is over are archived, and the oldest records of past sessions are deleted.
"""

from __future__ import annotations

import os

from synapse_ls.memory.attention_score import ScoreConstants
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage import hook_log
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.session_archive import archive_stale, delete_oldest
from synapse_ls.text.phrases import format_count
from synapse_ls.workspace.tree_folders import SESSIONS

MAX_MEMORIES = 500  # memories that one process puts away
_MAX_NAMED = 20  # of them whose ids the log has


def main(root: str) -> None:
    """Do the daily tidying, if it is due by now."""
    from time import time

    tidy(root, now=time())


def tidy(root: str, *, now: float) -> None:
    """Tidy once a day: archive and delete what the settings of the tree say. What goes wrong is in
    the log.
    """
    try:
        settings = load_plan(root).plan.settings
        memory = settings.get("memory", {})
        if memory.get("gc"):
            _archive_expired(root, ScoreConstants.from_settings(memory), now)
        archive_stale(os.path.join(root, SESSIONS), now=now, hours=settings["stale_hours"])
        megabytes = settings["kept_megabytes"]
        deleted = delete_oldest(root, megabytes)
    except Exception as error:  # nobody waits for it, and nobody sees what it says elsewhere
        hook_log.log_error(error)
        return
    if deleted:
        was = "was" if len(deleted) == 1 else "were"
        hook_log.log_line(
            f"{root}: {format_count(len(deleted), 'record')} of past sessions {was} deleted, the "
            f"oldest first: `session.kept_megabytes` is {megabytes}"
        )


def _archive_expired(root: str, constants: ScoreConstants, now: float) -> None:
    """Archive the memories that have expired or that nobody needs any more; what goes wrong is in
    the log.
    """
    try:
        store = MemoryStore(root, constants)
        swept = [record.id for record, _ in store.sweep(now=now, most=MAX_MEMORIES)]
    except Exception as error:  # nobody waits for it, and nobody sees what it says elsewhere
        hook_log.log_error(error)
        return
    if swept:
        was, it = ("was", "it") if len(swept) == 1 else ("were", "them")
        more = f" and {len(swept) - _MAX_NAMED} more" if len(swept) > _MAX_NAMED else ""
        hook_log.log_line(
            f"{root}: {format_count(len(swept), 'memory', 'memories')} {was} put away: "
            f"{', '.join(swept[:_MAX_NAMED])}{more}; `synapse memory restore` brings {it} back"
        )
