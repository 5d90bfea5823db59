"""This module counts tokens by an encoding, as a tokenizer does."""

from __future__ import annotations

from typing import Protocol

from synapse_ls.compaction.token_counter import TokenCounter


class Encoding(Protocol):
    """An Encoding turns a text into tokens, as those of tiktoken do."""

    @property
    def name(self) -> str:
        """Returns what the encoding is called."""

    def encode_ordinary(self, text: str) -> list[int]:
        """Returns the tokens of a text; nothing in it is special."""


class EncodingCounter(TokenCounter):
    """An EncodingCounter counts the tokens of an encoding, and all else as `TokenCounter` does."""

    __slots__ = ("encoding",)

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
        """Returns the tokens of a text, exactly."""
        return len(self.encoding.encode_ordinary(text))
