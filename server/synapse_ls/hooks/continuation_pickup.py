"""This module lets a new session pick up the continuation that another session has left, unless
that one goes on itself.

The continuation file stays as it is. Which sessions were picked up is noted in the user's cache,
so that each is picked up once.
"""

from __future__ import annotations

from synapse_ls.engine.user_prompt import Prompt
from synapse_ls.formats.continuation_file import CRITERION
from synapse_ls.hooks.acting_agent import known_agent
from synapse_ls.storage import plan_cache
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.text.iso_time import parse_instant
from synapse_ls.text.lazy_import import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.formats.continuation_file import Continuation
    from synapse_ls.hooks.hook_call import HookCall
    from synapse_ls.storage.session_state import SessionState

MEMO_KIND: Final = "resumed"
MAX_SESSIONS: Final = 50  # sessions of a tree that are remembered as taken up
MICROSECONDS: Final = 1_000_000  # in a second
QUIET_SECONDS: Final = 3600.0  # seconds without any event after which a session is not going on
MAX_CRITERIA: Final = 12
HANDOFF_REASONS: Final = (
    "manual",
    "score_drop",
    "agent_done",
)  # reasons for which somebody has to go on


def pick_up_continuation(call: HookCall, session: SessionState) -> None:
    """Has ``session``, which is new, pick up the latest continuation for its agent: it is given the
    hand-off notes.
    """
    left = load_module("synapse_ls.memory.continuation_store").find_unfinished(
        call.root, _first_agent(call, session)
    )
    if left is None or left.session == call.event.session_id:
        return
    memo = plan_cache.read_memo(call.root, MEMO_KIND)
    taken = memo.get("taken")
    known = taken if isinstance(taken, list) else []
    name = f"{left.session} {left.created}"
    hours = call.current_plan.plan.settings["stale_hours"]
    if name in known or not _is_abandoned(call, left, hours):
        return
    session.recovery.notes = continuation_notes(left)
    plan_cache.write_memo(call.root, MEMO_KIND, {"taken": [*known, name][-MAX_SESSIONS:]})


def _first_agent(call: HookCall, session: SessionState) -> str:
    """Returns the agent that the session begins with, "" for none."""
    plan = call.current_plan.plan
    said = Prompt(call.event.prompt, agents=plan.agents, activations=plan.settings["activate"])
    return str(known_agent(plan, call.event) or said.agent or session.agent.id or "")


def continuation_notes(left: Continuation) -> dict[str, Any]:
    """Returns the hand-off notes of a session that picks up the continuation ``left``."""
    following = next((said[6:] for said in left.resume if said.startswith("Next: ")), "")
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
    """Returns whether the session of a continuation is over, or asked for another one, and not too
    long ago.
    """
    made = parse_instant(left.created)
    if made is None or call.now - made / MICROSECONDS > hours * 3600:
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
    return last is not None and call.now - last / MICROSECONDS > QUIET_SECONDS


def _wants_successor(session: SessionState) -> bool:
    """Returns whether another session is better than this one, by what it counts itself."""
    decision = load_module("synapse_ls.memory.handoff_decision")
    streak = session.recovery.critical_streak or 0
    known = decision.SessionCounters(session.context.compactions, streak)
    return bool(decision.decide_handoff(known).action == decision.SPAWN)
