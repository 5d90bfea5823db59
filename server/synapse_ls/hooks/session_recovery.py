"""Decide whether a session goes on, hands off or needs a new one, and pick up continuations.

A continuation is picked up once, as the user's cache lists, and not while its session still goes
on; its file is not changed. Thresholds of the decision: Chati Context Engine, "Spawn Decision
Criteria", inclusive, except that the score has to drop by *more than* 15 percent.
"""

import shlex
from math import isfinite
from typing import NamedTuple

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.prompt_parser import Prompt
from synapse_ls.engine.situation import Situation
from synapse_ls.formats.continuation_file import CRITERION, Continuation
from synapse_ls.formats.session_file import MAX_COMPACTIONS, MAX_CRITICAL_STREAK, SessionState
from synapse_ls.hooks.hook_call import HookCall
from synapse_ls.hooks.session_upkeep import critical_streak
from synapse_ls.integrations import session_commands, transcript_tail
from synapse_ls.memory.continuations import continuation_place, find_unfinished, is_latest_foreign
from synapse_ls.storage import atomic_files, plan_cache
from synapse_ls.text.iso_time import parse_instant

# Go on in this window; write the hand-off now; go on in a new session.
CONTINUE, HANDOFF, SPAWN = "continue", "handoff", "spawn"

MAX_SCORE_DROP = 15  # % of the score before


def agent_score(plan: Plan, agent: str) -> float | None:
    """Return the score of the session's agent that the tree's own state names; None where it names
    none.
    """
    scores = plan.extra.get("scores")
    score = scores.get(agent) if isinstance(scores, dict) and agent else None
    if isinstance(score, bool) or not isinstance(score, int | float):
        return None
    return float(score)


class SessionCounters(NamedTuple):
    """The figures of a session that the hand-off decision is made from.

    compactions: how often its history was compacted. critical_streak: prompts in a row in the last
    bracket. score_before, score_after: of the agent, in points, before and after the last
    compaction; None where nobody has given one. agent_done: the active agent has done its part, and
    the next step is another's. critical: the hand-off is due in the present bracket.
    """

    compactions: int = 0
    critical_streak: int = 0
    score_before: float | None = None
    score_after: float | None = None
    agent_done: bool = False
    critical: bool = False


class HandoffReason(NamedTuple):
    """One reason for a hand-off decision, a criterion that is met: its name in the continuation
    file, and a sentence.
    """

    code: str
    sentence: str


class HandoffDecision(NamedTuple):
    """The hand-off decision, what a session should do (`CONTINUE`, `HANDOFF` or `SPAWN`), and every
    reason for it, the strongest first; none for "continue".
    """

    action: str
    reasons: tuple[HandoffReason, ...] = ()


def decide_handoff(counters: SessionCounters) -> HandoffDecision:
    """Make the hand-off decision: return what a session with these counters should do. Scores that
    are not finite numbers count as unknown.
    """
    before, after = counters.score_before, counters.score_after
    has_dropped = (
        before is not None
        and after is not None
        and isfinite(before)
        and isfinite(after)
        and (before - after) * 100 > MAX_SCORE_DROP * before
    )
    criteria = (
        (
            counters.compactions >= MAX_COMPACTIONS,
            "compact",
            f"The history was compacted {counters.compactions} times in one session: the context "
            "is churning too fast.",
        ),
        (
            has_dropped,
            "score_drop",
            f"The agent's score fell from {before:g} to {after:g} after the compaction, by more "
            f"than {MAX_SCORE_DROP} %: it lost what it needs."
            if has_dropped
            else "",
        ),
        (
            counters.critical_streak >= MAX_CRITICAL_STREAK,
            "critical",
            f"{counters.critical_streak} prompts in a row were answered with hardly any window "
            "left: recovery is not working.",
        ),
        (
            counters.agent_done,
            "agent_done",
            "The active agent has done its part, and the next step is another agent's.",
        ),
    )
    if reasons := tuple(HandoffReason(code, text) for is_met, code, text in criteria if is_met):
        return HandoffDecision(SPAWN, reasons)
    if counters.critical:
        sentence = "Little of the context window is left, so the hand-off is due."
        return HandoffDecision(HANDOFF, (HandoffReason("critical", sentence),))
    return HandoffDecision(CONTINUE)


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
    plan = call.current_plan.plan
    prompt = Prompt(call.event.prompt, agents=plan.agents, activations=plan.settings["activate"])
    return plan.find_agent(call.event.agent) or prompt.agent or session.agent.id or ""


def _is_abandoned(call: HookCall, left: Continuation, hours: float) -> bool:
    """Return whether the session of a continuation is over, or asked for another one, and not too
    long ago.
    """
    created = parse_instant(left.created)
    if created is None or abs(call.now - created / MICROSECONDS) > hours * 3600:
        return False
    if left.reason in HANDOFF_REASONS:
        return True
    try:
        before = call.store.load(left.session)
    except atomic_files.StorageError:
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
    marks = session.recovery
    decision = decide_handoff(
        SessionCounters(
            compactions=session.context.compactions,
            critical_streak=critical_streak(session, situation),
            score_before=marks.score_before(situation.agent),
            score_after=agent_score(plan, situation.agent),
        )
    )
    reasons = [reason for reason in decision.reasons if reason.code not in marks.advised]
    if not reasons:
        return
    file = continuation_place(call.root)
    reason, start = reasons[0].sentence, session_commands.session_start_of(call.host.name)
    words = session_commands.start_command(start, file)
    has_transcript = bool(transcript_tail.file_size(call.event.transcript))
    is_noted = has_transcript and not is_latest_foreign(call.root)
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
