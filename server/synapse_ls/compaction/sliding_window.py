"""This module slides a window over a history: it keeps the last messages and drops the others
(neuron-context, `SlidingWindowStrategy`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from synapse_ls.compaction.argument_checks import check_number
from synapse_ls.compaction.compaction_errors import OverLimitError
from synapse_ls.compaction.context_strategy import LimitedStrategy
from synapse_ls.compaction.message import Message
from synapse_ls.compaction.message_units import (
    SplitHistory,
    Unit,
    is_pinned,
    split_units,
    turn_starts,
)
from synapse_ls.compaction.token_counter import TokenCounter


class SlidingWindowStrategy(LimitedStrategy):
    """A SlidingWindowStrategy keeps instructions, which come first, and the last ``window_size`` of
    the other messages.

    * A call and its results go together: what would be cut through goes whole, but the newest unit
      always stays, unless the window is 0.
    * A window that begins within a turn begins with the prompt of that turn, which counts as one of
      the ``window_size``: a model is told what was asked, and by whom it is spoken to.
    * Where that is still too long, the oldest go until it fits.
    * Pinned messages stay, with what belongs to them, and count as none of the ``window_size``.
    """

    def __init__(
        self, window_size: int, max_tokens: int, counter: TokenCounter | None = None
    ) -> None:
        super().__init__(max_tokens, counter)
        check_number(window_size, "a window is a number of messages")
        self.window_size = window_size

    async def compact(self, messages: Sequence[Message]) -> list[Message]:
        """Returns the history as far as the window reaches.

        Raises `OverLimitError` where no window is short enough; its ``messages`` are the window as
        it was asked for.
        """
        system, rest = SplitHistory.from_messages(messages)
        cost = list(map(self.counter.estimate_message, rest))
        begun = turn_starts(rest)
        held: set[int] = set()
        free: list[Unit] = []
        for unit in split_units(rest):
            if is_pinned(rest, unit):
                held.update(range(*unit))
            else:
                free.append(unit)
        if held and begun[first := min(held)] >= 0:
            held.add(begun[first])  # a history begins with a prompt
        base = self.counter.estimate_messages(system) + sum(cost[index] for index in held)
        # By unit: what it and all after it cost.
        alone = [sum(cost[i] for i in range(*unit) if i not in held) for unit in free]
        behind = list(accumulate(reversed(alone), initial=0))
        behind.reverse()

        def history_from(number: int) -> list[Message]:
            """The history from a unit on."""
            chosen = held | {i for unit in free[number:] for i in range(*unit)}
            if (anchor := _prompt_before(free, number, begun)) is not None:
                chosen.add(anchor)
            return [*system, *(rest[index] for index in sorted(chosen))]

        begin = self._first_kept(free, begun, held)
        found: list[int] = []
        for number in range(begin, max(begin + 1, len(free))):
            anchor = _prompt_before(free, number, begun)
            more = cost[anchor] if anchor is not None and anchor not in held else 0
            found.append(base + behind[number] + more)
            if found[-1] <= self.max_tokens:
                return history_from(number)
        raise OverLimitError(history_from(begin), found[0], self.max_tokens, min(found))

    def _first_kept(self, free: Sequence[Unit], starts: Sequence[int], held: set[int]) -> int:
        """Returns the number of the first unit that the window takes in."""
        if not self.window_size or not free:
            return len(free)
        begin, size = len(free), 0
        for number in range(len(free) - 1, -1, -1):
            size += free[number].stop - free[number].start
            anchor = _prompt_before(free, number, starts)
            more = anchor is not None and anchor not in held
            if size + more > self.window_size:
                if size > self.window_size:
                    break
                continue  # with its prompt it is too long, but further back the prompt is inside
            begin = number
        return min(begin, len(free) - 1)


def _prompt_before(free: Sequence[Unit], number: int, starts: Sequence[int]) -> int | None:
    """Returns the prompt before a window that begins with a unit in the midst of a turn."""
    if number >= len(free):
        return None
    start = free[number].start
    return starts[start] if 0 <= starts[start] < start else None
