"""Recover sessions at a prompt: pick up the continuation of another, and advise to start a new one.

A continuation is picked up once, as the user's cache lists, and not while its session still goes
on; its file is not changed. Criteria of the advice: Chati Context Engine, "Spawn Decision Criteria".
"""

import shlex
from typing import NamedTuple

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.situation import Situation
from synapse_ls.engine.user_prompt import Prompt
from synapse_ls.formats.continuation_file import CRITERION, Continuation
from synapse_ls.formats.session_file import SessionState
from synapse_ls.hooks.hook_call import HookCall
from synapse_ls.hooks.session_upkeep import critical_streak
from synapse_ls.integrations import session_commands
from synapse_ls.integrations.transcript_tail import file_size
from synapse_ls.memory import continuations
from synapse_ls.memory.continuations import SPAWN, SessionCounters, decide_handoff, find_unfinished
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


_FOR_AGENT = "A new session is better from here. {reason} Bring the current step to a safe point."
_FILE = " {file} says where the next session goes on."
_TELL = " Tell the user so."
_FOR_PERSON = "Synapse LS: a new session is better from here. {reason} {how}"


class Advice(NamedTuple):
    """The advice to begin a new session. codes: the criteria that are met for the first time."""

    codes: tuple[str, ...]
    for_person: str


def add_advice(call: HookCall, plan: Plan, session: SessionState, situation: Situation) -> None:
    """Add the advice to the reply to a prompt with which a criterion is met that was not before."""
    marks, score = session.recovery, session.recovery.score
    same = score is not None and score.agent in (None, situation.agent)
    decision = continuations.decide_handoff(
        continuations.SessionCounters(
            compactions=session.context.compactions,
            critical_streak=critical_streak(session, situation),
            score_before=score.before if score is not None and same else None,
            score_after=continuations.agent_score(plan, situation.agent),
        )
    )
    reasons = [reason for reason in decision.reasons if reason.code not in marks.advised]
    if not reasons:
        return
    file = continuations.continuation_place(call.root)
    reason, start = reasons[0].sentence, session_commands.session_start_of(call.host.name)
    words, is_noted = (
        session_commands.start_command(start, file),
        bool(file_size(call.event.transcript)),
    )
    how = (
        f"Begin it with: {shlex.join(words)}"
        if words
        else session_commands.start_instruction(start, file)
    )
    if not is_noted:
        how = ""  # without a transcript nobody writes down where this one goes on
    call.advice = Advice(
        tuple(reason.code for reason in reasons),
        _FOR_PERSON.format(reason=reason, how=how).rstrip(),
    )
    advice = _FOR_AGENT.format(reason=reason) + (_FILE.format(file=file) if is_noted else "")
    situation.remarks.append(advice if call.host.shows_notices else advice + _TELL)
