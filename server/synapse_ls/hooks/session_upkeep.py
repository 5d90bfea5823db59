"""Start the upkeep that a new session triggers: digests of abandoned sessions, and once a day what
`daily_tidying` does.

Not every client tells that a session ends, and a terminal may just be closed. So the first prompt
of a session has digests made of those that nobody has used for an hour; by the times of files, and
in a process of its own. Once a day stale sessions and memories whose time is over are archived, and
the oldest records of past sessions deleted, in the same manner.
"""

from __future__ import annotations

import os

from synapse_ls.storage import plan_cache
from synapse_ls.storage.session_store import ARCHIVE, is_session_file
from synapse_ls.workspace.tree_folders import MEMORIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.hooks.hook_call import HookCall

MEMO_KIND: Final = "swept"
DAY_SECONDS: Final = 86400.0  # seconds
QUIET_SECONDS: Final = 3600.0  # seconds without a prompt after which a session is taken for left
MAX_AGE: Final = 7 * 86400.0  # seconds after which nobody needs a digest of it any more


def start_upkeep(call: HookCall) -> None:
    """Start the upkeep that is due, each in a process of its own.

    Who begins one session a day always leaves one behind that may lack its digest: so neither waits
    for a session in which the other is not due.
    """
    before = plan_cache.read_memo(call.root, MEMO_KIND)
    memo = dict(before)
    commands = (_digest_command(call, memo), _tidying_command(call, memo))
    if memo != before:
        plan_cache.write_memo(call.root, MEMO_KIND, memo)
    for module, *arguments in filter(None, commands):
        from synapse_ls.storage.background_process import start_process

        start_process(f"synapse_ls.hooks.{module}", call.root, *arguments)


def _digest_command(call: HookCall, memo: dict[str, Any]) -> tuple[str, ...]:
    """Return the module that makes digests of abandoned sessions, with its arguments; empty where
    there are none. Notes in ``memo`` that somebody has looked.
    """
    if _memo_time(memo, "looked") <= call.now < _memo_time(memo, "next"):
        return ()
    until = call.now - QUIET_SECONDS
    since = max(until - MAX_AGE, _memo_time(memo, "until"))
    is_left, following = _look_for_abandoned(call, since, until)
    memo.update(looked=call.now, next=following)
    if not is_left:
        return ()
    memo["until"] = until
    return "daily_tidying", repr(since), repr(until)


def _tidying_command(call: HookCall, memo: dict[str, Any]) -> tuple[str, ...]:
    """Return the module that tidies the tree up; empty where it was done today, or there is nothing
    to tidy up. Notes in ``memo`` that it is done.
    """
    if 0 <= call.now - _memo_time(memo, "tidied") < DAY_SECONDS or not _may_be_untidy(call):
        return ()
    memo["tidied"] = call.now
    return ("daily_tidying",)


def _look_for_abandoned(call: HookCall, since: float, until: float) -> tuple[bool, float]:
    """Return whether a session was last used between two times, and when there may be one again, in
    seconds: a session that is used now is not abandoned before it was quiet for long enough.
    """
    own = os.path.basename(call.store.path(call.event.session_id))
    is_left, first = False, call.now
    try:
        with os.scandir(call.store.folder) as entries:
            for entry in entries:
                if is_session_file(entry.name) and entry.name != own:
                    used = entry.stat(follow_symlinks=False).st_mtime
                    is_left = is_left or since < used <= until
                    first = min(first, used) if used > until else first
    except OSError:
        return is_left, 0.0
    return is_left, first + QUIET_SECONDS


def _may_be_untidy(call: HookCall) -> bool:
    """Return whether there may be sessions or memories to archive, or record of past sessions."""
    settings = call.current_plan.plan.settings
    places = [os.path.join(call.store.folder, ARCHIVE)]
    if settings.get("memory", {}).get("gc"):
        places += (os.path.join(call.root, folder) for folder in MEMORIES)  # with the digests
    return any(map(os.path.isdir, places)) or call.store.has_stale(
        call.now, settings["stale_hours"]
    )


def _memo_time(memo: dict[str, Any], name: str) -> float:
    value = memo.get(name)
    return value if isinstance(value, int | float) else 0.0
