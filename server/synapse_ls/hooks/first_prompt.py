"""Start the upkeep that a new session triggers: digests of abandoned sessions, and once a day what
`daily_tidying` does.

Not every client tells that a session ends, and a terminal may just be closed. So the first prompt
of a session has digests made of those that nobody has used for an hour; by the times of files, and
in a process of its own. Once a day stale sessions and memories whose time is over are archived, and
the oldest records of past sessions deleted, in the same manner.

This module lets a new session pick up the continuation that another session has left, unless
that one goes on itself.

The continuation file stays as it is. Which sessions were picked up is noted in the user's cache,
so that each is picked up once.
"""

from __future__ import annotations

import os

from synapse_ls.engine.user_prompt import Prompt
from synapse_ls.formats.continuation_file import CRITERION
from synapse_ls.hooks.hook_call import known_agent
from synapse_ls.storage import plan_cache
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.storage.session_store import ARCHIVE, is_session_file
from synapse_ls.text.iso_time import parse_instant
from synapse_ls.text.lazy_import import load_module
from synapse_ls.workspace.tree_folders import MEMORIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.formats.continuation_file import Continuation
    from synapse_ls.formats.session_file import SessionState
    from synapse_ls.hooks.hook_call import HookCall

RESUMED_KIND: Final = "resumed"
MAX_SESSIONS: Final = 50  # sessions of a tree that are remembered as taken up
MICROSECONDS: Final = 1_000_000  # in a second
IDLE_SECONDS: Final = 3600.0  # seconds without any event after which a session is not going on
MAX_CRITERIA: Final = 12
HANDOFF_REASONS: Final = (
    "manual",
    "score_drop",
    "agent_done",
)  # reasons for which somebody has to go on


def pick_up_continuation(call: HookCall, session: SessionState) -> None:
    """Have ``session``, which is new, pick up the latest continuation for its agent: it is given
    the hand-off notes.
    """
    left = load_module("synapse_ls.memory.handoff").find_unfinished(
        call.root, _first_agent(call, session)
    )
    if left is None or left.session == call.event.session_id:
        return
    memo = plan_cache.read_memo(call.root, RESUMED_KIND)
    stored = memo.get("taken")
    names = stored if isinstance(stored, list) else []
    name = f"{left.session} {left.created}"
    hours = call.current_plan.plan.settings["stale_hours"]
    if name in names or not _is_abandoned(call, left, hours):
        return
    session.recovery.notes = continuation_notes(left)
    plan_cache.write_memo(call.root, RESUMED_KIND, {"taken": [*names, name][-MAX_SESSIONS:]})


def _first_agent(call: HookCall, session: SessionState) -> str:
    """Return the agent that the session begins with, "" for none."""
    plan = call.current_plan.plan
    prompt = Prompt(call.event.prompt, agents=plan.agents, activations=plan.settings["activate"])
    return str(known_agent(plan, call.event) or prompt.agent or session.agent.id or "")


def continuation_notes(left: Continuation) -> dict[str, Any]:
    """Return the hand-off notes of a session that picks up the continuation ``left``."""
    following = next((line[6:] for line in left.resume if line.startswith("Next: ")), "")
    return {
        "from": left.session,
        "agent": left.agent,
        "work": {
            "agent": left.agent,
            "workflow": left.workflow,
            "phase": left.step,
            "task": left.task,
            "story": left.story,
            "criteria": [
                item.removeprefix(CRITERION)
                for item in left.open_items
                if item.startswith(CRITERION)
            ][:MAX_CRITERIA],
        },
        "decisions": list(left.decisions[-5:]),
        "open": [item for item in left.open_items if not item.startswith(CRITERION)][-5:],
        "errors": [error for error in left.errors if error.endswith("not solved")][-5:],
        "solved": [error for error in left.errors if not error.endswith("not solved")][-5:],
        "files": list(left.artifacts[-8:]),
        "next": following,
    }


def _is_abandoned(call: HookCall, left: Continuation, hours: float) -> bool:
    """Return whether the session of a continuation is over, or asked for another one, and not too
    long ago.
    """
    created = parse_instant(left.created)
    if created is None or call.now - created / MICROSECONDS > hours * 3600:
        return False
    if left.reason in HANDOFF_REASONS:
        return True
    try:
        before = call.store.load(left.session)
    except StorageError:
        return False
    if before is None:
        return True
    if before.recovery.is_cleared:
        return False
    if before.ended or _wants_successor(before):
        return True
    last = parse_instant(before.last_activity)
    return last is not None and call.now - last / MICROSECONDS > IDLE_SECONDS


def _wants_successor(session: SessionState) -> bool:
    """Return whether another session is better than this one, by what it counts itself."""
    decision = load_module("synapse_ls.memory.handoff")
    streak = session.recovery.critical_streak or 0
    session_counters = decision.SessionCounters(session.context.compactions, streak)
    return bool(decision.decide_handoff(session_counters).action == decision.SPAWN)


SWEPT_KIND: Final = "swept"
DAY_SECONDS: Final = 86400.0  # seconds
QUIET_SECONDS: Final = 3600.0  # seconds without a prompt after which a session is taken for left
MAX_AGE: Final = 7 * 86400.0  # seconds after which nobody needs a digest of it any more


def start_upkeep(call: HookCall) -> None:
    """Start the upkeep that is due, each in a process of its own.

    Who begins one session a day always leaves one behind that may lack its digest: so neither waits
    for a session in which the other is not due.
    """
    before = plan_cache.read_memo(call.root, SWEPT_KIND)
    memo = dict(before)
    commands = (_digest_command(call, memo), _tidying_command(call, memo))
    if memo != before:
        plan_cache.write_memo(call.root, SWEPT_KIND, memo)
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
