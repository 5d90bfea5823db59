"""This module lists, searches, shows and counts the memories of a tree, for the command line,
editors and agents alike.

``reader`` is who asks: `PERSON` sees everything, an agent what is shared and its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from synapse_ls.formats.memory_fields import SECTORS, STORAGES, TIERS, format_day
from synapse_ls.memory.attention_score import (
    AttentionScore,
    ScoreConstants,
    score_attention,
)
from synapse_ls.memory.memory_expiry import expiry_day, is_expired
from synapse_ls.memory.memory_paths import PERSON, reader_name
from synapse_ls.memory.memory_search import NO_MATCH, Match, make_typed_query
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.memory.prompt_recall import current_day
from synapse_ls.memory.record import Record
from synapse_ls.memory.sector_preferences import preferred_sectors
from synapse_ls.queries.report_model import LINE
from synapse_ls.storage import memory_checksums
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.user_error import UserError

SEARCH_SHARE = 0.5
"""The part of a search's words that a memory has to have."""


@dataclass(frozen=True, kw_only=True)
class MatchedWord:
    """A word by which a search lists a memory, and where it was found: in a tag, the title or the
    text.
    """

    word: str
    place: str


@dataclass(frozen=True, kw_only=True)
class MemoryReport:
    """A memory in a listing, with its score of today. `type`: what it is, such as "decision".
    `agent`: whose it is, null where it is shared. `storage`: "session", "daily" or "durable".
    `tier`: "hot", "warm" or "cold".
    """

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
    matches: list[MatchedWord]
    archived: bool
    file: str
    line: int = field(metadata=LINE)


@dataclass(frozen=True, kw_only=True)
class MemoryCounts:
    """How many memories a listing counts, by tier, sector, storage and agent."""

    total: int
    tiers: dict[str, int]
    sectors: dict[str, int]
    storage: dict[str, int]
    agents: dict[str, int]
    shared: int
    explicit: int
    expired: int
    archived: int


@dataclass(frozen=True, kw_only=True)
class MemoriesReport:
    """A listing of memories, best first, and how many there are in all."""

    memories: list[MemoryReport]
    counts: MemoryCounts


@dataclass(frozen=True, slots=True)
class ScoredMemory:
    """A ScoredMemory is a memory that a listing or a search has found, with its score of today.
    match: how it answers a search, `NOTHING` for none.
    """

    record: Record
    score: AttentionScore
    match: Match = NO_MATCH

    @property
    def rank(self) -> float:
        """By which the results of a search are ordered."""
        return self.match.relevance * (1 + self.score.value) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """A MemoryFilter says which memories are to be listed; what is empty is not asked for. tags:
    all of them.
    """

    tags: tuple[str, ...] = ()
    sector: str = ""
    storage: str = ""
    tier: str = ""
    type: str = ""
    scope: str = ""
    agent: str = ""

    def __post_init__(self) -> None:
        for name, known in (("sector", SECTORS), ("storage", STORAGES), ("tier", TIERS)):
            value = getattr(self, name)
            if value and value not in known:
                raise UserError(
                    f'There is no {name} "{value}".', f"Choose one of {', '.join(known)}."
                )

    def matches(self, memory: ScoredMemory) -> bool:
        """Returns whether a memory is wanted."""
        record = memory.record
        return (
            all(
                not getattr(self, name) or getattr(record, name) == getattr(self, name)
                for name in ("sector", "storage", "type", "scope")
            )
            and (not self.tier or memory.score.tier == self.tier)
            and (not self.agent or record.agent == reader_name(self.agent))
            and {tag.casefold() for tag in self.tags} <= {tag.casefold() for tag in record.tags}
        )


ANY_MEMORY = MemoryFilter()


def memory_settings(root: str) -> Mapping[str, Any]:
    """Returns the ``[memory]`` settings of a tree by which its memories are listed."""
    found: Mapping[str, Any] = load_plan(root).plan.settings.get("memory", {})
    return found


def open_store(root: str) -> MemoryStore:
    """Returns the store whose memories are listed, with the constants that the tree's configuration
    sets, and the memories that its profile tells from elsewhere.
    """
    plan = load_plan(root).plan
    constants = ScoreConstants(plan.settings.get("memory", {}))
    return MemoryStore(root, constants, chati=plan.profile.source == "chati")


def list_memories(
    root: str, reader: str = PERSON, filter_by: MemoryFilter = ANY_MEMORY, *, archived: bool = False
) -> list[ScoredMemory]:
    """Lists the memories that pass the filter, those with the highest score first."""
    constants, day = ScoreConstants(memory_settings(root)), current_day()
    store = open_store(root)
    records = store.archived_records(reader) if archived else store.records(reader)
    found = (ScoredMemory(record, score_attention(record, day, constants)) for record in records)
    return sorted(filter(filter_by.matches, found), key=lambda s: (-s.score.value, s.record.id))


