"""This module says what content a window holds, and records what a reply has added to it."""

from __future__ import annotations

from synapse_ls.engine.delivery_certainty import PASSES, STANDS, UNSURE
from synapse_ls.engine.delivery_difference import (
    ALL,
    doubtful_after,
    merge_standing,
    oldest_essential,
    refresh_due,
    shrink_reason,
    standing_after,
    used_amount,
)
from synapse_ls.engine.domain_selection import RECALLED_CODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation
    from synapse_ls.engine.standing_entries import StandingEntries
    from synapse_ls.storage.window_state import MemoryFile, WindowState

RECALL_PROMPTS = 10  # prompts for which a match is kept, though its domain may be gone before
BLIND_PROMPTS = 4  # prompts after which all is told again where a compaction would not be seen


class WindowContent:
    """WindowContent is what a window holds of blocks. full_reason: why rules are told that may
    stand, "" where a difference will do. repeat: which of them (`delivery_difference`).
    is_compacted: its history was compacted and nothing was told since, so that the next reply tells
    everything. keeps: whether the client keeps what it is given. is_new_agent: the agent has come
    into the window since the last reply.

    uncertain: what it may hold beside that, which has to be taken back once it is not wanted. owed:
    memories that begin a window were cut from the last reply, or late for it. files: identity of a
    memory -> its file and the time of that, when it was delivered. bracket: name of the one that was
    told last, "".
    """

    __slots__ = (
        "bracket",
        "files",
        "full_reason",
        "is_compacted",
        "is_new_agent",
        "keeps",
        "owed",
        "repeat",
        "stands",
        "uncertain",
    )

    def __init__(
        self,
        stands: StandingEntries,
        full_reason: str,
        uncertain: StandingEntries | None = None,
        *,
        repeat: str = "",
        is_compacted: bool = False,
        keeps: bool = True,
        is_new_agent: bool = False,
        owed: bool = False,
        files: Mapping[str, MemoryFile] | None = None,
        bracket: str = "",
    ) -> None:
        self.stands = stands
        self.full_reason = full_reason
        self.uncertain = uncertain or {}
        self.repeat = repeat
        self.is_compacted = is_compacted
        self.keeps = keeps
        self.is_new_agent = is_new_agent
        self.owed = owed
        self.files = files or {}
        self.bracket = bracket

    @property
    def memory_identities(self) -> set[str]:
        """The identities of the memories that the window holds, or may hold."""
        return {
            one
            for part in (self.stands, self.uncertain)
            for heading, known in part.items()
            if _is_memory_heading(heading)
            for one in known
        }

    def without_memories(self) -> tuple[StandingEntries, StandingEntries]:
        """Returns what the window holds and may hold, without its memories."""
        stands, maybe = (
            {heading: known for heading, known in part.items() if not _is_memory_heading(heading)}
            for part in (self.stands, self.uncertain)
        )
        return stands, maybe

    @property
    def needs_first_memories(self) -> bool:
        """Whether the memories that begin a window are due: it holds nothing, or lacks them."""
        return self.owed or not (self.stands or self.uncertain)


def _is_memory_heading(heading: str) -> bool:
    """Returns whether memories stand under a heading, in whatever grammar."""
    return "memory" in heading.lower()


def window_content(
    plan: Plan,
    situation: Situation,
    window: WindowState,
    *,
    keeps: bool = True,
    within_turn: bool = False,
) -> WindowContent:
    """Returns what the window holds in ``situation``, and whether the full block is due.

    keeps: whether the client keeps what it injects. within_turn: something happens within a turn,
    whose prompt was given everything that each prompt is given.
    """
    stands, maybe = window.standing, window.doubtful
    if within_turn:
        stands = merge_standing(stands, window.passing)
    else:
        maybe = merge_standing(maybe, window.passing)
    if not stands:
        why = "nothing stands in this window"
        return WindowContent({}, why, maybe, is_compacted=window.is_compacted, keeps=keeps)
    if why := shrink_reason(window, situation.usage):
        return WindowContent({}, why, merge_standing(stands, maybe), keeps=keeps)
    if not within_turn:
        if not keeps:
            return WindowContent({}, "this client keeps nothing", keeps=False)
        if plan.settings["injection"] == "always":
            why = "every prompt gets the full block (injection = always)"
            return WindowContent({}, why, merge_standing(stands, maybe))
    brackets = plan.profile.brackets
    repeat, why = refresh_due(window, situation.turn, situation.bracket, situation.usage, brackets)
    wanted = plan.settings["refresh"]
    if _is_blind(window) and situation.turn - (window.full_block_prompt or 0) >= BLIND_PROMPTS:
        repeat, why = ALL, "a compaction of this chat could not be seen"
    elif situation.usage.may_be_compacted and not within_turn:
        repeat, why = ALL, "the client may compact before it asks the model"
    if not repeat or wanted == "never":
        repeat = why = ""
    elif wanted == ALL:
        repeat = ALL
    owed, files = window.owes_memories, window.memory_files
    is_new_agent = bool(situation.agent) and situation.agent not in window.agents
    return WindowContent(
        stands,
        why,
        maybe,
        repeat=repeat,
        keeps=keeps,
        is_new_agent=is_new_agent,
        owed=owed,
        files=files,
        bracket=window.told_bracket,
    )


