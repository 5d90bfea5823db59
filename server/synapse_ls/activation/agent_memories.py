"""Load the memories that matter most to an agent: its own and the shared ones, hot before warm."""

from __future__ import annotations

import os
from dataclasses import dataclass

from synapse_ls.activation.activation_loaders import LoaderSlot, UnavailableError
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.storage.atomic_files import StorageError

MOST_SHOWN = 3
_LONGEST_TITLE = 160  # characters of one memory
_DAY = 86_400
_TIERS = ("hot", "warm")


@dataclass(frozen=True, slots=True)
class MemoryLine:
    """One of an agent's memories in one line of its greeting. ``tier``: "hot" or "warm";
    ``sector``: which kind of knowledge it is.
    """

    id: str
    title: str
    sector: str
    tier: str
    score: float


@dataclass(frozen=True, slots=True)
class AgentMemories:
    """Those that matter most, the first ones first, and how many the agent has in all."""

    shown: tuple[MemoryLine, ...] = ()
    total: int = 0


def load(root: str, agent: str, now: float, slot: LoaderSlot, *, chati: bool = False) -> None:
    """Load the memories that ``agent`` may see on the day of ``now``, in seconds since 1970; chati:
    those that Chati.dev keeps as well.
    """
    slot.put(AgentMemories())
    if not (chati or os.path.isdir(os.path.join(root, ".synapse", "memory"))):
        return
    from synapse_ls.memory.attention_score import score_attention
    from synapse_ls.memory.memory_store import MemoryStore

    try:
        records = MemoryStore(root, chati=chati).records(agent)
    except StorageError as error:
        raise UnavailableError(f"memories cannot be read: {error.sentence.rstrip('.')}") from error
    today = int(now // _DAY)
    lines = []
    for record in records:
        score = score_attention(record, today)
        tier = score.tier.lower()
        if tier in _TIERS:
            title = neutralise_text(record.title)[:_LONGEST_TITLE]
            place = (_TIERS.index(tier), -score.value, record.path)
            lines.append(
                (place, MemoryLine(record.id, title, record.sector, tier, round(score.value, 2)))
            )
    lines.sort(key=lambda entry: entry[0])
    slot.put(AgentMemories(tuple(memory for _, memory in lines[:MOST_SHOWN]), len(records)))
