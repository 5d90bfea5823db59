"""A session begins: those that were left without a word are looked after.

Not every client tells that a session ends, and a terminal may just be closed. So the first prompt of a
session has digests made of those that nobody has used for an hour; by the times of files, and in a
process of its own. Once a day the memories whose time is over are put away in the same manner.
"""

from __future__ import annotations

import os

from synapse_ls.service import cache
from synapse_ls.sessions.store import is_session_file
from synapse_ls.workspace.folders import MEMORIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.service.call import Call

MEMO: Final = "swept"
DAY: Final = 86400.0  # seconds
QUIET: Final = 3600.0  # seconds without a prompt after which a session is taken for left
LONGEST: Final = 7 * 86400.0  # seconds after which nobody needs a digest of it any more


def look(call: Call) -> None:
    """Have done what is due: at most one process for a session that begins."""
    memo = cache.read_memo(call.root, MEMO)
    until = call.moment - QUIET
    since = max(until - LONGEST, _time(memo, "until"))
    if _were_left(call, since, until):
        _run(call, memo | {"until": until}, "recovery.sweep", repr(since), repr(until))
    elif not 0 <= call.moment - _time(memo, "tidied") < DAY and _remembers(call):
        _run(call, memo | {"tidied": call.moment}, "service.tidying")


def _were_left(call: Call, since: float, until: float) -> bool:
    """Whether a session was last used between two times, in seconds."""
    own = os.path.basename(call.store.path(call.event.session_id))
    try:
        with os.scandir(call.store.folder) as entries:
            return any(
                is_session_file(entry.name)
                and entry.name != own
                and since < entry.stat(follow_symlinks=False).st_mtime <= until
                for entry in entries
            )
    except OSError:
        return False


def _remembers(call: Call) -> bool:
    """Whether there may be memories that are to be put away by themselves."""
    settings = call.plan.plan.settings.get("memory", {})
    return bool(settings.get("gc")) and any(
        os.path.isdir(os.path.join(call.root, folder)) for folder in MEMORIES
    )


def _time(memo: dict[str, Any], name: str) -> float:
    value = memo.get(name)
    return value if isinstance(value, int | float) else 0.0


def _run(call: Call, memo: dict[str, Any], module: str, *arguments: str) -> None:
    from synapse_ls.service.detached import run

    cache.write_memo(call.root, MEMO, memo)
    run(f"synapse_ls.{module}", call.root, *arguments)
