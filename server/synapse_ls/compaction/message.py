"""The messages of a conversation with a model, and their content blocks (neuron-context)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, TypeAlias


class Role(Enum):
    """Whose message it is. Tool results are said by the user."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Text:
    """A block of words in a message."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A block of a message with a model's reasoning; the signature proves to its maker that it is
    unchanged.
    """

    thinking: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class RedactedThinking:
    """A block of a message with reasoning that only the model's maker can read: "anthropic",
    "openai".
    """

    data: str
    maker: str = "anthropic"


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A block of a message, a call of a tool. input: JSON; a text where a model wrote something
    that is no JSON.
    """

    id: str
    name: str
    input: object


@dataclass(frozen=True, slots=True)
class Image:
    """A block of a message, a picture. media: its place or data in Anthropic's terms, ``{"type":
    "url", "url": …}``.
    """

    media: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """A block of a message, a file beside the words. media: as for `Image`."""

    media: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Opaque:
    """A block of a message of a kind that is not known here: kept, counted by its JSON, never
    changed.
    """

    data: object


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A block of a message, what a tool said. cleared: the tokens that stood here before it was
    cleared, else 0. is_fixed: its API has no place for other words, so it is never cleared.
    """

    tool_use_id: str
    content: tuple[Text | Image | Document | Opaque, ...] = ()
    is_error: bool = False
    cleared: int = 0
    is_fixed: bool = False


@dataclass(frozen=True, slots=True)
class Compaction:
    """A block of a message, a summary that stands for what came before. generation: 1, or more for
    a summary of summaries.
    """

    content: str
    generation: int = 1

    @property
    def text(self) -> str:
        """The words of the summary."""
        return self.content


Block: TypeAlias = (
    Text
    | Thinking
    | RedactedThinking
    | ToolUse
    | ToolResult
    | Image
    | Document
    | Compaction
    | Opaque
)


class Source(NamedTuple):
    """What a message was read from, and its content then: a message that is as it was is written
    so.
    """

    data: Mapping[str, Any]
    content: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """What somebody said.

    pinned: no strategy removes, shortens or summarises it. number: its place in the history that it
    was read from, from 1; None for one that a strategy made. source: the object it was read from.
    shape: the API in whose manner it is written, where only one has that manner. The last three
    take no part in comparisons.
    """

    role: Role
    content: tuple[Block, ...] = ()
    pinned: bool = False
    number: int | None = field(default=None, compare=False, repr=False, kw_only=True)
    source: Source | None = field(default=None, compare=False, repr=False, kw_only=True)
    shape: str = field(default="", compare=False, repr=False, kw_only=True)

    @classmethod
    def user(cls, text: str) -> Message:
        """Return a message with words of the user."""
        return cls(Role.USER, (Text(text),))

    @classmethod
    def assistant(cls, text: str) -> Message:
        """Return a message with words of the model."""
        return cls(Role.ASSISTANT, (Text(text),))

    @classmethod
    def system(cls, text: str) -> Message:
        """Return a message with instructions; every strategy keeps them, and put them first."""
        return cls(Role.SYSTEM, (Text(text),))

    @property
    def stays(self) -> bool:
        """Whether every strategy keeps the message."""
        return self.pinned or self.role is Role.SYSTEM

    @property
    def is_prompt(self) -> bool:
        """Whether a turn begins here: the user speaks, and no tool."""
        return self.role is Role.USER and not any(
            isinstance(block, ToolResult) for block in self.content
        )

    @property
    def is_summary(self) -> bool:
        """Whether the message stands for messages that are no longer there."""
        return bool(self.content) and all(isinstance(block, Compaction) for block in self.content)

    @property
    def text(self) -> str:
        """The words of the message, without reasoning and tools, a line apart."""
        return "\n".join(spoken_texts(self.content))


def spoken_texts(blocks: Iterable[Block]) -> Iterable[str]:
    """Yield the words in a message's blocks."""
    return (block.text for block in blocks if isinstance(block, Text | Compaction))


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool that a model may call, sent with the messages. input_schema: JSON Schema of what it
    takes.
    """

    name: str
    description: str = ""
    input_schema: object = field(default_factory=dict)


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
    take; least: the fewest tokens that the strategy could have left. reason: what is too long, if
    it is something else than what has to stay.
    """

    def __init__(
        self,
        messages: Sequence[Message],
        tokens: int,
        limit: int,
        least: int | None = None,
        *,
        reason: str = "",
    ) -> None:
        self.least = tokens if least is None else min(tokens, least)
        super().__init__(
            reason or f"{self.least:,} tokens stay at least, and the limit is {limit:,}"
        )
        self.messages = list(messages)
        self.tokens = tokens
        self.limit = limit
        self.reason = reason


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
