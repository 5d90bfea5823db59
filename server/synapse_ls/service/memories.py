"""What can be asked about the memories of a tree, for the command line, editors and agents alike.

``reader`` is who asks: `PERSON` sees everything, an agent what is shared and its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from synapse_ls.formats.memory_fields import SECTORS, STORAGES, TIERS
from synapse_ls.guard.use import ENFORCE
from synapse_ls.memory.places import PERSON, reader_of
from synapse_ls.memory.record import Record
from synapse_ls.memory.score import Constants, Score, attention, expiry_day, is_expired
from synapse_ls.memory.search import NOTHING, Match, match, query
from synapse_ls.memory.sectors import preferred
from synapse_ls.memory.store import MemoryStore
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.memory import today
from synapse_ls.service.plans import planned

SHARE = 0.5
"""The part of a search's words that a memory has to have."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A memory with what it is worth today. match: how it answers a search, `NOTHING` for none."""

    record: Record
    score: Score
    match: Match = NOTHING

    @property
    def rank(self) -> float:
        """By which the results of a search are ordered."""
        return self.match.relevance * (1 + self.score.value) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories are wanted; what is empty is not asked for. tags: all of them."""

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
                raise ServiceError(
                    f'There is no {name} "{value}".', f"Choose one of {', '.join(known)}."
                )

    def takes(self, seen: Seen) -> bool:
        """Whether a memory is wanted."""
        record = seen.record
        return (
            all(
                not getattr(self, name) or getattr(record, name) == getattr(self, name)
                for name in ("sector", "storage", "type", "scope")
            )
            and (not self.tier or seen.score.tier == self.tier)
            and (not self.agent or record.agent == reader_of(self.agent))
            and {tag.casefold() for tag in self.tags} <= {tag.casefold() for tag in record.tags}
        )


ANY = Filter()


def settings_of(root: str) -> Mapping[str, Any]:
    """The ``[memory]`` settings of a tree."""
    found: Mapping[str, Any] = planned(root).plan.settings.get("memory", {})
    return found


def enforces(root: str) -> bool:
    """Whether the guard keeps agents in bounds: what they want to be told later, too."""
    return bool(planned(root).plan.settings["guard"] == ENFORCE)


def store_of(root: str) -> MemoryStore:
    """The store of a tree, with the constants that its configuration sets."""
    return MemoryStore(root, Constants(settings_of(root)))


def listed(
    root: str, reader: str = PERSON, wanted: Filter = ANY, *, archived: bool = False
) -> list[Seen]:
    """The memories that are wanted, those with the highest score first."""
    constants, day = Constants(settings_of(root)), today()
    store = MemoryStore(root, constants)
    records = store.archived(reader) if archived else store.records(reader)
    found = (Seen(record, attention(record, day, constants)) for record in records)
    return sorted(filter(wanted.takes, found), key=lambda s: (-s.score.value, s.record.id))


def searched(root: str, text: str, reader: str = PERSON, wanted: Filter = ANY) -> list[Seen]:
    """The memories that match a search, the best first; nothing for what is not about any."""
    terms = query(text)
    constants, day = Constants(settings_of(root)), today()
    found = []
    for row in MemoryStore(root, constants).rows(reader):
        hit = match(terms, row.words, begins=True)
        if hit.share >= SHARE:
            found.append(Seen(row.record, attention(row.record, day, constants), hit))
    return sorted(filter(wanted.takes, found), key=lambda s: (-s.rank, s.record.id))


def shown(root: str, id: str, reader: str = PERSON) -> tuple[Seen, bool]:
    """One memory, and whether it lies in the archive; ServiceError where ``reader`` sees none."""
    constants, day = Constants(settings_of(root)), today()
    store = MemoryStore(root, constants)
    record, away = store.get(id, reader), False
    if record is None:
        record, away = next((r for r in store.archived(reader) if r.id == id), None), True
    if record is None:
        raise ServiceError(
            f"There is no memory {id}.", "`synapse memory list` shows those there are."
        )
    return Seen(record, attention(record, day, constants)), away


def counted(root: str, reader: str = PERSON) -> dict[str, Any]:
    """How many memories ``reader`` has, by what they are."""
    found = listed(root, reader)
    constants, day = Constants(settings_of(root)), today()
    return {
        "total": len(found),
        "tiers": _counts((s.score.tier for s in found), TIERS),
        "sectors": _counts((s.record.sector for s in found), SECTORS),
        "storage": _counts((s.record.storage for s in found), STORAGES),
        "agents": _counts(s.record.agent for s in found if s.record.is_private),
        "shared": sum(not s.record.is_private for s in found),
        "explicit": sum(s.record.explicit for s in found),
        "expired": sum(is_expired(s.record, day, constants) for s in found),
        "archived": len(MemoryStore(root, constants).archived(reader)),
    }


def is_over(seen: Seen, root: str) -> bool:
    """Whether a memory has expired, so that nobody is told it."""
    return is_expired(seen.record, today(), Constants(settings_of(root)))


def _counts(words: Iterable[str], known: Iterable[str] = ()) -> dict[str, int]:
    counts = Counter(words)
    return {word: counts[word] for word in dict.fromkeys((*known, *sorted(counts)))}


def memory_report(seen: Seen, root: str = "", *, archived: bool = False) -> dict[str, Any]:
    """A memory as a plain value; its line counts from 1."""
    record, score = seen.record, seen.score
    settings = settings_of(root) if root else {}
    day = expiry_day(record, Constants(settings))
    from synapse_ls.formats.memory_fields import date_of

    return {
        "id": record.id,
        "title": record.title,
        "text": record.text,
        "type": record.type,
        "tags": list(record.tags),
        "agent": record.agent or None,
        "scope": record.scope,
        "sector": record.sector,
        "storage": record.storage,
        "confidence": record.confidence,
        "evidence": record.evidence,
        "accesses": record.access_count,
        "created": record.created or None,
        "updated": record.updated or None,
        "accessed": record.accessed or None,
        "expires": date_of(day) if day is not None else None,
        "explicit": record.explicit,
        "source": record.source or None,
        "tier": score.tier,
        "score": round(score.value, 4),
        "factors": {name: round(value, 4) for name, value in score.factors},
        "lifted": score.lifted,
        "relevance": round(seen.match.relevance, 4) if seen.match.found else None,
        "matches": [{"word": word, "place": place} for word, place in seen.match.found],
        "archived": archived,
        "file": record.path,
        "line": record.line + 1,
    }


def preference(root: str, agent: str) -> tuple[str, ...]:
    """The sectors that an agent prefers."""
    return preferred(reader_of(agent), settings_of(root).get("sectors", {}))
