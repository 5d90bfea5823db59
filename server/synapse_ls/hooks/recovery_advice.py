"""Advise the agent and the user to start a new session, once per session and criterion.

Criteria: Chati Context Engine, "Spawn Decision Criteria".
"""

import shlex
from typing import NamedTuple

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.situation import Situation
from synapse_ls.formats.session_file import SessionState
from synapse_ls.hooks.hook_call import HookCall
from synapse_ls.hooks.session_upkeep import critical_streak
from synapse_ls.integrations import session_commands
from synapse_ls.integrations.transcript_tail import file_size
from synapse_ls.memory import handoff

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
    decision = handoff.decide_handoff(
        handoff.SessionCounters(
            compactions=session.context.compactions,
            critical_streak=critical_streak(session, situation),
            score_before=score.before if score is not None and same else None,
            score_after=handoff.agent_score(plan, situation.agent),
        )
    )
    reasons = [reason for reason in decision.reasons if reason.code not in marks.advised]
    if not reasons:
        return
    file = handoff.continuation_place(call.root)
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
