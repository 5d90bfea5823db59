"""Digests that are due: the marks that say so, and which process makes one.

A digest is due from the moment in which a compaction is known of until it was made. So a process
that is killed in between loses nothing: the next event finds the mark.

A short transcript is read by the hook's own process once the client has its answer, a long one, or
one that a prompt waits for, by another.
"""

from __future__ import annotations

import os

from synapse_ls.formats.recovery_marks import CRITICAL_REASON, DueDigest
from synapse_ls.text.lazy_import import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.engine.situation import Situation
    from synapse_ls.formats.session_file import SessionState
    from synapse_ls.hooks.hook_call import HookCall
    from synapse_ls.integrations.hook_event import Event

SMALL_TRANSCRIPT: Final = 400_000  # bytes of a transcript that the hook's own process reads
WORKER: Final = "synapse_ls.hooks.digest_worker"


def make_due_digest(call: HookCall, session: SessionState, *, is_waited_for: bool = False) -> None:
    """Make the digest that is due, now or in a process of its own.

    is_waited_for: somebody waits for the hook's process to end, not only for its answer.
    """
    mark = session.recovery.due
    if mark is None:
        return
    elsewhere = is_waited_for or transcript_size(mark.transcript) > SMALL_TRANSCRIPT
    if not (elsewhere and start_worker(call.root, call.event.session_id)):
        load_module(WORKER).make_digest(call.root, call.event.session_id, now=call.now)


def start_worker(root: str, session_id: str) -> bool:
    """Start the process that makes a digest which is due; return whether it was started."""
    start_process = load_module("synapse_ls.storage.background_process").start_process
    started: bool = start_process(WORKER, root, session_id)
    return started


def mark_digest_due(session: SessionState, event: Event, reason: str, now: float) -> None:
    """Mark that a digest of the main conversation is to be made; one that is due already keeps its
    reason.

    Without a transcript there is nothing to make it of.
    """
    if event.subagent or session.recovery.due or not transcript_size(event.transcript):
        return
    due = session.recovery.due = DueDigest()
    due.reason, due.transcript, due.at = reason, event.transcript, now


def count_critical_prompt(
    session: SessionState, situation: Situation, event: Event, now: float
) -> None:
    """Count a prompt that came with hardly any window left, in a row; the first of them marks a
    digest as due.
    """
    marks = session.recovery
    last = situation.bracket.handoff
    if not last and marks.critical_streak is None:
        return
    marks.critical_streak = (marks.critical_streak or 0) + 1 if last else 0
    if marks.critical_streak == 1:
        mark_digest_due(session, event, CRITICAL_REASON, now)


def transcript_size(path: str) -> int:
    """Return the bytes of a transcript, by which a digest knows how far it was read; 0 where there
    is none.
    """
    try:
        return os.stat(path).st_size if path else 0
    except (OSError, ValueError):
        return 0
