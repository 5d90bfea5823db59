"""This module gives the account of a memory, what becomes of it: whether it is in the block now,
why, and what would change that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from synapse_ls.engine.memory_disclosure import EXECUTORS_WITHOUT_MEMORIES, executor_of
from synapse_ls.engine.memory_hints import hint_identity
from synapse_ls.engine.reason_phrases import Explanation, Phrase, explain_with, make_phrase
from synapse_ls.engine.rule_account import DomainAccount, RuleAccount
from synapse_ls.engine.token_estimate import tokens_of_length
from synapse_ls.formats.memory_levels import LEVELS
from synapse_ls.memory import use_counts
from synapse_ls.memory.attention_score import COLD, HOT, ScoreConstants, score_attention
from synapse_ls.memory.hint_selection import build_hint
from synapse_ls.memory.memory_index import refresh_index
from synapse_ls.memory.memory_paths import ARCHIVE, MEMORY, PERSON
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.memory.prompt_recall import current_day
from synapse_ls.queries.memory_listing import ScoredMemory
from synapse_ls.storage.session_state import SessionState
from synapse_ls.storage.window_state import WindowState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.block_sections import Entry
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.memory_hints import Hint, OmissionReason
    from synapse_ls.memory.record import Record

    _HintedMemory = tuple[Hint, ScoredMemory | None]

MEMORY_DOMAIN = "MEMORY"


@dataclass(frozen=True, slots=True)
class MemoryAccount(RuleAccount):
    """A memory as the account of a rule; ``memory`` is None for one that a provider gave."""

    hint: Hint
    memory: ScoredMemory | None

    @property
    def is_archived(self) -> bool:
        """Whether it lies in the archive."""
        return self.file.startswith(f"{MEMORY}/{ARCHIVE}/")

    @property
    def is_private(self) -> bool:
        """Whether only one agent may be told it."""
        return self.memory is not None and self.memory.record.is_private


def find_memories(
    plan: Plan,
    assembly: Assembly,
    wanted: str,
    reader: str = PERSON,
    session: SessionState | None = None,
) -> list[tuple[DomainAccount, MemoryAccount]]:
    """Returns the accounts of the memories that ``wanted`` can mean, by the first reading that fits
    any.

    An id, a file with or without a line, or a fragment of what is remembered. What ``reader`` may
    not see is not there; what lies in the archive has to be called by its id or file. session: the
    one in whose window memories may stand already.
    """
    path = wanted.rstrip("0123456789").removesuffix(":").removeprefix("./")
    words = " ".join(wanted.casefold().split())

    def is_meant(memory: _HintedMemory) -> bool:
        hint, _ = memory
        return wanted == hint.id or (bool(hint.path) and hint.path in (wanted, path))

    known = _judged_memories(plan, assembly, reader)
    found = [memory for memory in known if is_meant(memory)]
    found = found or [memory for memory in _archived_memories(plan, reader) if is_meant(memory)]
    found = found or [memory for memory in known if words and words in _hint_words(memory[0])]
    window = session.find_window(session.latest_window_key()) if session else WindowState()
    return [_memory_account(plan, assembly, window, *memory) for memory in found]


def _hint_words(hint: Hint) -> str:
    return " ".join(f"{hint.title} {hint.text}".casefold().split())


def _judged_memories(plan: Plan, assembly: Assembly, reader: str) -> list[_HintedMemory]:
    """Returns all memories of ``reader``, as the assembly judged them where it did."""
    constants = ScoreConstants(plan.settings.get("memory", {}))
    counted = use_counts.read_uses(plan.root)
    rows = refresh_index(plan.root, chati=plan.profile.source == "chati").rows(reader)
    seen = {
        row.record.id: _score_memory(use_counts.add_uses(row.record, counted), constants)
        for row in rows
    }
    memories = assembly.situation.memories
    judged = {hint.id: hint for hint, _ in memories.omitted} if memories else {}
    judged |= {hint.id: hint for hint in assembly.situation.hints}
    hints = {id: build_hint(one.record, one.score) for id, one in seen.items()} | judged
    return [(hint, seen.get(id)) for id, hint in hints.items()]


def _archived_memories(plan: Plan, reader: str) -> list[_HintedMemory]:
    constants = ScoreConstants(plan.settings.get("memory", {}))
    found = [
        _score_memory(one, constants)
        for one in MemoryStore(plan.root, constants).archived_records(reader)
    ]
    return [(build_hint(one.record, one.score), one) for one in found]


def _score_memory(record: Record, constants: ScoreConstants) -> ScoredMemory:
    return ScoredMemory(record, score_attention(record, current_day(), constants))


def _memory_account(
    plan: Plan, assembly: Assembly, window: WindowState, hint: Hint, seen: ScoredMemory | None
) -> tuple[DomainAccount, MemoryAccount]:
    sent = {one.hash: one for s in assembly.sent_sections for one in told_memories(s.entries)}
    own = [one for one in assembly.situation.hints if one.id == hint.id]
    hint = next((one for one in own if one.identity in sent), hint)
    entry = sent.get(hint.identity)
    text = entry.text if entry else hint.shown_text
    found = MemoryAccount(
        MEMORY_DOMAIN,
        hint.id,
        text,
        hint.path,
        hint.line + 1,
        tokens_of_length(len(text) + 3),
        entry is not None,
        explain_with(make_phrase("remembered", "; ".join(hint.reasons))),
        hint,
        seen,
    )
    if entry is None:
        stands = {one for known in window.standing.values() for one in known}
        levels = (hint_identity(hint.id, hint.title, hint.text, level) for level in LEVELS[1:])
        has_it = any(one in stands for one in levels)
        if has_it:
            why = explain_with(make_phrase("in-window"))
        else:
            why = (
                _explain_missing(assembly, hint)
                if own
                else _explain_unchosen(plan, assembly, found)
            )
        if why.reasons[0].code == "no-memories" and window.owes_memories and hint.tier == HOT:
            why = explain_with(make_phrase("memory-owed"))
        found = replace(found, explanation=why, is_rendered=has_it and bool(assembly.standing))
    domain = DomainAccount(
        MEMORY_DOMAIN, "", found.explanation, hint.path, hint.path, found.line, (found,)
    )
    return domain, found


def told_memories(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yields the entry of each memory that a block tells, for its account; of a line that names
    several those that it names.
    """
    for entry in entries:
        yield from entry.members or (entry,)