def _is_blind(window: WindowState) -> bool:
    """Returns whether compactions of the window show in a file only, and that is not there."""
    return window.history is not None and not window.history[0]


def _divide_standing(window: WindowState, before: WindowContent, certainty: str) -> None:
    """Keeps in ``window.standing``, of what a reply left there, only what is known to stand.

    What stood stands on. The rest is as certain as the way on which it came last.
    """
    parts: dict[str, StandingEntries] = {STANDS: {}, PASSES: {}, UNSURE: {}}
    for heading, known in window.standing.items():
        held, passing = (part.get(heading, {}) for part in (before.stands, window.passing))
        for identity, record in known.items():
            how = certainty
            if identity in held and identity not in passing:
                how = STANDS
            elif held.get(identity) == record:
                how = PASSES
            parts[how].setdefault(heading, {})[identity] = record
    window.standing, window.passing = parts[STANDS], parts[PASSES]
    window.doubtful = merge_standing(window.doubtful, parts[UNSURE])


def _record_matches(window: WindowState, assembly: Assembly) -> None:
    """Notes in the window which domains matched, and forgets matches of long ago."""
    turn = assembly.situation.turn
    recalled = dict(window.recalled)
    for taken in assembly.selection.by_layer.values():
        for domain, verdict in taken:
            if verdict.recall and verdict.code in RECALLED_CODES:
                recalled[domain.label] = (turn, tuple(verdict.detail), verdict.code)
    window.recalled = {
        label: seen for label, seen in recalled.items() if turn - seen[0] <= RECALL_PROMPTS
    }


def record_delivery(
    window: WindowState, assembly: Assembly, before: WindowContent, certainty: str = STANDS
) -> None:
    """Notes what a reply has delivered as content of the window.

    before: what the window held when it was composed. certainty: what is known of a text that came
    in this way (`delivery_certainty`).
    """
    situation = assembly.situation
    usage = situation.usage
    if before.full_reason or usage.source != window.full_block_source:
        window.full_block_source = usage.source
        window.full_block_bracket = situation.bracket.name
        window.full_block_remaining = usage.remaining
    sent, review = assembly.sent_sections, assembly.review
    if review is not None:
        window.standing = standing_after(before.stands, sent, situation, review)
        window.doubtful = doubtful_after(before.uncertain, sent, window.standing, review)
        if certainty != STANDS or window.passing:
            _divide_standing(window, before, certainty)
    if before.full_reason:
        # What was told a moment before is not told with the others: its own time comes later.
        window.full_block_prompt = oldest_essential(
            assembly.wanted_sections, window.standing, situation
        )
    if assembly.text:
        window.told_bracket = situation.bracket.name
    window.is_compacted = False
    left_out = (*assembly.cut_entries, *assembly.limited_entries)
    may_lack = certainty == UNSURE and any(section.entries for section in sent)
    window.owes_rules = may_lack or any(entry.lifetime != "turn" for entry in left_out)
    memories = situation.memories
    is_late = memories is not None and memories.level != "none" and not memories.is_complete
    window.owes_memories = is_late or any(entry.domain == "MEMORY" for entry in left_out)
    is_new_agent = situation.agent and situation.agent not in window.agents
    if is_new_agent and not window.owes_memories:
        window.agents = (*window.agents, situation.agent)
    window.used, window.usage_source = used_amount(usage), usage.source
    _record_matches(window, assembly)
