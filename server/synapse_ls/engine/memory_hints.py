"""Memories as they appear in a block, and how much of each one is disclosed.

Disclosure depends on bracket, profile, executor and setting. ``synapse``: summaries in DEPLETED,
whole texts in CRITICAL (SYNAPSE Context Brackets). ``chati``: nothing, metadata, chunks, whole
texts (Chati Context Engine). ``disclosure = "adr"``: the three levels of ADR-001 B3. A new or
compacted window gets the HOT ones in any bracket.
"""

from __future__ import annotations

from synapse_ls.text.digest import hash_text
from synapse_ls.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation

# How much of a memory can be told.
LEVELS: Final = ("none", "metadata", "summary", "full")
# What other schemas call a level.
LEVEL_ALIASES: Final = {"chunks": "summary"}

# A code of `engine.reason_phrases` and its values; () where nothing is against it.
OmissionReason = tuple[str, ...]

SUMMARY_LENGTH: Final = 240  # code points of a summary


class Hint(Record):
    """A memory as it may stand in a block.

    id: of the memory. title, text: as it was written. level: how much of it is given,
    "metadata", "summary" or "full". score: its attention, 0 to 1. rank: by which hints are
    ordered. tier: hot, warm or cold. path, line: where its text begins, from 0. provider: who
    gave it, "" for the store of the tree. factors: (name, value) whose product is the score,
    then what the rank adds. reasons: why it is in, as sentences.
    """

    id: str
    title: str
    text: str = ""
    level: str = "summary"
    type: str = "lesson"
    sector: str = "semantic"
    tier: str = "warm"
    tags: tuple[str, ...] = ()
    agent: str = ""
    confidence: float = 0.0
    explicit: bool = False
    score: float = 0.0
    rank: float = 0.0
    path: str = ""
    line: int = 0
    provider: str = ""
    factors: tuple[tuple[str, float], ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def identity(self) -> str:
        """What tells it from others in an agent's window: the memory, its wording, and the
        level.
        """
        return hint_identity(self.id, self.title, self.text, self.level)

    @property
    def shown_text(self) -> str:
        """What is shown of the memory at its level, in lines: its title and tags, its first
        paragraph, or all of it.
        """
        title = self.title
        if self.level == "metadata":
            return " ".join((title, *(f"#{tag}" for tag in self.tags)))
        short = self.level != "full"
        more = (
            _shorten_summary(" ".join(_first_paragraph(self.text).split()))
            if short
            else self.text.strip()
        )
        if not more or " ".join(more.split()).lower().startswith(title.rstrip("….").lower()):
            return more or title
        return f"{title}: {more}" if short or "\n" not in more else f"{title}\n{more}"

    @property
    def percent(self) -> int:
        """The confidence in percent."""
        return round(self.confidence * 100)


def count_memories(hints: tuple[Hint, ...], memories: MemoryOutcome | None) -> str:
    """Return in how many hints memories are given and how many are not, by tier, as a line; ""
    where there are none at all.
    """
    omitted = [hint for hint, _ in memories.omitted] if memories else []
    if not (hints or omitted):
        return ""
    tiers = dict.fromkeys(("hot", "warm", "cold"), 0)
    for hint in (*hints, *omitted):
        tiers[hint.tier] = tiers.get(hint.tier, 0) + 1
    by_tier = ", ".join(f"{count} {tier}" for tier, count in tiers.items() if count)
    level = f"{memories.level}, up to {memories.tokens} tokens" if memories else "given"
    return f"Memories: {len(hints)} injected ({level}), {len(omitted)} not; {by_tier}"


def hint_identity(id: str, title: str, text: str, level: str) -> str:
    """Return the hash that identifies a memory at a level; see `Hint.identity`."""
    return hash_text(f"MEMORY{level}\n{id}\n{title}\n{text}")


def _first_paragraph(text: str) -> str:
    return next((part for part in text.strip().split("\n\n") if part.strip()), "")


def _shorten_summary(text: str) -> str:
    """Return a paragraph cut after a sentence, else after a word, within the length of a
    summary.
    """
    if len(text) <= SUMMARY_LENGTH:
        return text
    head = text[:SUMMARY_LENGTH]
    end = max(head.rfind(mark) for mark in (". ", "! ", "? ", "; "))
    if end > SUMMARY_LENGTH // 3:
        return head[: end + 1]
    return f"{head.rpartition(' ')[0] or head}…"


class MemoryOutcome:
    """The outcome for the memories of a prompt beside those that are in the block.

    level, tokens: how much was to be given; why: the reason for nothing. omitted: (hint, why not),
    by id. notes: sentences about what is odd. unread: those about files that hold no memory that
    can be read. is_complete: whether there was time to read all. changed: path → digest of those
    that are not as the program wrote them. pending: what has to be asked anew once the reply is
    out.
    """

    def __init__(self, level: str = "none", tokens: int = 0, why: str = "") -> None:
        self.level = level
        self.tokens = tokens
        self.why = why
        self.omitted: tuple[tuple[Hint, OmissionReason], ...] = ()
        self.notes: list[str] = []
        self.unread: tuple[str, ...] = ()
        self.is_complete = True
        self.pending: Any = None


NONE: Final = LEVELS[0]
BEGINNING_LEVEL: Final = "summary"
ADR: Final = "adr"
_ADR_LEVELS: Final = ("metadata", "summary", "full", "full")  # from fresh to critical
TOKENS: Final = {"metadata": 50, "summary": 200, "full": 1000}
# Executors that are told no memories, and the one that is told only its own (ADR-001 E7).
EXECUTORS_WITHOUT_MEMORIES: Final = ("Worker", "Humano")
EXECUTOR_WITH_OWN_MEMORIES: Final = "Clone"


class Disclosure(Record):
    """How much of its memories an agent is given.

    level: "none", "metadata", "summary" or "full". tokens: for all hints together. why: the
    reason for none, as a sentence. own: only the agent's private memories. hot_only: the
    bracket wants none, and the window has just begun. corrections_only: it wants none, and the
    agent has just come into the window.
    """

    level: str
    tokens: int = 0
    why: str = ""
    own: bool = False
    hot_only: bool = False
    corrections_only: bool = False


def executor_of(situation: Situation) -> str:
    """Return the type of the executor, be it the task's, by which memories are disclosed."""
    facts = situation.task_facts
    return situation.executor or (facts.executor if facts else "")


def decide_disclosure(
    plan: Plan, situation: Situation, *, is_new_window: bool, is_new_agent: bool = False
) -> Disclosure:
    """Return how much of the memories is disclosed in ``situation``; is_new_window: whether the
    window has just begun; is_new_agent: whether the agent has just come into it.
    """
    settings = plan.settings.get("memory", {})
    if not settings.get("enabled", True):
        return Disclosure(NONE, why="[memory] enabled is false")
    executor = executor_of(situation)
    if executor in EXECUTORS_WITHOUT_MEMORIES:
        return Disclosure(NONE, why=f"a {executor} gets no memories")
    tokens = {**TOKENS, **settings.get("tokens", {})}
    bracket = situation.bracket
    level, most = LEVEL_ALIASES.get(bracket.memory, bracket.memory), bracket.memory_tokens
    if settings.get("disclosure") == ADR:
        at = [row.name for row in plan.profile.brackets].index(bracket.name)
        level = _ADR_LEVELS[min(at, len(_ADR_LEVELS) - 1)]
        most = 0
    is_own = executor == EXECUTOR_WITH_OWN_MEMORIES
    if level != NONE:
        return Disclosure(level, most or tokens[level], own=is_own)
    entering = plan.profile.entering_memories if is_new_agent else ""
    if is_new_window or entering == "hot":
        return Disclosure(BEGINNING_LEVEL, tokens[BEGINNING_LEVEL], own=is_own, hot_only=True)
    if entering:
        return Disclosure(
            BEGINNING_LEVEL, tokens[BEGINNING_LEVEL], own=is_own, corrections_only=True
        )
    return Disclosure(NONE, why=f"{bracket.name} wants none")
