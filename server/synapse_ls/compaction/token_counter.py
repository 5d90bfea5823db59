"""Count tokens: an estimate by the length of a text, or exactly with an encoding (neuron-context).

The estimate divides the length by a ratio and rounds up; pictures and documents count a fixed
number of tokens.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Literal, Protocol

from synapse_ls.compaction.message import (
    Block,
    Compaction,
    Document,
    Image,
    Message,
    Opaque,
    RedactedThinking,
    Role,
    Text,
    Thinking,
    ToolDefinition,
    ToolResult,
    ToolUse,
)

Unit = Literal["characters", "bytes"]
Ratio = int | float | str | Decimal | Fraction

# Units of text that count as a token unless something else is said.
RATIO = 4

# Tokens that a message takes besides its content, for its role and format.
PER_MESSAGE = 4

# Tokens of a picture and of a document, whatever is in them.
IMAGE, DOCUMENT = 300, 500


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Where the tokens of a request are; the parts add up to `total`.

    system: messages with instructions, whole. overhead: of the other messages. text, thinking,
    summaries, tool_calls, tool_results, media, other: their blocks. tools: definitions of tools.
    """

    system: int = 0
    overhead: int = 0
    text: int = 0
    thinking: int = 0
    summaries: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    media: int = 0
    other: int = 0
    tools: int = 0

    @property
    def total(self) -> int:
        """All parts together, in tokens."""
        return sum(getattr(self, name) for name in self.__dataclass_fields__)


_BREAKDOWN_PARTS = {
    Text: "text", Thinking: "thinking", RedactedThinking: "thinking", Compaction: "summaries",
    ToolUse: "tool_calls", ToolResult: "tool_results", Image: "media", Document: "media",
    Opaque: "other",
}  # fmt: skip


class TokenCounter:
    """An estimate of tokens.

    ratio: units of text to a token, a decimal number above 0; a float counts as it is written, so
    1.1 is eleven tenths. unit: "characters" (Unicode code points) or "bytes" of UTF-8, as
    neuron-context counts. Raises ValueError for a ratio that is not finite or not above 0, and for
    another unit.
    """

    def __init__(self, ratio: Ratio = RATIO, *, unit: Unit = "characters") -> None:
        refused = ValueError(f"a ratio is a finite decimal number above 0, not {ratio}")
        try:
            exact = ratio if isinstance(ratio, Fraction) else Fraction(Decimal(str(ratio)))
        except (InvalidOperation, ValueError, OverflowError) as error:
            raise refused from error
        if exact <= 0:
            raise refused
        self.ratio = exact
        if unit not in ("characters", "bytes"):
            raise ValueError(f'a unit is "characters" or "bytes", not "{unit}"')
        self.unit: Unit = unit
        self._up, self._down = self.ratio.denominator, self.ratio.numerator

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TokenCounter)
            and self.ratio == other.ratio
            and self.unit == other.unit
        )

    def __hash__(self) -> int:
        return hash((self.ratio, self.unit))

    def __repr__(self) -> str:
        return f"TokenCounter({str(self.ratio)!r}, unit={self.unit!r})"

    def estimate_text(self, text: str) -> int:
        """Return the tokens of a text; 0 for an empty one."""
        length = len(text)
        if self.unit == "bytes" and not text.isascii():
            # A half of a surrogate pair is no character, but tools write such things all the same.
            length = len(text.encode("utf-8", "surrogatepass"))
        return -(-length * self._up // self._down)

    def estimate_block(self, block: Block) -> int:
        """Return the tokens of a block. Ids, signatures and error marks are free."""
        if isinstance(block, Text | Compaction):
            return self.estimate_text(block.text)
        if isinstance(block, ToolResult):
            return sum(map(self.estimate_block, block.content))
        if isinstance(block, ToolUse):
            return self.estimate_text(block.name) + self._estimate_json(block.input)
        if isinstance(block, Thinking):
            return self.estimate_text(block.thinking)
        if isinstance(block, RedactedThinking):
            return self.estimate_text(block.data)
        if isinstance(block, Image):
            return IMAGE
        if isinstance(block, Document):
            return DOCUMENT
        if not isinstance(block, Opaque):
            raise TypeError(f"a {type(block).__name__} is no block of a message")
        return self._estimate_json(block.data)

    def estimate_message(self, message: Message) -> int:
        """Return the tokens of a message: its blocks, and four for its role and format."""
        return self.estimate_messages((message,))

    def estimate_messages(self, messages: Iterable[Message]) -> int:
        """Return the tokens of messages; 0 for none."""
        up, down = self._up, self._down
        short = self.unit == "characters" and type(self).estimate_text is TokenCounter.estimate_text
        total = 0
        for message in messages:
            total += PER_MESSAGE
            for block in message.content:
                if short and type(block) is Text:  # nearly all are, and calls are what takes time
                    total -= -len(block.text) * up // down
                else:
                    total += self.estimate_block(block)
        return total

    def estimate_tools(self, tools: Iterable[ToolDefinition]) -> int:
        """Return the tokens of what a model is told of its tools: name, description and schema of
        each.
        """
        return sum(
            self.estimate_text(tool.name)
            + self.estimate_text(tool.description)
            + self._estimate_json(tool.input_schema)
            for tool in tools
        )

    def breakdown(
        self, messages: Iterable[Message], tools: Sequence[ToolDefinition] = ()
    ) -> Breakdown:
        """Return where the tokens of a whole request are."""
        parts = dict.fromkeys(Breakdown.__dataclass_fields__, 0)
        for message in messages:
            if message.role is Role.SYSTEM:
                parts["system"] += self.estimate_message(message)
                continue
            parts["overhead"] += PER_MESSAGE
            for block in message.content:
                parts[_BREAKDOWN_PARTS[type(block)]] += self.estimate_block(block)
        parts["tools"] = self.estimate_tools(tools)
        return Breakdown(**parts)

    def _estimate_json(self, value: object) -> int:
        return self.estimate_text(value if isinstance(value, str) else compact_json(value))


_ENCODER = json.JSONEncoder(separators=(",", ":"), sort_keys=True, ensure_ascii=False, default=str)


def compact_json(value: object) -> str:
    """Return ``value`` as the JSON whose tokens are counted: without spaces, keys sorted, other
    than ASCII characters as they are.
    """
    return _ENCODER.encode(value)


class Encoding(Protocol):
    """What turns a text into tokens, as the encodings of tiktoken do."""

    @property
    def name(self) -> str:
        """What the encoding is called."""

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the tokens of a text; nothing in it is special."""


class EncodingCounter(TokenCounter):
    """A counter by the tokens of an encoding; all else as `TokenCounter` counts it."""

    def __init__(self, encoding: Encoding) -> None:
        super().__init__()
        if not callable(getattr(encoding, "encode_ordinary", None)):
            kind = type(encoding).__name__
            raise TypeError(
                f"an encoding has encode_ordinary, as tiktoken's do, and a {kind} has not"
            )
        self.encoding = encoding

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EncodingCounter) and self.encoding is other.encoding

    def __hash__(self) -> int:
        return hash(self.encoding.name)

    def __repr__(self) -> str:
        return f"EncodingCounter({self.encoding.name!r})"

    def estimate_text(self, text: str) -> int:
        """Return the tokens of a text, exactly."""
        return len(self.encoding.encode_ordinary(text))
