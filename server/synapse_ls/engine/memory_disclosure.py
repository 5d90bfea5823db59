"""This module decides the disclosure of memories, how much of them an agent gets: by bracket,
profile, executor and setting.

``synapse`` gives summaries in DEPLETED and whole texts in CRITICAL (SYNAPSE Context
Brackets); ``chati`` nothing, metadata, chunks, whole texts (Chati Context Engine);
``disclosure = "adr"`` is the three levels of ADR-001 B3, with the last one for CRITICAL
too. A window that is empty, new or compacted, gets the HOT ones whatever the bracket.

This module defines the outcome for the memories of a prompt: what became of them.
"""

from __future__ import annotations

from synapse_ls.formats.memory_levels import LEVEL_ALIASES, LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.memory_hints import Hint, OmissionReason
    from synapse_ls.engine.situation import Situation


class MemoryOutcome:
    """A MemoryOutcome is the outcome for the memories of a prompt beside those that are in the
    block.

    level, tokens: how much was to be given; why: the reason for nothing. omitted: (hint, why not),
    by id. notes: sentences about what is odd. unread: those about files that hold no memory that can
    be read. is_complete: whether there was time to read all. changed: path → digest of those that are
    not as the program wrote them. pending: what has to be asked anew once the reply is out. is_due: whether the files of all memories are to be compared then.
    """

    __slots__ = (
        "changed",
        "is_complete",
        "is_due",
        "level",
        "notes",
        "omitted",
        "pending",
        "tokens",
        "unread",
        "why",
    )

    def __init__(self, level: str = "none", tokens: int = 0, why: str = "") -> None:
        self.level = level
        self.tokens = tokens
        self.why = why
        self.omitted: tuple[tuple[Hint, OmissionReason], ...] = ()
        self.notes: list[str] = []
        self.unread: tuple[str, ...] = ()
        self.is_complete = True
        self.changed: Mapping[str, str] = {}
        self.pending: Any = None
        self.is_due = False


NONE: Final = LEVELS[0]
BEGINNING_LEVEL: Final = "summary"
ADR: Final = "adr"
_ADR_LEVELS: Final = ("metadata", "summary", "full", "full")  # from fresh to critical
TOKENS: Final = {"metadata": 50, "summary": 200, "full": 1000}
EXECUTORS_WITHOUT_MEMORIES: Final = (
    "Worker",
    "Humano",
)  # executors that are told no memories (ADR-001 E7)
EXECUTOR_WITH_OWN_MEMORIES: Final = "Clone"  # an executor that is told only its own


class Disclosure:
    """A Disclosure says how much of its memories an agent is given.

    level: "none", "metadata", "summary" or "full". tokens: for all hints together. why: the
    reason for none, as a sentence. own: only the agent's private memories. hot_only: the
    bracket wants none, and the window has just begun. corrections_only: it wants none, and the agent
    has just come into the window.
    """

    __slots__ = ("corrections_only", "hot_only", "level", "own", "tokens", "why")

    def __init__(
        self,
        level: str,
        tokens: int = 0,
        *,
        why: str = "",
        own: bool = False,
        hot_only: bool = False,
        corrections_only: bool = False,
    ) -> None:
        self.level = level
        self.tokens = tokens
        self.why = why
        self.own = own
        self.hot_only = hot_only
        self.corrections_only = corrections_only


def executor_of(situation: Situation) -> str:
    """Returns the type of the executor, be it the task's, by which memories are disclosed."""
    facts = situation.task_facts
    return situation.executor or (facts.executor if facts else "")


def decide_disclosure(
    plan: Plan, situation: Situation, *, is_new_window: bool, is_new_agent: bool = False
) -> Disclosure:
    """Returns how much of the memories is disclosed in ``situation``; is_new_window: whether the
    window has just begun; is_new_agent: whether the agent has just come into it.
    """
    settings = plan.settings.get("memory", {})
    if not settings.get("enabled", True):
        return Disclosure(NONE, why="[memory] enabled is false")
    executor = executor_of(situation)
    if executor in EXECUTORS_WITHOUT_MEMORIES:
        return Disclosure(NONE, why=f"a {executor} is told no memories")
    tokens = {**TOKENS, **settings.get("tokens", {})}
    bracket = situation.bracket
    level, most = LEVEL_ALIASES.get(bracket.memory, bracket.memory), bracket.memory_tokens
    if settings.get("disclosure") == ADR:
        at = [row.name for row in plan.profile.brackets].index(bracket.name)
        level = _ADR_LEVELS[min(at, len(_ADR_LEVELS) - 1)]
        most = 0
    own = executor == EXECUTOR_WITH_OWN_MEMORIES
    if level != NONE:
        return Disclosure(level, most or tokens[level], own=own)
    entering = plan.profile.entering_memories if is_new_agent else ""
    if is_new_window or entering == "hot":
        return Disclosure(BEGINNING_LEVEL, tokens[BEGINNING_LEVEL], own=own, hot_only=True)
    if entering:
        return Disclosure(BEGINNING_LEVEL, tokens[BEGINNING_LEVEL], own=own, corrections_only=True)
    return Disclosure(NONE, why=f"{bracket.name} wants none")
