"""Upkeep of sessions: due digests, digests of abandoned sessions, and a daily clean-up.

Not every client reports the end of a session. So the first prompt of a session starts a process
that digests sessions unused for an hour, by file times. A digest is due from a known compaction
until it was made, so a killed process loses nothing. A short transcript is read by the hook itself
after its reply; a long one, or one that a prompt waits for, by another process. Once a day stale
sessions and expired memories are archived, and the oldest records of past sessions deleted.
"""

from __future__ import annotations

import os

from synapse_ls.formats.session_file import (
    CRITICAL_REASON,
    MAX_COMPACTIONS,
    MAX_CRITICAL_STREAK,
    DueDigest,
)
from synapse_ls.integrations.transcript_tail import file_size
from synapse_ls.storage import plan_cache, program_start
from synapse_ls.storage.session_store import ARCHIVE, is_session_file
from synapse_ls.workspace.tree_folders import MEMORIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.engine.situation import Situation
    from synapse_ls.formats.session_file import SessionState
    from synapse_ls.hooks.hook_call import HookCall
    from synapse_ls.integrations.hook_event import Event

# Bytes of a transcript that the hook's own process reads (in about a second): a client that is
# about to compact waits for that, and its next request needs the note.
SMALL_TRANSCRIPT: Final = 8_000_000
WORKER: Final = "synapse_ls.hooks.digest_worker"
TIDYING: Final = "synapse_ls.hooks.daily_cleanup"


def make_due_digest(call: HookCall, session: SessionState, *, is_waited_for: bool = False) -> None:
    """Make the digest that is due, now or in a process of its own.

    is_waited_for: somebody waits for the hook's process to end, not only for its answer.
    """
    if (mark := session.recovery.due) is None:
        return
    elsewhere = is_waited_for or file_size(mark.transcript) > SMALL_TRANSCRIPT
    if not (elsewhere and start_worker(call.root, call.event.session_id)):
        from synapse_ls.hooks.digest_worker import make_digest

        make_digest(call.root, call.event.session_id, now=call.now)


def start_worker(root: str, session_id: str) -> bool:
    """Start the process that makes a digest which is due; return whether it was started."""
    return program_start.start_process(WORKER, root, session_id)


def mark_digest_due(session: SessionState, event: Event, reason: str, now: float) -> None:
    """Mark that a digest of the main conversation is to be made; one that is due already keeps its
    reason.

    Without a transcript there is nothing to make it of.
    """
    if event.subagent or session.recovery.due or not file_size(event.transcript):
        return
    due = session.recovery.due = DueDigest()
    due.reason, due.transcript, due.at = reason, event.transcript, now


def count_critical_prompt(call: HookCall, session: SessionState, situation: Situation) -> None:
    """Count a prompt that came with hardly any window left, in a row, and note its advice; the
    first of them, and advice, mark a digest as due.
    """
    marks = session.recovery
    if call.advice is not None:
        marks.advised += call.advice.codes
        mark_digest_due(session, call.event, CRITICAL_REASON, call.now)
    if not situation.bracket.handoff and marks.critical_streak is None:
        return
    marks.critical_streak = critical_streak(session, situation)
    if marks.critical_streak == 1:
        mark_digest_due(session, call.event, CRITICAL_REASON, call.now)


def critical_streak(session: SessionState, situation: Situation) -> int:
    """Return how many prompts in a row came with hardly any window left, with that of the
    situation.
    """
    return (session.recovery.critical_streak or 0) + 1 if situation.bracket.handoff else 0


def may_need_advice(session: SessionState, situation: Situation) -> bool:
    """Return whether a new session may be better by a criterion of which nobody was advised yet."""
    may_be_met = {
        "compact": session.context.compactions >= MAX_COMPACTIONS,
        "critical": critical_streak(session, situation) >= MAX_CRITICAL_STREAK,
        "score_drop": session.recovery.score is not None,
    }
    return any(may_be_met[code] for code in may_be_met if code not in session.recovery.advised)


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
    due: list[tuple[str, ...]] = []
    if not _memo_time(memo, "looked") <= call.now < _memo_time(memo, "next"):
        until = call.now - QUIET_SECONDS
        since = max(until - MAX_AGE, _memo_time(memo, "until"))
        is_left, following = _look_for_abandoned(call, since, until)
        memo.update(looked=call.now, next=following)
        if is_left:
            memo["until"] = until
            due.append((repr(since), repr(until)))
    if not 0 <= call.now - _memo_time(memo, "tidied") < DAY_SECONDS:
        # There may be sessions or memories to archive, or records of past sessions.
        settings = call.current_plan.plan.settings
        places = [os.path.join(call.store.folder, ARCHIVE)]
        if settings.get("memory", {}).get("gc"):
            places += (os.path.join(call.root, folder) for folder in MEMORIES)  # with the digests
        hours = settings["stale_hours"]
        if any(map(os.path.isdir, places)) or call.store.has_stale(call.now, hours):
            memo["tidied"] = call.now
            due.append(())
    if memo != before:
        plan_cache.write_memo(call.root, MEMO_KIND, memo)
    for between in due:
        program_start.start_process(TIDYING, call.root, *between)


def _look_for_abandoned(call: HookCall, since: float, until: float) -> tuple[bool, float]:
    """Return whether a session was last used between two times, and when there may be one again, in
    seconds: a session that is used now is not abandoned before it was quiet for long enough.
    """
    own_file = os.path.basename(call.store.path(call.event.session_id))
    is_left, first = False, call.now
    try:
        with os.scandir(call.store.folder) as entries:
            for entry in entries:
                if is_session_file(entry.name) and entry.name != own_file:
                    used = entry.stat(follow_symlinks=False).st_mtime
                    is_left = is_left or since < used <= until
                    first = min(first, used) if used > until else first
    except OSError:
        return is_left, 0.0
    return is_left, first + QUIET_SECONDS


def _memo_time(memo: dict[str, Any], name: str) -> float:
    value = memo.get(name)
    return value if isinstance(value, int | float) else 0.0
