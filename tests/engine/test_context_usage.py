"""Measuring what is left of the window."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.engine.compiled_plan import Profile
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.systems.synapse.profile import PROFILE

SYNAPSE = Profile(PROFILE)


def bracket(remaining: float) -> str:
    return SYNAPSE.bracket_at(remaining).name


@pytest.mark.parametrize(
    ("remaining", "name"),
    [
        (100, "FRESH"),
        (60, "FRESH"),
        (59.99, "MODERATE"),
        (40, "MODERATE"),
        (39.99, "DEPLETED"),
        (25, "DEPLETED"),
        (24.99, "CRITICAL"),
        (0, "CRITICAL"),
    ],
)
def test_the_brackets_begin_where_the_table_says(remaining: float, name: str) -> None:
    assert bracket(remaining) == name


@pytest.mark.parametrize(
    ("prompts", "name"),
    [
        (0, "FRESH"),
        (53, "FRESH"),
        (54, "MODERATE"),
        (80, "MODERATE"),
        (81, "DEPLETED"),
        (100, "DEPLETED"),
        (101, "CRITICAL"),
        (10_000, "CRITICAL"),
    ],
)
def test_the_prompt_estimate_changes_brackets_at_54_81_and_101(prompts: int, name: str) -> None:
    assert bracket(measure_usage(prompts=prompts).remaining) == name


def test_nothing_known_is_a_fresh_window() -> None:
    usage = measure_usage()
    assert (usage.remaining, usage.source) == (100, "default")


@pytest.mark.parametrize("value", [math.nan, math.inf, "50", True, [], {}])
def test_what_is_no_number_is_critical(value: object) -> None:
    usage = measure_usage(reported=value)
    assert (bracket(usage.remaining), usage.source) == ("CRITICAL", "invalid")
    assert usage.notes


@pytest.mark.parametrize(
    "figures",
    [
        {"used": -1, "window": 10},
        {"used": 5, "window": 0},
        {"used": math.nan, "window": 10},
        {"prompts": -1},
    ],
)
def test_impossible_figures_are_critical(figures: dict[str, object]) -> None:
    assert measure_usage(**figures).source == "invalid"  # type: ignore[arg-type]


@pytest.mark.parametrize(("value", "kept"), [(130, 100), (-5, 0)])
def test_percentages_outside_0_to_100_are_clamped_and_told(value: int, kept: int) -> None:
    usage = measure_usage(reported=value)
    assert usage.remaining == kept
    assert usage.notes


def test_the_best_source_answers() -> None:
    assert measure_usage(reported=70, used=1, window=2, prompts=90).source == "reported"
    assert measure_usage(used=50, window=200, prompts=90).remaining == 75
    assert measure_usage(prompts=3).source == "estimated"


@given(st.one_of(st.none(), st.floats(), st.integers(), st.text()))
def test_any_input_gives_a_percentage(value: object) -> None:
    assert 0 <= measure_usage(reported=value).remaining <= 100
    assert 0 <= measure_usage(used=value, window=value).remaining <= 100
    assert 0 <= measure_usage(prompts=value).remaining <= 100
