"""This module defines what every strategy of compaction can do, and what they share: a limit and a
counter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar, runtime_checkable

from synapse_ls.compaction.argument_checks import check_methods, check_number
from synapse_ls.compaction.compaction_errors import OverLimitError
from synapse_ls.compaction.message import Message
from synapse_ls.compaction.token_counter import TokenCounter

S = TypeVar("S", bound="LimitedStrategy")


@runtime_checkable
class ContextStrategy(Protocol):
    """A ContextStrategy makes a history shorter (neuron-context, `ContextStrategy`).

    Any object with these three methods serves, in `CompositeStrategy` too; where neuron-context
    needs `BoxedStrategy` to hold strategies of different types, Python needs nothing.
    """

    def should_compact(self, messages: Sequence[Message], token_count: int) -> bool:
        """Tells whether a history of ``token_count`` tokens is too long."""

    async def compact(self, messages: Sequence[Message]) -> list[Message]:
        """Returns a shorter history. Raises `ContextError` where there is none that may take its
        place.
        """

    def token_estimate(self, messages: Sequence[Message]) -> int:
        """Returns the tokens of a history."""


class LimitedStrategy:
    """A LimitedStrategy is a strategy with a limit for the context, and the counter that everything
    is measured by.

    max_tokens: tokens that a history may take. Raises ValueError where it is below 0.
    """

    def __init__(self, max_tokens: int, counter: TokenCounter | None = None) -> None:
        check_number(max_tokens, "a limit is a number of tokens")
        if counter is not None:
            check_methods(counter, "a counter", "estimate_messages", "estimate_text")
        self.max_tokens = max_tokens
        self.counter = TokenCounter() if counter is None else counter

    def with_counter(self: S, counter: TokenCounter) -> S:
        """Returns the same strategy with another counter."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.counter = counter
        return other

    def should_compact(self, messages: Sequence[Message], token_count: int) -> bool:  # noqa: ARG002
        """Tells whether ``token_count`` is above the limit; a history that just fits stays."""
        check_number(token_count, "the length of a history is a number of tokens")
        return token_count > self.max_tokens

    def token_estimate(self, messages: Sequence[Message]) -> int:
        """Returns the tokens of a history, by this strategy's counter."""
        return self.counter.estimate_messages(messages)

    def check_limit(self, messages: list[Message]) -> list[Message]:
        """Returns ``messages``; raises `OverLimitError` where they take more than the limit."""
        tokens = self.token_estimate(messages)
        if tokens > self.max_tokens:
            raise OverLimitError(messages, tokens, self.max_tokens)
        return messages
