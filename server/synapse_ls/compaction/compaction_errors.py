"""The errors of compaction, each with one sentence.

Refuse arguments of a wrong type with a sentence that says what is needed.
"""

from collections.abc import Iterable, Sequence

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


def check_messages(messages: object) -> None:
    """Check an argument: raises TypeError, with a sentence, for what is no list of `Message`."""
    for number, message in enumerate(check_list(messages, "messages"), 1):
        check_message(message, f"message {number}")


def check_list(value: object, what: str) -> Iterable[object]:
    """Check that an argument is a list, and return it; raise TypeError for anything else. what: of
    what it should be one.
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise TypeError(f"a list of {what} is needed, and this is a {type(value).__name__}")
    return value


def check_message(message: object, place: str) -> None:
    """Check an argument: raises TypeError, with a sentence, for what is no `Message`, or one that
    is made of no blocks.
    """
    kind = type(message).__name__
    if not isinstance(message, Message):
        raise TypeError(f"{place} is a {kind}; read_messages makes messages of such")
    content: object = message.content
    if not isinstance(content, tuple):
        raise TypeError(
            f"the content of {place} is a {type(content).__name__}, and must be a tuple of blocks"
        )


def check_number(value: object, what: str) -> None:
    """Check an argument: raises TypeError for what is no whole number, ValueError for one below 0.
    what: "a limit is a number of tokens".
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{what}, not a {type(value).__name__}")
    if value < 0:
        raise ValueError(f"{what}, not {value}")


def check_text(value: object, what: str) -> None:
    """Check an argument: raises TypeError for what is no text. what: what it should be, such as "a
    label".
    """
    if not isinstance(value, str):
        raise TypeError(f"{what} is a text, not a {type(value).__name__}")


def check_methods(value: object, what: str, *names: str) -> None:
    """Check an argument: raises TypeError for an object that lacks one of these methods."""
    for name in names:
        if isinstance(value, type) or not callable(getattr(value, name, None)):
            raise TypeError(f"{what} has the method {name}, and a {type(value).__name__} has not")
