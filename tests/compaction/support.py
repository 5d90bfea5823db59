"""Histories for the tests of compaction, and running a strategy."""

from __future__ import annotations

from collections.abc import Sequence

from synapse_ls.compaction import (
    Completion,
    CompletionRequest,
    ContextStrategy,
    Message,
    Role,
    Text,
    ToolResult,
    ToolUse,
)

AMPLE = 1_000_000
LONG = "search results here, and more than a placeholder would take"


def run(strategy: ContextStrategy, messages: Sequence[Message]) -> list[Message]:
    """What a strategy makes of messages: nothing in these tests has to be waited for."""
    try:
        strategy.compact(messages).send(None)
    except StopIteration as done:
        return list(done.value)
    raise AssertionError("a strategy waits for something")


def call(identity: str) -> Message:
    return Message(Role.ASSISTANT, (ToolUse(identity, "search", {"q": identity}),))


def result(identity: str, text: str = LONG, *, is_error: bool = False) -> Message:
    return Message(Role.USER, (ToolResult(identity, (Text(text),), is_error),))


def pair(identity: str) -> list[Message]:
    return [call(identity), result(identity)]


def talk(number: int) -> list[Message]:
    """``number`` messages in turn of user and assistant."""
    say = (Message.user, Message.assistant)
    return [say[index % 2](f"message {index}") for index in range(number)]


def texts(messages: Sequence[Message]) -> list[str]:
    return [message.text for message in messages]


def results(messages: Sequence[Message]) -> list[ToolResult]:
    return [b for m in messages for b in m.content if isinstance(b, ToolResult)]


class Teller:
    """A provider that says what it was told to, and keeps what it was asked."""

    def __init__(self, *said: str, stop: str = "end_turn", fails: Exception | None = None) -> None:
        self.said = said or ("a summary",)
        self.stop = stop
        self.fails = fails
        self.asked: list[CompletionRequest] = []

    async def complete(self, request: CompletionRequest) -> Completion:
        self.asked.append(request)
        if self.fails:
            raise self.fails
        return Completion(tuple(map(Text, self.said)), self.stop)
