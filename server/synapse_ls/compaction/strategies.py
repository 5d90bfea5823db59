"""Compaction strategies that need no model: sliding window, clearing of tool results, and chains.

APIs reject a tool's call without its result and the reverse. So a history is cut only between
units: an answer that calls tools, the results, and everything between them (neuron-context).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Protocol, TypeVar, runtime_checkable

from synapse_ls.compaction.message import (
    Block,
    Message,
    OverLimitError,
    RedactedThinking,
    Role,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    check_at_least,
    check_messages,
)
from synapse_ls.compaction.token_counter import TokenCounter

_log = logging.getLogger(__name__)


def split_units(messages: Sequence[Message]) -> list[range]:
    """Return the units of messages, the runs of indexes that may not be separated, in order;
    together they are all of them.

    A result belongs to the latest call before it with its id that has no result yet. Reasoning that
    stands alone (Responses) belongs to what the model said next: one is refused without the other.
    """
    ends = list(range(1, len(messages) + 1))  # by message: where the unit that begins there stops
    open_calls: dict[str, list[int]] = {}
    for index, message in enumerate(messages):
        if (
            message.content
            and all(isinstance(block, Thinking | RedactedThinking) for block in message.content)
            and index + 1 < len(messages)
        ):
            ends[index] = index + 2
        for block in message.content:
            if isinstance(block, ToolUse):
                open_calls.setdefault(block.id, []).append(index)
            elif isinstance(block, ToolResult) and (calls := open_calls.get(block.tool_use_id)):
                ends[calls.pop()] = index + 1
    units: list[range] = []
    start = stop = 0
    for index, end in enumerate(ends):
        if index == stop and index:
            units.append(range(start, stop))
            start = index
        stop = max(stop, end)
    if messages:
        units.append(range(start, stop))
    return units


def split_history(messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """Return the instructions of a history, and all else, in order; raise TypeError for what is no
    message.
    """
    check_messages(messages)
    system = [message for message in messages if message.role is Role.SYSTEM]
    return system, [message for message in messages if message.role is not Role.SYSTEM]


def turn_starts(messages: Sequence[Message]) -> list[int]:
    """Return, by message, where the turn that it belongs to begins; -1 before the first prompt."""
    prompts = (index if message.is_prompt else -1 for index, message in enumerate(messages))
    return list(accumulate(prompts, max))


def split_pinned(
    messages: Sequence[Message], starts: Sequence[int]
) -> tuple[set[int], list[range]]:
    """Return the indexes of pinned messages, with their units and the prompts of their turns, and
    the units that are none of these.

    starts: by message, the index of its prompt.
    """
    pinned: set[int] = set()
    prompts: set[int] = set()
    free: list[range] = []
    for unit in reversed(split_units(messages)):
        if any(messages[index].pinned or index in prompts for index in unit):
            pinned.update(unit)
            prompts.add(starts[unit.start])
        else:
            free.append(unit)
    free.reverse()
    return pinned, free


S = TypeVar("S", bound="LimitedStrategy")


@runtime_checkable
class ContextStrategy(Protocol):
    """A ContextStrategy makes a history shorter (neuron-context, `ContextStrategy`).

    Any object with these three methods serves, in `CompositeStrategy` too.
    """

    def should_compact(self, messages: Sequence[Message], token_count: int) -> bool:
        """Return whether a history of ``token_count`` tokens is too long."""

    async def compact(self, messages: Sequence[Message]) -> list[Message]:
        """Return a shorter history. Raises `ContextError` where there is none that may take its
        place.
        """

    def token_estimate(self, messages: Sequence[Message]) -> int:
        """Return the tokens of a history."""


class LimitedStrategy:
    """A strategy with a limit for the context, and the counter that everything is measured by.

    max_tokens: tokens that a history may take. Raises ValueError where it is below 0.
    """

    def __init__(self, max_tokens: int, counter: TokenCounter | None = None) -> None:
        check_at_least(0, max_tokens, "a limit in tokens")
        self.max_tokens = max_tokens
        self.counter = TokenCounter() if counter is None else counter

    def with_counter(self: S, counter: TokenCounter) -> S:
        """Return the same strategy with another counter."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.counter = counter
        return other

    def should_compact(self, messages: Sequence[Message], token_count: int) -> bool:  # noqa: ARG002
        """Return whether ``token_count`` is above the limit; a history that just fits stays."""
        return token_count > self.max_tokens

    def token_estimate(self, messages: Sequence[Message]) -> int:
        """Return the tokens of a history, by this strategy's counter."""
        return self.counter.estimate_messages(messages)

    def check_limit(self, messages: list[Message]) -> list[Message]:
        """Return ``messages``, the result; raise `OverLimitError` where they take more than the
        limit.
        """
        tokens = self.token_estimate(messages)
        name = type(self).__name__
        _log.info("%s: messages=%d tokens=%d/%d", name, len(messages), tokens, self.max_tokens)
        if tokens > self.max_tokens:
            raise OverLimitError(messages, tokens, self.max_tokens)
        return messages