def file_notes(root: str) -> tuple[str, ...]:
    """Returns, for a listing of memories, a sentence for each file of them that cannot be read, and
    one about those that are not as the program wrote them.
    """
    index = open_store(root).index()
    changed = memory_checksums.leave_out_committed(root, index.changed_digests())
    if not changed:
        return index.notes
    return (*index.notes, ". ".join(memory_checksums.describe_changes(changed)))


def search_memories(
    root: str, text: str, reader: str = PERSON, filter_by: MemoryFilter = ANY_MEMORY
) -> list[ScoredMemory]:
    """Lists the memories that match a search, the best first; nothing for what is not about any."""
    constants, day = ScoreConstants(memory_settings(root)), current_day()
    found = [
        ScoredMemory(record, score_attention(record, day, constants), hit)
        for record, hit in open_store(root).search(make_typed_query(text), reader)
        if hit.share >= SEARCH_SHARE
    ]
    return sorted(filter(filter_by.matches, found), key=lambda s: (-s.rank, s.record.id))


def find_memory(root: str, id: str, reader: str = PERSON) -> tuple[ScoredMemory, bool]:
    """Finds one memory of a listing that is to be shown, and whether it lies in the archive; raises
    UserError where ``reader`` sees none.
    """
    constants, day = ScoreConstants(memory_settings(root)), current_day()
    store = open_store(root)
    record, away = store.get(id, reader), False
    if record is None:
        record, away = next((r for r in store.archived_records(reader) if r.id == id), None), True
    if record is None:
        raise UserError(f"There is no memory {id}.", "`synapse memory list` shows those there are.")
    return ScoredMemory(record, score_attention(record, day, constants)), away


def count_memories(root: str, reader: str = PERSON) -> MemoryCounts:
    """Counts, for a listing, the memories that ``reader`` has, by what they are."""
    found = list_memories(root, reader)
    constants, day = ScoreConstants(memory_settings(root)), current_day()
    return MemoryCounts(
        total=len(found),
        tiers=_count_words((s.score.tier for s in found), TIERS),
        sectors=_count_words((s.record.sector for s in found), SECTORS),
        storage=_count_words((s.record.storage for s in found), STORAGES),
        agents=_count_words(s.record.agent for s in found if s.record.is_private),
        shared=sum(not s.record.is_private for s in found),
        explicit=sum(s.record.explicit for s in found),
        expired=sum(is_expired(s.record, day, constants) for s in found),
        archived=len(open_store(root).archived_records(reader)),
    )


def has_expired(memory: ScoredMemory, root: str) -> bool:
    """Returns, for a listing, whether a memory has expired, so that nobody is told it."""
    return is_expired(memory.record, current_day(), ScoreConstants(memory_settings(root)))


def _count_words(words: Iterable[str], known: Iterable[str] = ()) -> dict[str, int]:
    counts = Counter(words)
    return {word: counts[word] for word in dict.fromkeys((*known, *sorted(counts)))}


def memory_report(memory: ScoredMemory, root: str = "", *, archived: bool = False) -> MemoryReport:
    """Returns a memory with its score, as listings show it."""
    record, score = memory.record, memory.score
    settings = memory_settings(root) if root else {}
    day = expiry_day(record, ScoreConstants(settings))
    return MemoryReport(
        id=record.id,
        title=record.title,
        text=record.text,
        type=record.type,
        tags=list(record.tags),
        agent=record.agent or None,
        scope=record.scope,
        sector=record.sector,
        storage=record.storage,
        confidence=record.confidence,
        evidence=record.evidence,
        accesses=record.access_count,
        created=record.created or None,
        updated=record.updated or None,
        accessed=record.accessed or None,
        expires=format_day(day) if day is not None else None,
        explicit=record.explicit,
        source=record.source or None,
        tier=score.tier,
        score=round(score.value, 4),
        factors={name: round(value, 4) for name, value in score.factors},
        lifted=score.uses_floor,
        relevance=round(memory.match.relevance, 4) if memory.match.matches else None,
        matches=[MatchedWord(word=word, place=place) for word, place in memory.match.matches],
        archived=archived,
        file=record.path,
        line=record.line + 1,
    )


def agent_sectors(root: str, agent: str) -> tuple[str, ...]:
    """Returns the sectors that an agent prefers, for the listing of its memories."""
    return preferred_sectors(reader_name(agent), memory_settings(root).get("sectors", {}))


def secret_notes(record: Record) -> tuple[str, ...]:
    """Returns what whoever has added a memory should know of the secrets that seem to stand in it."""
    from synapse_ls.text.secret_tokens import find_secrets

    text = "\n".join((record.title, *record.tags, record.text))
    kinds = dict.fromkeys(secret.sentence_start for secret in find_secrets(text))
    return tuple(
        f"{kind} seems to stand in it, and memories are told and committed: "
        f"`synapse memory forget {record.id}`, and name where it is kept instead"
        for kind in kinds
    )
