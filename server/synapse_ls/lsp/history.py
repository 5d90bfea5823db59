"""What ``synapse/compact`` answers. As in `answers`, what is not listed is not sent."""

from __future__ import annotations

from typing import Any

import attrs


@attrs.frozen(kw_only=True)
class HistoryParts:
    """Where the tokens of a history are; see `synapse_ls.compaction.Breakdown`."""

    system: int
    overhead: int
    text: int
    thinking: int
    summaries: int
    tool_calls: int
    tool_results: int
    media: int
    other: int
    tools: int


@attrs.frozen(kw_only=True)
class HistorySize:
    """How long a history is."""

    messages: int
    tokens: int
    parts: HistoryParts


@attrs.frozen(kw_only=True)
class DroppedMessage:
    """A message that is not there any more; ``number`` counts from 1."""

    number: int
    role: str
    tokens: int
    words: str
    summarized: bool


@attrs.frozen(kw_only=True)
class ClearedResult:
    """A tool result that was cleared, in the message of this number, and what it took before."""

    number: int
    id: str
    tokens: int


@attrs.frozen(kw_only=True)
class CompactAnswer:
    """``synapse/compact``: the history that is left, and what became of the rest."""

    kind: str
    strategy: str
    limit: int
    before: HistorySize
    after: HistorySize
    dropped: list[DroppedMessage]
    cleared: list[ClearedResult]
    messages: list[Any]
