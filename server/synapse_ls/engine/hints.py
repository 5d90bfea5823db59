"""A memory as it may stand in a block, and everything that can be said about it.

Whoever answers a question puts hints into a situation (`service.memory`); the part of a profile
that renders them (`engine.parts.memory`) decides only on their grammar.
"""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    WhyNot = tuple[str, ...]
    """A code of `engine.phrases` and its values; () where nothing is against it."""

SUMMARY_LENGTH: Final = 240  # code points of a summary


class Hint:
    """A hint.

    id: of the memory. title, text: as it was written. level: how much of it is told, "metadata",
    "summary" or "full". score: its attention, 0 to 1. rank: by which hints are ordered. tier: hot,
    warm or cold. path, line: where its text begins, from 0. provider: who gave it, "" for the
    store of the tree. factors: (name, value) whose product is the score, then what the rank adds.
    reasons: why it is in, as sentences.
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
        """What tells it from others in an agent's window: the memory, its wording, and the level."""
        return identity(self.id, self.title, self.text, self.level)

    @property
    def said(self) -> str:
        """What is told of the memory at its level, in lines."""
        return said(self.title, self.text, self.tags, self.level)

    @property
    def percent(self) -> int:
        """The confidence in percent."""
        return round(self.confidence * 100)

    def report(self) -> dict[str, Any]:
        """It as a plain value; the line counts from 1."""
        return {
            "id": self.id,
            "title": self.title,
            "text": self.said,
            "level": self.level,
            "type": self.type,
            "sector": self.sector,
            "tier": self.tier,
            "tags": list(self.tags),
            "agent": self.agent or None,
            "confidence": self.confidence,
            "score": round(self.score, 4),
            "rank": round(self.rank, 4),
            "factors": {name: round(value, 4) for name, value in self.factors},
            "reasons": list(self.reasons),
            "explicit": self.explicit,
            "provider": self.provider or None,
            "file": self.path,
            "line": self.line + 1 if self.path else None,
        }


class Memories:
    """What became of the memories of a prompt beside those that are told.

    level, tokens: how much was to be told; why: the reason for nothing. left: (hint, why not), by
    id. notes: sentences about what is odd. pending: what has to be asked anew once the reply is out.
    """

    __slots__ = ("left", "level", "notes", "pending", "tokens", "why")

    def __init__(self, level: str = "none", tokens: int = 0, why: str = "") -> None:
        self.level = level
        self.tokens = tokens
        self.why = why
        self.left: tuple[tuple[Hint, WhyNot], ...] = ()
        self.notes: list[str] = []
        self.pending: Any = None


def counted(hints: tuple[Hint, ...], memories: Memories | None) -> str:
    """How many memories are told and how many are not, by tier; "" where there are none at all."""
    left = [hint for hint, _ in memories.left] if memories else []
    if not (hints or left):
        return ""
    tiers = dict.fromkeys(("hot", "warm", "cold"), 0)
    for hint in (*hints, *left):
        tiers[hint.tier] = tiers.get(hint.tier, 0) + 1
    by_tier = ", ".join(f"{count} {tier}" for tier, count in tiers.items() if count)
    level = f"{memories.level}, up to {memories.tokens} tokens" if memories else "given"
    return f"Memories: {len(hints)} told ({level}), {len(left)} not; {by_tier}"


def identity(id: str, title: str, text: str, level: str) -> str:
    """See `Hint.identity`."""
    return text_hash(f"MEMORY{level}\n{id}\n{title}\n{text}")


def said(title: str, text: str, tags: tuple[str, ...], level: str) -> str:
    """What is told of a memory at a level: its title and tags, its first paragraph, or all of it."""
    if level == "metadata":
        return " ".join((title, *(f"#{tag}" for tag in tags)))
    short = level != "full"
    more = _shortened(" ".join(_first_paragraph(text).split())) if short else text.strip()
    if not more or _begins(more, title):
        return more or title
    return f"{title}: {more}" if short or "\n" not in more else f"{title}\n{more}"


def _first_paragraph(text: str) -> str:
    return next((part for part in text.strip().split("\n\n") if part.strip()), "")


def _begins(text: str, title: str) -> bool:
    """Whether a text says its title anyway."""
    return " ".join(text.split()).lower().startswith(title.rstrip("….").lower())


def _shortened(text: str) -> str:
    """A paragraph cut after a sentence, else after a word, within the length of a summary."""
    if len(text) <= SUMMARY_LENGTH:
        return text
    head = text[:SUMMARY_LENGTH]
    end = max(head.rfind(mark) for mark in (". ", "! ", "? ", "; "))
    if end > SUMMARY_LENGTH // 3:
        return head[: end + 1]
    return f"{head.rpartition(' ')[0] or head}…"
