"""What the agent remembers that matters most: its own memories and the shared ones, hot before warm."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from synapse_ls.activation.loaders import Slot, UnavailableError
from synapse_ls.engine.escape import neutralise
from synapse_ls.sessions.files import SessionError

SHOWN = 3
_LONGEST = 160  # characters of one memory
_DAY = 86_400
_TIERS = ("hot", "warm")


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory in one line. ``tier``: "hot" or "warm"; ``sector``: which kind of knowledge it is."""

    id: str
    title: str
    sector: str
    tier: str
    score: float


@dataclass(frozen=True, slots=True)
class Memories:
    """Those that matter most, the first ones first, and how many the agent has in all."""

    shown: tuple[Memory, ...] = ()
    total: int = 0

    def report(self) -> dict[str, Any]:
        """They as plain values."""
        return {
            "total": self.total,
            "shown": [
                {"id": m.id, "title": m.title, "sector": m.sector, "tier": m.tier, "score": m.score}
                for m in self.shown
            ],
        }


def load(root: str, agent: str, now: float, slot: Slot) -> None:
    """The memories that ``agent`` may see on the day of ``now``, in seconds since 1970."""
    slot.put(Memories())
    if not os.path.isdir(os.path.join(root, ".synapse", "memory")):
        return
    from synapse_ls.memory.score import attention
    from synapse_ls.memory.store import MemoryStore

    try:
        records = MemoryStore(root).records(agent)
    except SessionError as error:
        raise UnavailableError(f"memories cannot be read: {error.sentence.rstrip('.')}") from error
    today = int(now // _DAY)
    found = []
    for record in records:
        score = attention(record, today)
        tier = score.tier.lower()
        if tier in _TIERS:
            title = neutralise(record.title)[:_LONGEST]
            place = (_TIERS.index(tier), -score.value, record.path)
            found.append(
                (place, Memory(record.id, title, record.sector, tier, round(score.value, 2)))
            )
    found.sort(key=lambda entry: entry[0])
    slot.put(Memories(tuple(memory for _, memory in found[:SHOWN]), len(records)))
