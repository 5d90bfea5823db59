"""The errors of compaction, each with one sentence."""

from collections.abc import Sequence

from synapse_ls.compaction.message import Message


class ContextError(Exception):
    """The error of a compaction: a history cannot be compacted."""


class ProviderError(ContextError):
    """The error of a compaction whose model did not answer. Raised by providers; strategies pass it
    on as it is.
    """


class ShapeError(ContextError):
    """The error of a compaction whose messages are no list of messages, or a message in it is of no
    known shape.
    """


class CompactionFailedError(ContextError):
    """The error of a compaction that has no result which may take the history's place."""


class OverLimitError(CompactionFailedError):
    """The error of a compaction: what may be removed does not make the history short enough.

    messages: what the strategy made of it; tokens: what that comes to; limit: tokens it should
    take; least: the fewest tokens that the strategy could have left.
    """

    def __init__(
        self, messages: Sequence[Message], tokens: int, limit: int, least: int | None = None
    ) -> None:
        self.least = tokens if least is None else min(tokens, least)
        super().__init__(f"{self.least:,} tokens stay at least, and the limit is {limit:,}")
        self.messages = list(messages)
        self.tokens = tokens
        self.limit = limit


def check_messages(messages: Sequence[object]) -> None:
    """Raise TypeError for what is no `Message`, such as an object of a vendor's library."""
    for number, message in enumerate(messages, 1):
        if not isinstance(message, Message):
            kind = type(message).__name__
            raise TypeError(f"message {number} is a {kind}; read_messages makes messages of such")


def check_at_least(least: int, value: int, what: str) -> None:
    """Raise ValueError for a number that is too small. what: "a limit in tokens"."""
    if value < least:
        raise ValueError(f"{what} is at least {least}, not {value}")
