"""The attention score: its factors, what raises and lowers it, and its tiers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.memory_file import parse_day
from synapse_ls.memory.attention_score import (
    COLD,
    HOT,
    WARM,
    ScoreConstants,
    confidence_after,
    grow_confidence,
    score_attention,
)
from synapse_ls.memory.memory_record import Record
from synapse_ls.text.iso_time import format_day
from tests.memory.records import records

TODAY = 20_779  # 2026-11-22
ORDER = {COLD: 0, WARM: 1, HOT: 2}


def record(**fields: Any) -> Record:
    return Record(**{"title": "A", "created": format_day(TODAY), **fields})


@given(records(), st.integers(0, 40_000))
def test_a_score_is_between_nothing_and_one_and_is_made_of_its_factors(
    one: Record, today: int
) -> None:
    score = score_attention(one, today)
    assert 0 <= score.value <= 1
    product = 1.0
    for _, factor in score.factors:
        product *= factor
    if not score.uses_floor:
        assert score.value == pytest.approx(min(product, 1))


@given(records(), st.sampled_from(["evidence", "access_count"]), st.integers(1, 30))
def test_more_evidence_and_more_use_never_lower_a_score(one: Record, name: str, more: int) -> None:
    before, after = (
        score_attention(one, TODAY),
        score_attention(one.with_fields(**{name: getattr(one, name) + more}), TODAY),
    )
    assert after.value >= before.value
    assert ORDER[after.tier] >= ORDER[before.tier]


@given(records(), st.floats(0, 1))
def test_more_confidence_never_lowers_a_score(one: Record, other: float) -> None:
    low, high = sorted((one.confidence, other))
    before, after = (score_attention(one.with_fields(confidence=c), TODAY) for c in (low, high))
    assert after.value >= before.value
    assert ORDER[after.tier] >= ORDER[before.tier]


@given(records(), st.integers(0, 30_000), st.integers(0, 3_000))
def test_time_without_use_never_raises_a_score(one: Record, today: int, more: int) -> None:
    before, after = score_attention(one, today), score_attention(one, today + more)
    assert after.value <= before.value
    assert ORDER[after.tier] <= ORDER[before.tier]


@given(records(explicit=True), st.integers(0, 40_000))
def test_what_a_person_said_stays_hot(one: Record, today: int) -> None:
    assert score_attention(one, today).tier == HOT


@given(st.floats(0, 1))
def test_confidence_grows_and_never_passes_one(confidence: float) -> None:
    assert confidence <= grow_confidence(confidence) <= 1


def test_confidence_after_so_much_evidence_is_the_growth_of_each() -> None:
    confidence = 0.3
    for evidence in range(1, 12):
        assert confidence_after(evidence) == pytest.approx(confidence)
        confidence = grow_confidence(confidence)
    # HOT asks for more than 0.7, a heuristic for more than 0.9: both can be reached.
    assert confidence_after(3) <= 0.7 < confidence_after(4)
    assert confidence_after(6) <= 0.9 < confidence_after(7)


def test_a_correction_without_its_floor_would_be_forgotten() -> None:
    said = score_attention(record(explicit=True, confidence=0.3), TODAY)
    seen = score_attention(record(confidence=0.3), TODAY)
    assert seen.value == pytest.approx(0.03)
    assert seen.tier == COLD
    assert (said.value, said.tier, said.uses_floor) == (0.75, HOT, True)


@pytest.mark.parametrize(
    ("storage", "days", "recency"),
    [("session", 1, 0.6065), ("daily", 7, 0.4966), ("durable", 69, 0.5016), ("durable", 0, 1.0)],
)
def test_recency_fades_by_storage(storage: str, days: int, recency: float) -> None:
    assert score_attention(record(storage=storage), TODAY + days).recency == pytest.approx(
        recency, abs=1e-4
    )


def test_the_last_use_counts() -> None:
    used = record(created="2020-01-01", accessed=format_day(TODAY))
    assert score_attention(used, TODAY).recency == 1


def test_what_was_proven_is_hot_and_cools_down() -> None:
    proven = record(evidence=10, confidence=0.9)
    assert score_attention(proven, TODAY).tier == HOT
    assert score_attention(proven, TODAY + 60).tier == WARM
    assert score_attention(proven, TODAY + 200).tier == COLD


def test_what_was_seen_twice_or_used_three_times_is_warm_for_its_half_life() -> None:
    for one in (record(evidence=2, confidence=0.51), record(access_count=3)):
        assert score_attention(one, TODAY).tier == WARM
        assert score_attention(one, TODAY + 69).tier == WARM
        assert score_attention(one, TODAY + 70).tier == COLD


def test_the_tier_that_another_tool_wrote_holds_until_it_has_faded() -> None:
    hot, warm = record(tier="hot"), record(tier="warm")
    assert [score_attention(one, TODAY).tier for one in (hot, warm)] == [HOT, WARM]
    assert [score_attention(one, TODAY + 100).tier for one in (hot, warm)] == [COLD, COLD]


def test_every_constant_can_be_set() -> None:
    lenient = ScoreConstants.from_settings({"hot": 0.01, "growth": 1.0, "decay": {"durable": 0.0}})
    one = record(evidence=5, confidence=0.71)
    assert score_attention(one, TODAY + 5000, lenient).tier == HOT
    assert grow_confidence(0.3, lenient) == 1
    assert lenient.decay["session"] == 0.5  # what is not set is as documented


@given(st.integers(-700_000, 2_900_000))
def test_dates_and_days_are_inverse(day: int) -> None:
    assert parse_day(format_day(day)) == day
