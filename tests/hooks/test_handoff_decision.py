"""Whether a session goes on."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.hooks.session_recovery import (
    CONTINUE,
    HANDOFF,
    SPAWN,
    SessionCounters,
    decide_handoff,
)

NUMBERS = st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True))


@pytest.mark.parametrize(
    ("counters", "action", "codes"),
    [
        (SessionCounters(), CONTINUE, ()),
        (SessionCounters(compactions=2), CONTINUE, ()),
        (SessionCounters(compactions=3), SPAWN, ("compact",)),
        (SessionCounters(score_before=80, score_after=68), CONTINUE, ()),
        (SessionCounters(score_before=80, score_after=67), SPAWN, ("score_drop",)),
        (SessionCounters(score_before=0, score_after=0), CONTINUE, ()),
        (SessionCounters(score_before=95), CONTINUE, ()),
        (SessionCounters(score_after=10), CONTINUE, ()),
        (SessionCounters(critical_streak=2, critical=True), HANDOFF, ("critical",)),
        (SessionCounters(critical_streak=3, critical=True), SPAWN, ("critical",)),
        (SessionCounters(agent_done=True), SPAWN, ("agent_done",)),
        (
            SessionCounters(4, 5, 90, 50, True, True),
            SPAWN,
            ("compact", "score_drop", "critical", "agent_done"),
        ),
    ],
)
def test_each_criterion_has_its_threshold(
    counters: SessionCounters, action: str, codes: tuple[str, ...]
) -> None:
    decision = decide_handoff(counters)
    assert decision.action == action
    assert tuple(reason.code for reason in decision.reasons) == codes
    assert all(reason.sentence.endswith(".") for reason in decision.reasons)


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_says_nothing(odd: float) -> None:
    assert decide_handoff(SessionCounters(score_before=odd, score_after=10)).action == CONTINUE
    assert decide_handoff(SessionCounters(score_before=90, score_after=odd)).action == CONTINUE


@given(st.builds(SessionCounters, st.integers(), st.integers(), NUMBERS, NUMBERS, st.booleans()))
def test_a_decision_has_reasons_exactly_when_it_is_not_to_go_on(counters: SessionCounters) -> None:
    decision = decide_handoff(counters)
    assert bool(decision.reasons) == (decision.action != CONTINUE)


@given(st.integers(0, 9), st.integers(0, 9))
def test_more_compactions_never_make_a_session_go_on(few: int, more: int) -> None:
    order = (CONTINUE, HANDOFF, SPAWN)
    first, second = sorted((few, more))
    assert order.index(decide_handoff(SessionCounters(first)).action) <= order.index(
        decide_handoff(SessionCounters(second)).action
    )
