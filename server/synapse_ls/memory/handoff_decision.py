"""This module makes the hand-off decision: whether a session continues, hands off, or should be
replaced by a new session. It is a pure function that gives its reasons.

Thresholds: Chati Context Engine, "Spawn Decision Criteria"; all of them inclusive but the score,
which has to drop by *more than* 15 points.
"""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

CONTINUE, HANDOFF, SPAWN = "continue", "handoff", "spawn"
"""Go on in this window; write the hand-off now; go on in a new session."""

MAX_COMPACTIONS = 3
MAX_SCORE_DROP = 15.0
MAX_CRITICAL_STREAK = 3


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

    @property
    def reason_code(self) -> str:
        """The reason that a continuation file names."""
        return self.reasons[0].code if self.reasons else ""


def decide_handoff(counters: SessionCounters) -> HandoffDecision:
    """Makes the hand-off decision: returns what a session with these counters should do. Scores
    that are not finite numbers count as unknown.
    """
    reasons: list[HandoffReason] = []
    if counters.compactions >= MAX_COMPACTIONS:
        said = (
            f"The history was compacted {counters.compactions} times in one session: the context is "
            "churning too fast."
        )
        reasons.append(HandoffReason("compact", said))
    drop = _score_drop(counters)
    if drop > MAX_SCORE_DROP:
        said = f"The agent's score fell by {drop:g} points after the compaction: it lost what it needs."
        reasons.append(HandoffReason("score_drop", said))
    if counters.critical_streak >= MAX_CRITICAL_STREAK:
        said = (
            f"{counters.critical_streak} prompts in a row were answered with hardly any window left: "
            "recovery is not working."
        )
        reasons.append(HandoffReason("critical", said))
    if counters.agent_done:
        said = "The active agent has done its part, and the next step is another agent's."
        reasons.append(HandoffReason("agent_done", said))
    if reasons:
        return HandoffDecision(SPAWN, tuple(reasons))
    if counters.critical:
        said = "Little of the context window is left, so the hand-off is due."
        return HandoffDecision(HANDOFF, (HandoffReason("critical", said),))
    return HandoffDecision(CONTINUE)


def _score_drop(counters: SessionCounters) -> float:
    before, after = counters.score_before, counters.score_after
    if before is None or after is None or not (isfinite(before) and isfinite(after)):
        return 0.0
    return before - after