class BoxedStrategy:
    """A BoxedStrategy is one type around a strategy of any (neuron-context, `BoxedStrategy`). It
    delegates all three methods; a composite looks into it.
    """

    def __init__(self, strategy: ContextStrategy) -> None:
        self.strategy = strategy

    def should_compact(self, messages: Sequence[Message], token_count: int) -> bool:
        """Return whether a history of ``token_count`` tokens is too long."""
        return self.strategy.should_compact(messages, token_count)

    async def compact(self, messages: Sequence[Message]) -> list[Message]:
        """Return a shorter history; see `ContextStrategy.compact`."""
        return await self.strategy.compact(messages)

    def token_estimate(self, messages: Sequence[Message]) -> int:
        """Return the tokens of a history."""
        return self.strategy.token_estimate(messages)


class CompositeStrategy(LimitedStrategy):
    """A CompositeStrategy asks its strategies in order and stops as soon as the history takes no
    more than the limit.

    One counter measures throughout: strategies of this package are given that of the composite.
    Each keeps its own limit: it is left out where its own ``should_compact`` says no, and where it
    cannot reach that limit what it made is handed on to the next.
    """

    def __init__(
        self,
        strategies: Sequence[ContextStrategy],
        max_tokens: int,
        counter: TokenCounter | None = None,
    ) -> None:
        super().__init__(max_tokens, counter)
        bare = (s.strategy if isinstance(s, BoxedStrategy) else s for s in strategies)
        self.strategies = tuple(
            s.with_counter(self.counter) if isinstance(s, LimitedStrategy) else s for s in bare
        )

    def with_counter(self, counter: TokenCounter) -> CompositeStrategy:
        """Return the same strategies with another counter."""
        return CompositeStrategy(self.strategies, self.max_tokens, counter)

    async def compact(self, messages: Sequence[Message]) -> list[Message]:
        """Return the history after as many strategies as it takes. Raises `OverLimitError` if all
        do not do.
        """
        check_messages(messages)
        current = list(messages)
        failure: OverLimitError | None = None
        for strategy in self.strategies:
            if (tokens := self.token_estimate(current)) <= self.max_tokens:
                return current
            if strategy.should_compact(current, tokens):
                _log.debug("%s is asked: tokens=%d", type(strategy).__name__, tokens)
                try:
                    current, failure = list(await strategy.compact(current)), None
                except OverLimitError as error:
                    current, failure = error.messages, error
        if (tokens := self.token_estimate(current)) > self.max_tokens:
            least, reason = (failure.least, failure.reason) if failure else (None, "")
            raise OverLimitError(current, tokens, self.max_tokens, least, reason=reason)
        return current


