"""This module says whether the last reply of a turn is still fresh, so that nothing new has to be
delivered; it looks at stamps and needs no plan.

Most tool events bring nothing new. So a window remembers what its last reply was made of: which
plan and rule files, what the session said of the work, and how large the transcript was. A token is
a byte or more, so as long as the transcript has grown by fewer bytes than there are tokens left to
the next bracket, nobody has to look how many there are. Where nothing is known of the window
(before its first answer, after a compaction) somebody looks once the transcript has grown by a
little.
"""

from __future__ import annotations

from synapse_ls.engine.delivery_difference import next_change_tokens
from synapse_ls.engine.text_identity import hash_text
from synapse_ls.hooks import compaction_counting
from synapse_ls.storage import plan_cache
from synapse_ls.storage.digest_marks import transcript_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Final

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.integrations.hook_event import Event
    from synapse_ls.storage.plan_cache import PlanStamps
    from synapse_ls.storage.session_state import SessionState
    from synapse_ls.storage.window_state import WindowState

LOOK_BYTES: Final = (
    16_384  # bytes of transcript after which somebody looks, where nothing was known
)


def remember_sources(
    window: WindowState,
    session: SessionState,
    event: Event,
    plan: Plan,
    plan_time: int,
    assembly: Assembly,
) -> None:
    """Notes what the reply was made of, by which it is known to be fresh later; ``plan_time``: time
    of the plan's file, 0 for none.
    """
    window.sources = plan_time, tuple(sorted(assembly.rule_files()))
    remember_session(window, session)
    window.transcript = event.transcript, transcript_size(event.transcript)
    thresholds = [t for p in plan.periodic if (t := plan.domain(p).on_tokens)]
    full = window.full_block_remaining
    window.next_change = next_change_tokens(
        assembly.situation.usage, plan.profile.brackets, full, thresholds
    )


def remember_session(window: WindowState, session: SessionState) -> None:
    """Notes what the session says now, by which the reply to it is known to be fresh, once it says
    what the reply was made with.
    """
    if window.sources is not None:
        window.session_hash = _session_hash(session)


def fresh_stamps(
    host: ModuleType, root: str, session: SessionState, window: WindowState, event: Event
) -> PlanStamps | None:
    """Returns the stamps of the tree where nothing is new since the last reply, else None."""
    made = window.sources
    if made is None or window.session_hash != _session_hash(session):
        return None
    if compaction_counting.is_transcript_shorter(window, event) or _may_need_look(window, event):
        return None
    if compaction_counting.note_summary(host, window, event):
        return None
    stamped = plan_cache.read_stamps(root)
    if stamped is None or stamped.written != made[0]:
        return None
    return stamped if stamped.is_current() and stamped.is_current_for(made[1]) else None


def _may_need_look(window: WindowState, event: Event) -> bool:
    """Returns whether the window may be fuller by so much that it matters."""
    until, used = window.next_change, window.used
    if used is None and not event.subagent:
        # Of a window of which nothing is known, as before its first answer.
        used, until = 0, LOOK_BYTES
    if until is None or used is None:
        return False
    if event.figures is not None:
        told = event.figures.get("used")
        return isinstance(told, int | float) and (told >= until or told < used)
    size = window.transcript[1]
    if not event.transcript or size is None:
        return False
    return used + transcript_size(event.transcript) - size >= until


def _session_hash(session: SessionState) -> str:
    active = (session.agent, session.workflow, session.task, session.squad)
    documents = [one and one.to_document() for one in active]
    return hash_text(repr([*documents, session.overrides]))
