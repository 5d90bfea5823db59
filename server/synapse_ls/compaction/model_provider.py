"""This module defines the provider, a model that can be asked for a summary (neuron-context,
`Provider`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from synapse_ls.compaction.message import Block, Message, Text, ToolDefinition

CUT_REASONS = ("max_tokens", "length", "max_output_tokens", "MAX_TOKENS")
"""Reasons to stop, as makers of models call them, that mean an answer has no end."""


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A CompletionRequest is what a provider's model is asked. system: its instructions.
    max_tokens: how long the answer may be. summed: the messages that are to be summed up; what is
    asked has them as a text.
    """

    messages: tuple[Message, ...]
    system: str
    max_tokens: int
    model: str = ""
    temperature: float = 0.0
    tools: Sequence[ToolDefinition] = ()
    summed: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """A Completion is what the provider's model answered, and why it stopped, in its maker's word."""

    content: tuple[Block, ...]
    stop_reason: str = "end_turn"

    @property
    def text(self) -> str:
        """Returns the words of the answer; its blocks a line apart."""
        return "\n".join(block.text for block in self.content if isinstance(block, Text))

    @property
    def is_cut(self) -> bool:
        """Tells whether the answer ended because it became too long."""
        return self.stop_reason in CUT_REASONS


@runtime_checkable
class Provider(Protocol):
    """A Provider asks a model for a summary. How, and which, is the caller's affair: nothing here
    needs a network.
    """

    async def complete(self, request: CompletionRequest) -> Completion:
        """Returns the answer. Raises `ProviderError` where there is none; other errors pass through
        too.
        """
