"""This module injects system texts: it decides when something is said to a model once more
(neuron-context, `InjectionTrigger`, `SystemInjector`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from synapse_ls.compaction.argument_checks import check_methods, check_number, check_text


@dataclass(frozen=True, slots=True)
class EveryNTurns:
    """EveryNTurns triggers an injection at turns ``n``, ``2n``, …; never at turn 0, and never where
    ``n`` is 0 or less.
    """

    n: int

    def fires(self, turn: int, token_count: int) -> bool:  # noqa: ARG002 - triggers are asked alike
        """Tells whether it is time at ``turn``, counted from 1."""
        return self.n > 0 and turn > 0 and turn % self.n == 0


@dataclass(frozen=True, slots=True)
class OnTokenThreshold:
    """OnTokenThreshold triggers an injection while the history takes ``tokens`` or more; 0 is
    always reached.
    """

    tokens: int

    def fires(self, turn: int, token_count: int) -> bool:  # noqa: ARG002 - triggers are asked alike
        """Tells whether ``token_count`` has reached the threshold."""
        return token_count >= self.tokens


InjectionTrigger: TypeAlias = EveryNTurns | OnTokenThreshold
"""What may bring a text."""


class _Rule:
    __slots__ = ("content", "cooldown", "edge", "last_turn", "trigger", "was_active")

    def __init__(self, trigger: InjectionTrigger, content: str, edge: bool, cooldown: int) -> None:
        self.trigger = trigger
        self.content = content
        self.edge = edge
        self.cooldown = cooldown
        self.last_turn: int | None = None  # the turn at which it fired last
        self.was_active = False  # whether its trigger held when it was asked last

    def fires_at(self, turn: int, token_count: int) -> bool:
        held, self.was_active = self.was_active, self.trigger.fires(turn, token_count)
        fires = self.was_active and not (self.edge and held)
        if self.last_turn is not None and 0 <= turn - self.last_turn < self.cooldown:
            fires = False
        if fires:
            self.last_turn = turn
        return fires


class SystemInjector:
    """A SystemInjector injects texts that are due at certain turns or lengths of a history.

    As it stands, a rule fires whenever its trigger holds. ``edge`` has it fire only when its
    trigger begins to hold; ``cooldown`` keeps it silent for so many turns after it fired, its own
    included.
    """

    __slots__ = ("_rules",)

    def __init__(self) -> None:
        self._rules: list[_Rule] = []

    def add_rule(
        self, trigger: InjectionTrigger, content: str, *, edge: bool = False, cooldown: int = 0
    ) -> None:
        """Adds a rule: ``content`` is said when ``trigger`` fires. ValueError for a cooldown below
        0.
        """
        check_methods(trigger, "a trigger", "fires")
        for name in ("n", "tokens"):
            limit = getattr(trigger, name, 0)
            if isinstance(limit, bool) or not isinstance(limit, int):
                raise TypeError(f"a trigger waits for a number, not a {type(limit).__name__}")
        check_text(content, "what is injected")
        check_number(cooldown, "a cooldown is a number of turns")
        self._rules.append(_Rule(trigger, content, edge, cooldown))

    def check(self, turn: int, token_count: int) -> list[str]:
        """Returns what is due at ``turn`` (from 1) of a history of ``token_count`` tokens, in
        order of adding.
        """
        check_number(turn, "a turn is a number")
        check_number(token_count, "the length of a history is a number of tokens")
        return [rule.content for rule in self._rules if rule.fires_at(turn, token_count)]
