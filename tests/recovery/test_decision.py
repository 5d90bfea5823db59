"""Whether a session goes on."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.recovery.decision import CONTINUE, HANDOFF, SPAWN, Counters, decide

NUMBERS = st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True))


@pytest.mark.parametrize(
    ("counters", "action", "codes"),
    [
        (Counters(), CONTINUE, ()),
        (Counters(compactions=2), CONTINUE, ()),
        (Counters(compactions=3), SPAWN, ("compact",)),
        (Counters(score_before=95, score_after=80), CONTINUE, ()),
        (Counters(score_before=95, score_after=79.9), SPAWN, ("score_drop",)),
        (Counters(score_before=95), CONTINUE, ()),
        (Counters(score_after=10), CONTINUE, ()),
        (Counters(critical_streak=2, critical=True), HANDOFF, ("critical",)),
        (Counters(critical_streak=3, critical=True), SPAWN, ("critical",)),
        (Counters(agent_done=True), SPAWN, ("agent_done",)),
        (
            Counters(4, 5, 90, 50, True, True),
            SPAWN,
            ("compact", "score_drop", "critical", "agent_done"),
        ),
    ],
)
def test_each_criterion_has_its_threshold(
    counters: Counters, action: str, codes: tuple[str, ...]
) -> None:
    decision = decide(counters)
    assert decision.action == action
    assert tuple(reason.code for reason in decision.reasons) == codes
    assert all(reason.sentence.endswith(".") for reason in decision.reasons)


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_says_nothing(odd: float) -> None:
    assert decide(Counters(score_before=odd, score_after=10)).action == CONTINUE
    assert decide(Counters(score_before=90, score_after=odd)).action == CONTINUE


@given(st.builds(Counters, st.integers(), st.integers(), NUMBERS, NUMBERS, st.booleans()))
def test_a_decision_has_reasons_exactly_when_it_is_not_to_go_on(counters: Counters) -> None:
    decision = decide(counters)
    assert bool(decision.reasons) == (decision.action != CONTINUE)


@given(st.integers(0, 9), st.integers(0, 9))
def test_more_compactions_never_make_a_session_go_on(few: int, more: int) -> None:
    order = (CONTINUE, HANDOFF, SPAWN)
    first, second = sorted((few, more))
    assert order.index(decide(Counters(first)).action) <= order.index(
        decide(Counters(second)).action
    )
