"""What every strategy of compaction can do, and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar, runtime_checkable

from synapse_ls.compaction.counter import TokenCounter
from synapse_ls.compaction.errors import OverLimitError
from synapse_ls.compaction.message import Message

S = TypeVar("S", bound="Measured")


@runtime_checkable
class ContextStrategy(Protocol):
    """Makes a history shorter (neuron-context, `ContextStrategy`).

    Any object with these three methods serves, in `CompositeStrategy` too; where neuron-context needs
    `BoxedStrategy` to hold strategies of different types, Python needs nothing.
    """

    def should_compact(self, messages: Sequence[Message], token_count: int) -> bool:
        """Whether a history of ``token_count`` tokens is too long."""

    async def compact(self, messages: Sequence[Message]) -> list[Message]:
        """A shorter history. Raises `ContextError` where there is none that may take its place."""

    def token_estimate(self, messages: Sequence[Message]) -> int:
        """The tokens of a history."""


class Measured:
    """A limit, and the counter that everything is measured by.

    max_tokens: tokens that a history may take. Raises ValueError where it is below 0.
    """

    def __init__(self, max_tokens: int, counter: TokenCounter | None = None) -> None:
        if max_tokens < 0:
            raise ValueError(f"a limit is a number of tokens, not {max_tokens}")
        self.max_tokens = max_tokens
        self.counter = counter or TokenCounter()

    def measured_by(self: S, counter: TokenCounter) -> S:
        """The same strategy with another counter."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.counter = counter
        return other

    def should_compact(self, messages: Sequence[Message], token_count: int) -> bool:  # noqa: ARG002
        """Whether ``token_count`` is above the limit; a history that just fits stays."""
        return token_count > self.max_tokens

    def token_estimate(self, messages: Sequence[Message]) -> int:
        """The tokens of a history, by this strategy's counter."""
        return self.counter.estimate_messages(messages)

    def verified(self, messages: list[Message]) -> list[Message]:
        """``messages``; raises `OverLimitError` where they take more than the limit."""
        tokens = self.token_estimate(messages)
        if tokens > self.max_tokens:
            raise OverLimitError(messages, tokens, self.max_tokens)
        return messages
