"""This module decides which process makes a digest that is due.

A short transcript is read by the hook's own process once the client has its answer, a long one, or
one that a prompt waits for, by another.
"""

from __future__ import annotations

from synapse_ls.storage.digest_marks import transcript_size
from synapse_ls.text.lazy_import import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.hooks.hook_call import HookCall
    from synapse_ls.storage.session_state import SessionState

SMALL_TRANSCRIPT: Final = 400_000  # bytes of a transcript that the hook's own process reads
WORKER: Final = "synapse_ls.hooks.digest_worker"


def make_due_digest(call: HookCall, session: SessionState, *, is_waited_for: bool = False) -> None:
    """Makes the digest that is due, now or in a process of its own.

    is_waited_for: somebody waits for the hook's process to end, not only for its answer.
    """
    mark = session.recovery.due
    if mark is None:
        return
    elsewhere = is_waited_for or transcript_size(mark.transcript) > SMALL_TRANSCRIPT
    if not (elsewhere and start_worker(call.root, call.event.session_id)):
        load_module(WORKER).make_digest(call.root, call.event.session_id, now=call.now)


def start_worker(root: str, session_id: str) -> bool:
    """Starts the process that makes a digest which is due; returns whether it was started."""
    start_process = load_module("synapse_ls.storage.background_process").start_process
    started: bool = start_process(WORKER, root, session_id)
    return started
