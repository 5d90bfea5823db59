"""This module defines a memory hint: a memory as it may stand in a block, and everything that
can be said about it.

Whoever answers a question puts hints into a situation; the part of a profile
that renders them (``systems/*/memory_section.py``) decides only on their grammar.
"""

from __future__ import annotations

from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.engine.memory_disclosure import MemoryOutcome

    OmissionReason = tuple[str, ...]
    """A code of `engine.reason_phrases` and its values; () where nothing is against it."""

SUMMARY_LENGTH: Final = 240  # code points of a summary


class Hint:
    """A Hint is a memory as it may stand in a block.

    id: of the memory. title, text: as it was written. level: how much of it is given,
    "metadata", "summary" or "full". score: its attention, 0 to 1. rank: by which hints are
    ordered. tier: hot, warm or cold. path, line: where its text begins, from 0. provider: who
    gave it, "" for the store of the tree. factors: (name, value) whose product is the score,
    then what the rank adds. reasons: why it is in, as sentences.
    """

    __slots__ = (
        "agent",
        "confidence",
        "explicit",
        "factors",
        "id",
        "level",
        "line",
        "path",
        "provider",
        "rank",
        "reasons",
        "score",
        "sector",
        "tags",
        "text",
        "tier",
        "title",
        "type",
    )

    def __init__(
        self,
        id: str,
        title: str,
        text: str = "",
        *,
        level: str = "summary",
        type: str = "lesson",
        sector: str = "semantic",
        tier: str = "warm",
        tags: tuple[str, ...] = (),
        agent: str = "",
        confidence: float = 0.0,
        explicit: bool = False,
        score: float = 0.0,
        rank: float = 0.0,
        path: str = "",
        line: int = 0,
        provider: str = "",
        factors: tuple[tuple[str, float], ...] = (),
        reasons: tuple[str, ...] = (),
    ) -> None:
        self.id = id
        self.title = title
        self.text = text
        self.level = level
        self.type = type
        self.sector = sector
        self.tier = tier
        self.tags = tags
        self.agent = agent
        self.confidence = confidence
        self.explicit = explicit
        self.score = score
        self.rank = rank
        self.path = path
        self.line = line
        self.provider = provider
        self.factors = factors
        self.reasons = reasons

    @property
    def identity(self) -> str:
        """Returns what tells it from others in an agent's window: the memory, its wording, and the
        level.
        """
        return hint_identity(self.id, self.title, self.text, self.level)

    @property
    def shown_text(self) -> str:
        """Returns what is shown of the memory at its level, in lines."""
        return text_at_level(self.title, self.text, self.tags, self.level)

    @property
    def percent(self) -> int:
        """Returns the confidence in percent."""
        return round(self.confidence * 100)


def count_memories(hints: tuple[Hint, ...], memories: MemoryOutcome | None) -> str:
    """Returns in how many hints memories are given and how many are not, by tier, as a line; ""
    where there are none at all.
    """
    left = [hint for hint, _ in memories.omitted] if memories else []
    if not (hints or left):
        return ""
    tiers = dict.fromkeys(("hot", "warm", "cold"), 0)
    for hint in (*hints, *left):
        tiers[hint.tier] = tiers.get(hint.tier, 0) + 1
    by_tier = ", ".join(f"{count} {tier}" for tier, count in tiers.items() if count)
    level = f"{memories.level}, up to {memories.tokens} tokens" if memories else "given"
    return f"Memories: {len(hints)} told ({level}), {len(left)} not; {by_tier}"


def hint_identity(id: str, title: str, text: str, level: str) -> str:
    """Returns the hash that identifies a memory at a level; see `Hint.identity`."""
    return hash_text(f"MEMORY{level}\n{id}\n{title}\n{text}")


def text_at_level(title: str, text: str, tags: tuple[str, ...], level: str) -> str:
    """Returns the text of a memory hint at a level: its title and tags, its first paragraph, or
    all of it.
    """
    if level == "metadata":
        return " ".join((title, *(f"#{tag}" for tag in tags)))
    short = level != "full"
    more = _shorten_summary(" ".join(_first_paragraph(text).split())) if short else text.strip()
    if not more or _begins_with_title(more, title):
        return more or title
    return f"{title}: {more}" if short or "\n" not in more else f"{title}\n{more}"


def _first_paragraph(text: str) -> str:
    return next((part for part in text.strip().split("\n\n") if part.strip()), "")


def _begins_with_title(text: str, title: str) -> bool:
    """Checks whether a text says its title anyway."""
    return " ".join(text.split()).lower().startswith(title.rstrip("….").lower())


def _shorten_summary(text: str) -> str:
    """Returns a paragraph cut after a sentence, else after a word, within the length of a summary."""
    if len(text) <= SUMMARY_LENGTH:
        return text
    head = text[:SUMMARY_LENGTH]
    end = max(head.rfind(mark) for mark in (". ", "! ", "? ", "; "))
    if end > SUMMARY_LENGTH // 3:
        return head[: end + 1]
    return f"{head.rpartition(' ')[0] or head}…"
