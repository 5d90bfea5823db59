"""Split a history into units that may not be separated: a tool call and its results.

A model's maker refuses a tool result without its call, and a call without its result. So a history
is cut between units only: an answer that calls tools, the results, and all that stands between
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from synapse_ls.compaction.argument_checks import check_messages
from synapse_ls.compaction.message import (
    Message,
    RedactedThinking,
    Role,
    Thinking,
    ToolResult,
    ToolUse,
)


class Unit(NamedTuple):
    """A run of messages that may not be separated. start, stop: half open, in the
    split messages.
    """

    start: int
    stop: int


def split_units(messages: Sequence[Message]) -> list[Unit]:
    """Return the units of messages, in order; together they are all of them.

    A result belongs to the latest call before it with its id that has no result yet. Reasoning that
    stands alone (Responses) belongs to what the model said next: one is refused without the other.
    """
    ends = list(range(1, len(messages) + 1))  # by message: where the unit that begins there stops
    open_calls: dict[str, list[int]] = {}
    for index, message in enumerate(messages):
        if (
            message.content
            and all(isinstance(block, Thinking | RedactedThinking) for block in message.content)
            and index + 1 < len(messages)
        ):
            ends[index] = index + 2
        for block in message.content:
            if isinstance(block, ToolUse):
                open_calls.setdefault(block.id, []).append(index)
            elif isinstance(block, ToolResult) and (calls := open_calls.get(block.tool_use_id)):
                ends[calls.pop()] = index + 1
    units: list[Unit] = []
    start = stop = 0
    for index, end in enumerate(ends):
        if index == stop and index:
            units.append(Unit(start, stop))
            start = index
        stop = max(stop, end)
    if messages:
        units.append(Unit(start, stop))
    return units


class SplitHistory(NamedTuple):
    """A history whose messages were split into units. system: instructions. rest: all else, in
    order.
    """

    system: list[Message]
    rest: list[Message]

    @classmethod
    def from_messages(cls, messages: Sequence[Message]) -> SplitHistory:
        """Return the parts of a history; raise TypeError for what is no message."""
        check_messages(messages)
        system = [message for message in messages if message.role is Role.SYSTEM]
        return cls(system, [message for message in messages if message.role is not Role.SYSTEM])


def is_pinned(rest: Sequence[Message], unit: Unit) -> bool:
    """Return whether something in a unit of messages is pinned, which holds all of it."""
    return any(message.pinned for message in rest[unit.start : unit.stop])


def turn_starts(messages: Sequence[Message]) -> list[int]:
    """Return, by message, where the turn that it belongs to begins; -1 before the first prompt."""
    starts, latest = [], -1
    for index, message in enumerate(messages):
        if message.is_prompt:
            latest = index
        starts.append(latest)
    return starts