def _explain_unchosen(plan: Plan, assembly: Assembly, memory: MemoryAccount) -> Explanation:
    """Returns why a memory was not chosen, and what would change that."""
    hint, situation = memory.hint, assembly.situation
    if memory.is_archived:
        return explain_with(make_phrase("memory-archived"), make_phrase("restore-memory", hint.id))
    if memory.is_private and hint.agent != situation.agent:
        now = make_phrase("other-agent", situation.agent, hint.agent)
        if not situation.agent:
            now = make_phrase("no-agent", hint.agent)
        private = make_phrase("memory-private", hint.agent)
        return Explanation((private, now), make_phrase("activate-agent", hint.agent))
    memories = situation.memories
    why: OmissionReason = (
        next((w for one, w in memories.omitted if one.id == hint.id), ()) if memories else ()
    )
    if why:
        return explain_with(make_phrase(*why), _remedy_for(plan, hint, why[0]))
    if memories is not None and memories.why:
        return explain_with(
            make_phrase("no-memories", memories.why), _memory_remedy(plan, assembly)
        )
    return explain_with(make_phrase("not-assembled"), make_phrase("report-bug"))


def _explain_missing(assembly: Assembly, hint: Hint) -> Explanation:
    """Returns why a memory that was chosen is not in the block."""

    def is_among(entries: Iterable[Entry]) -> bool:
        return any(one.hash == hint.identity for one in told_memories(entries))

    if assembly.follows and is_among((*assembly.limited_entries, *assembly.cut_entries)):
        return explain_with(make_phrase("follows"))
    if is_among(assembly.limited_entries):
        return explain_with(make_phrase("too-large"), make_phrase("shorten-state"))
    if is_among(assembly.cut_entries):
        budget = make_phrase("over-budget", assembly.situation.bracket.name, assembly.budget)
        return explain_with(budget, make_phrase("shorten-state"))
    return explain_with(make_phrase("in-window"))


def _remedy_for(plan: Plan, hint: Hint, code: str) -> Phrase | None:
    """Returns what would bring in a memory that was not chosen."""
    vouch = make_phrase("vouch-memory", hint.path) if hint.path else None
    match code:
        case "memory-not-own":
            return make_phrase("change-executor")
        case "memory-expired" | "memory-over":
            return make_phrase("later-expiry", hint.path)
        case "memory-begins":
            return vouch if hint.tier == COLD else _waking_bracket(plan)
        case "memory-cold":
            return vouch
        case "memory-unmatched":
            return (
                make_phrase("say-keyword", hint.tags[0]) if hint.tags else make_phrase("say-words")
            )
        case _:
            return make_phrase("fewer-memories")


def _memory_remedy(plan: Plan, assembly: Assembly) -> Phrase | None:
    """Returns what would have memories delivered at all."""
    situation = assembly.situation
    if not plan.settings.get("memory", {}).get("enabled", True):
        return make_phrase("enable-memories")
    if executor_of(situation) in EXECUTORS_WITHOUT_MEMORIES:
        return make_phrase("change-executor")
    return _waking_bracket(plan) if any("memory" in part for part in plan.profile.parts) else None


def _waking_bracket(plan: Plan) -> Phrase | None:
    """Returns the remedy that names the first bracket in which memories are delivered."""
    waking = next((row.name for row in plan.profile.brackets if row.memory != "none"), "")
    return make_phrase("try-bracket", waking) if waking else None