class SlidingWindowStrategy(LimitedStrategy):
    """A SlidingWindowStrategy keeps instructions, which come first, and the last ``window_size`` of
    the other messages.

    * A call and its results go together: what would be cut through goes whole, but the newest unit
      always stays, unless the window is 0.
    * A window that begins within a turn begins with the prompt of that turn, which counts as one of
      the ``window_size``: a model is told what was asked, and by whom it is spoken to.
    * Where that is still too long, the oldest go until it fits.
    * Pinned messages stay, with their calls, results and prompts, and count as none of the
      ``window_size``.
    """

    def __init__(
        self, window_size: int, max_tokens: int, counter: TokenCounter | None = None
    ) -> None:
        super().__init__(max_tokens, counter)
        check_at_least(0, window_size, "a window in messages")
        self.window_size = window_size

    async def compact(self, messages: Sequence[Message]) -> list[Message]:
        """Return the history as far as the window reaches.

        Raises `OverLimitError` where no window is short enough; its ``messages`` are the window as
        it was asked for.
        """
        system, rest = split_history(messages)
        cost = list(map(self.counter.estimate_message, rest))
        begun = turn_starts(rest)
        pinned, free = split_pinned(rest, begun)
        base = self.counter.estimate_messages(system) + sum(cost[index] for index in pinned)
        # By unit: what it and all after it cost.
        alone = [sum(cost[index] for index in unit) for unit in free]
        behind = list(accumulate(reversed(alone), initial=0))
        behind.reverse()

        def history_from(number: int) -> list[Message]:
            """The history from a unit on."""
            chosen = pinned.union(*free[number:])
            if (anchor := _prompt_before(free, number, begun)) is not None:
                chosen.add(anchor)
            return [*system, *(rest[index] for index in sorted(chosen))]

        # The number of the first unit that the window takes in.
        if not self.window_size or not free:
            begin = len(free)
        else:
            begin, size = len(free) - 1, 0
            for number in reversed(range(len(free))):
                size += len(free[number])
                if size > self.window_size:
                    break
                anchor = _prompt_before(free, number, begun)
                # With its prompt it may be too long, but further back the prompt is inside.
                if size + (anchor is not None and anchor not in pinned) <= self.window_size:
                    begin = number
        totals: list[int] = []
        for number in range(begin, max(begin + 1, len(free))):
            anchor = _prompt_before(free, number, begun)
            more = cost[anchor] if anchor is not None and anchor not in pinned else 0
            totals.append(base + behind[number] + more)
            if totals[-1] <= self.max_tokens:
                return self.check_limit(history_from(number))
        raise OverLimitError(history_from(begin), totals[0], self.max_tokens, min(totals))


def _prompt_before(free: Sequence[range], number: int, starts: Sequence[int]) -> int | None:
    """Return the prompt before a window that begins with a unit in the midst of a turn."""
    if number >= len(free):
        return None
    start = free[number].start
    return starts[start] if 0 <= starts[start] < start else None


# What stands in the place of a result that was cleared.
CLEARED = "[tool result cleared]"


class ToolResultClearingStrategy(LimitedStrategy):
    """A ToolResultClearingStrategy clears all but the last ``keep_recent_n`` tool results,
    counted one by one.

    A result keeps its id, and whether it was an error. Results that are no longer than what would
    take their place stay, and so do those in pinned messages and those whose API has no place for
    other words (`ToolResult.is_fixed`).
    """

    def __init__(
        self, keep_recent_n: int, max_tokens: int, counter: TokenCounter | None = None
    ) -> None:
        super().__init__(max_tokens, counter)
        check_at_least(0, keep_recent_n, "the number of results to keep")
        self.keep_recent_n = keep_recent_n

    async def compact(self, messages: Sequence[Message]) -> list[Message]:
        """Return the same messages with old results cleared. Raises `OverLimitError` if that is not
        enough.
        """
        check_messages(messages)
        total = sum(isinstance(block, ToolResult) for m in messages for block in m.content)
        old = total - self.keep_recent_n
        cleared: list[Message] = []
        for message in messages:
            content: list[Block] = []
            for block in message.content:
                content.append(block)
                if not isinstance(block, ToolResult):
                    continue
                tokens = self.counter.estimate_block(block)
                is_long = tokens > self.counter.estimate_text(CLEARED)
                if is_long and old > 0 and not (message.pinned or block.is_fixed):
                    content[-1] = replace(block, content=(Text(CLEARED),), cleared=tokens)
                old -= 1
            same = all(new is before for new, before in zip(content, message.content, strict=True))
            cleared.append(message if same else replace(message, content=tuple(content)))
        return self.check_limit(cleared)
