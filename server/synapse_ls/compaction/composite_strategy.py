"""This module runs several strategies, one after the other, until the history is short enough
(neuron-context).
"""

from __future__ import annotations

from collections.abc import Sequence

from synapse_ls.compaction.argument_checks import check_list, check_messages, check_methods
from synapse_ls.compaction.compaction_errors import OverLimitError
from synapse_ls.compaction.context_strategy import ContextStrategy, LimitedStrategy
from synapse_ls.compaction.message import Message
from synapse_ls.compaction.token_counter import TokenCounter


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
        check_list(strategies, "strategies")
        strategies = tuple(strategies)
        for strategy in strategies:
            check_methods(strategy, "a strategy", "should_compact", "compact", "token_estimate")
        self.strategies = tuple(_share_counter(strategy, self.counter) for strategy in strategies)

    def with_counter(self, counter: TokenCounter) -> CompositeStrategy:
        """Returns the same strategies with another counter."""
        return CompositeStrategy(self.strategies, self.max_tokens, counter)

    async def compact(self, messages: Sequence[Message]) -> list[Message]:
        """Returns the history after as many strategies as it takes. Raises `OverLimitError` if
        all do not do.
        """
        check_messages(messages)
        current = list(messages)
        least: int | None = None
        for strategy in self.strategies:
            tokens = self.token_estimate(current)
            if tokens <= self.max_tokens:
                return current
            if strategy.should_compact(current, tokens):
                try:
                    current, least = list(await strategy.compact(current)), None
                except OverLimitError as error:
                    current, least = error.messages, error.least
        tokens = self.token_estimate(current)
        if tokens > self.max_tokens:
            raise OverLimitError(current, tokens, self.max_tokens, least)
        return current


def _share_counter(strategy: ContextStrategy, counter: TokenCounter) -> ContextStrategy:
    return strategy.with_counter(counter) if isinstance(strategy, LimitedStrategy) else strategy
