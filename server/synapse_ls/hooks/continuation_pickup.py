"""Let a new session pick up the continuation of another session, unless that one still goes on.

The continuation file is not changed. The user's cache lists the sessions that were picked up, so
that each is picked up once.
"""

from synapse_ls.engine.user_prompt import Prompt
from synapse_ls.formats.continuation_file import CRITERION, Continuation
from synapse_ls.formats.session_file import SessionState
from synapse_ls.hooks.hook_call import HookCall
from synapse_ls.memory.handoff import SPAWN, SessionCounters, decide_handoff, find_unfinished
from synapse_ls.storage import plan_cache
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.text.iso_time import parse_instant

MEMO_KIND = "resumed"
MAX_SESSIONS = 50  # sessions of a tree that are remembered as taken up
MICROSECONDS = 1_000_000  # in a second
QUIET_SECONDS = 3600.0  # seconds without any event after which a session is not going on
MAX_CRITERIA = 12
HANDOFF_REASONS = ("manual", "score_drop", "agent_done")  # reasons for which somebody has to go on


def pick_up_continuation(call: HookCall, session: SessionState) -> None:
    """Have ``session``, which is new, pick up the latest continuation for its agent: it is given
    the hand-off notes.
    """
    continuation = find_unfinished(call.root, _first_agent(call, session))
    if continuation is None or continuation.session == call.event.session_id:
        return
    name = f"{continuation.session} {continuation.created}"
    hours = call.current_plan.plan.settings["stale_hours"]
    is_abandoned = _is_abandoned(call, continuation, hours)
    if not (is_abandoned and plan_cache.add_names(call.root, MEMO_KIND, (name,), MAX_SESSIONS)):
        return
    following = next((line[6:] for line in continuation.resume if line.startswith("Next: ")), "")
    criteria = [
        item.removeprefix(CRITERION)
        for item in continuation.open_items
        if item.startswith(CRITERION)
    ]
    session.recovery.notes = {
        "from": continuation.session,
        "agent": continuation.agent,
        "work": {
            "agent": continuation.agent,
            "workflow": continuation.workflow,
            "phase": continuation.step,
            "task": continuation.task,
            "story": continuation.story,
            "criteria": criteria[:MAX_CRITERIA],
        },
        "decisions": list(continuation.decisions[-5:]),
        "open": [item for item in continuation.open_items if not item.startswith(CRITERION)][-5:],
        "errors": [error for error in continuation.errors if error.endswith("not solved")][-5:],
        "solved": [error for error in continuation.errors if not error.endswith("not solved")][-5:],
        "files": list(continuation.artifacts[-8:]),
        "next": "" if following in criteria else following,
    }


def _first_agent(call: HookCall, session: SessionState) -> str:
    """Return the agent that the session begins with, "" for none."""
    plan = call.current_plan.plan
    prompt = Prompt(call.event.prompt, agents=plan.agents, activations=plan.settings["activate"])
    return plan.find_agent(call.event.agent) or prompt.agent or session.agent.id or ""


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
    counters = SessionCounters(before.context.compactions, before.recovery.critical_streak or 0)
    if before.ended or decide_handoff(counters).action == SPAWN:
        return True  # it is over, or another session is better by what it counts itself
    last = parse_instant(before.last_activity)
    return last is not None and call.now - last / MICROSECONDS > QUIET_SECONDS
