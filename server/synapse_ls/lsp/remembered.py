"""Memories in the answers of the ``synapse/*`` methods; see `synapse_ls.lsp.answers`."""

from __future__ import annotations

import attrs

from synapse_ls.lsp.answers import PLACE, Location


@attrs.frozen(kw_only=True)
class Matched:
    """A word of a search, and where it was found: in a tag, the title or the text."""

    word: str
    place: str


@attrs.frozen(kw_only=True)
class Memory:
    """A memory with what it is worth today."""

    id: str
    title: str
    text: str
    type: str
    tags: list[str]
    agent: str | None
    scope: str
    sector: str
    storage: str
    confidence: float
    evidence: int
    accesses: int
    created: str | None
    updated: str | None
    accessed: str | None
    expires: str | None
    explicit: bool
    source: str | None
    tier: str
    score: float
    factors: dict[str, float]
    lifted: bool
    relevance: float | None
    matches: list[Matched]
    archived: bool
    location: Location | None = attrs.field(default=None, metadata={PLACE: ("file", "line")})


@attrs.frozen(kw_only=True)
class MemoryCounts:
    """How many memories there are, by what they are."""

    total: int
    tiers: dict[str, int]
    sectors: dict[str, int]
    storage: dict[str, int]
    agents: dict[str, int]
    shared: int
    explicit: int
    expired: int
    archived: int


@attrs.frozen(kw_only=True)
class MemoryAnswer:
    """``synapse/memory``: memories, best first, and how many there are in all."""

    memories: list[Memory]
    counts: MemoryCounts
