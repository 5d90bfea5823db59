"""`SystemInjector`: the expectations of neuron-context, and what makes a rule less insistent."""

from __future__ import annotations

import pytest

from synapse_ls.compaction import (
    EveryNTurns,
    InjectionTrigger,
    OnTokenThreshold,
    SystemInjector,
)

Rules = list[tuple[InjectionTrigger, str]]


def injector(*rules: tuple[InjectionTrigger, str]) -> SystemInjector:
    made = SystemInjector()
    for trigger, content in rules:
        made.add_rule(trigger, content)
    return made


LOW_HIGH: Rules = [(OnTokenThreshold(10_000), "low"), (OnTokenThreshold(50_000), "high")]
TEN: Rules = [(EveryNTurns(10), "Turn 10"), (OnTokenThreshold(100_000), "t")]
THREE: Rules = [(OnTokenThreshold(0), name) for name in ("First", "Second", "Third")]


def at(trigger: InjectionTrigger) -> Rules:
    return [(trigger, "x")]


# The rules, and what they tell at (turn, tokens).
MANY: list[tuple[Rules, dict[tuple[int, int], str]]] = [
    (at(EveryNTurns(5)), {(5, 0): "x", (10, 0): "x", (15, 0): "x", (1, 0): "", (4, 0): "", (6, 0): "", (0, 0): ""}),
    (at(OnTokenThreshold(50_000)), {(1, 50_000): "x", (1, 60_000): "x", (1, 49_999): ""}),
    ([(EveryNTurns(5), "Every 5"), (OnTokenThreshold(10_000), "t")], {(5, 15_000): "Every 5, t"}),
    ([], {(10, 100_000): ""}),
    (TEN, {(5, 50_000): "", (10, 50_000): "Turn 10"}),
    (at(EveryNTurns(0)), {(0, 0): "", (1, 0): "", (100, 0): ""}),
    (at(EveryNTurns(1)), {(0, 0): "", (1, 0): "x", (2, 0): "x", (3, 0): "x", (100, 0): "x"}),
    (at(OnTokenThreshold(1000)), {(1, 1000): "x", (1, 999): ""}),
    (at(OnTokenThreshold(0)), {(0, 0): "x", (0, 100): "x"}),
    ([(EveryNTurns(3), "3"), (EveryNTurns(5), "5")], {(3, 0): "3", (5, 0): "5", (15, 0): "3, 5", (7, 0): ""}),
    (LOW_HIGH, {(1, 5_000): "", (1, 20_000): "low", (1, 60_000): "low, high"}),
    (at(EveryNTurns(1000)), {(999, 0): "", (1000, 0): "x", (1001, 0): "", (2000, 0): "x"}),
    (THREE, {(1, 0): "First, Second, Third"}),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "expected"), MANY)
def test_what_is_due(rules: Rules, expected: dict[tuple[int, int], str]) -> None:
    for (turn, tokens), told in expected.items():
        assert ", ".join(injector(*rules).check(turn, tokens)) == told


def test_a_threshold_fires_on_every_later_turn_unless_something_else_is_said() -> None:
    rules = injector((OnTokenThreshold(10), "t"))
    assert [rules.check(turn, 10) for turn in (1, 2, 3)] == [["t"]] * 3


def test_an_edge_fires_when_the_threshold_is_reached_and_again_after_it_was_left() -> None:
    rules = SystemInjector()
    rules.add_rule(OnTokenThreshold(10), "t", edge=True)
    told = [bool(rules.check(turn, tokens)) for turn, tokens in enumerate((9, 10, 11, 9, 12), 1)]
    assert told == [False, True, False, False, True]


def test_a_cooldown_keeps_a_rule_silent_for_so_many_turns() -> None:
    rules = SystemInjector()
    rules.add_rule(OnTokenThreshold(10), "t", cooldown=3)
    assert [bool(rules.check(turn, 10)) for turn in range(1, 8)] == [
        True, False, False, True, False, False, True
    ]  # fmt: skip


def test_turns_that_begin_anew_end_a_cooldown() -> None:
    rules = SystemInjector()
    rules.add_rule(OnTokenThreshold(10), "t", cooldown=100)
    assert rules.check(50, 10) == ["t"]
    assert rules.check(1, 10) == ["t"]


def test_a_cooldown_below_0_is_refused() -> None:
    with pytest.raises(ValueError, match="-1"):
        SystemInjector().add_rule(EveryNTurns(1), "x", cooldown=-1)
