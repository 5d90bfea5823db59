"""What becomes of a memory: whether it is told now, why, and what would change that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from synapse_ls.engine.account import DomainAccount, RuleAccount
from synapse_ls.engine.disclosure import WITHOUT, executor_of
from synapse_ls.engine.hints import identity
from synapse_ls.engine.phrases import Phrase, Told, phrase, told
from synapse_ls.engine.tokens import tokens_of
from synapse_ls.formats.memory_fields import LEVELS
from synapse_ls.memory import uses
from synapse_ls.memory.index import look
from synapse_ls.memory.places import ARCHIVE, MEMORY, PERSON
from synapse_ls.memory.recall import hint_of
from synapse_ls.memory.score import COLD, HOT, Constants, attention
from synapse_ls.memory.store import MemoryStore
from synapse_ls.service.memories import Seen
from synapse_ls.service.memory import today
from synapse_ls.service.windows import OWED, latest, peek

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from synapse_ls.engine.hints import Hint, WhyNot
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly
    from synapse_ls.memory.record import Record
    from synapse_ls.service.windows import Window

    _Memory = tuple[Hint, Seen | None]

DOMAIN = "MEMORY"


@dataclass(frozen=True, slots=True)
class MemoryAccount(RuleAccount):
    """A memory as the account of a rule; ``seen`` is None for one that a provider gave."""

    hint: Hint
    seen: Seen | None

    @property
    def archived(self) -> bool:
        """Whether it lies in the archive."""
        return self.file.startswith(f"{MEMORY}/{ARCHIVE}/")

    @property
    def private(self) -> bool:
        """Whether only one agent may be told it."""
        return self.seen is not None and self.seen.record.is_private


def find_memories(
    plan: Plan,
    assembly: Assembly,
    wanted: str,
    reader: str = PERSON,
    session: Mapping[str, Any] | None = None,
) -> list[tuple[DomainAccount, MemoryAccount]]:
    """The accounts of the memories that ``wanted`` can mean, by the first reading that fits any.

    An id, a file with or without a line, or a fragment of what is remembered. What ``reader`` may
    not see is not there; what lies in the archive has to be called by its id or file. session: the
    one in whose window memories may stand already.
    """
    path = wanted.rstrip("0123456789").removesuffix(":").removeprefix("./")
    words = " ".join(wanted.casefold().split())

    def called(memory: _Memory) -> bool:
        hint, _ = memory
        return wanted == hint.id or (bool(hint.path) and hint.path in (wanted, path))

    known = _known(plan, assembly, reader)
    found = [memory for memory in known if called(memory)]
    found = found or [memory for memory in _archived(plan, reader) if called(memory)]
    found = found or [memory for memory in known if words and words in _words(memory[0])]
    window = peek(session, latest(session)) if session else {}
    return [_account(plan, assembly, window, *memory) for memory in found]


def _words(hint: Hint) -> str:
    return " ".join(f"{hint.title} {hint.text}".casefold().split())


def _known(plan: Plan, assembly: Assembly, reader: str) -> list[_Memory]:
    """All memories of ``reader``, as they were judged where they were."""
    constants = Constants(plan.settings.get("memory", {}))
    counted = uses.read(plan.root)
    rows = look(plan.root, chati=plan.profile.source == "chati").rows(reader)
    seen = {row.record.id: _seen(uses.with_uses(row.record, counted), constants) for row in rows}
    memories = assembly.situation.memories
    judged = {hint.id: hint for hint, _ in memories.left} if memories else {}
    judged |= {hint.id: hint for hint in assembly.situation.hints}
    hints = {id: hint_of(one.record, one.score) for id, one in seen.items()} | judged
    return [(hint, seen.get(id)) for id, hint in hints.items()]


def _archived(plan: Plan, reader: str) -> list[_Memory]:
    constants = Constants(plan.settings.get("memory", {}))
    found = [_seen(one, constants) for one in MemoryStore(plan.root, constants).archived(reader)]
    return [(hint_of(one.record, one.score), one) for one in found]


def _seen(record: Record, constants: Constants) -> Seen:
    return Seen(record, attention(record, today(), constants))


def _account(
    plan: Plan, assembly: Assembly, window: Window, hint: Hint, seen: Seen | None
) -> tuple[DomainAccount, MemoryAccount]:
    sent = {entry.hash: entry for s in assembly.sent for entry in s.entries}
    own = [one for one in assembly.situation.hints if one.id == hint.id]
    hint = next((one for one in own if one.identity in sent), hint)
    entry = sent.get(hint.identity)
    text = entry.text if entry else hint.said
    found = MemoryAccount(
        DOMAIN,
        hint.id,
        text,
        hint.path,
        hint.line + 1,
        tokens_of(len(text) + 3),
        entry is not None,
        told(phrase("remembered", "; ".join(hint.reasons))),
        hint,
        seen,
    )
    if entry is None:
        stands = {one for known in window.get("stands", {}).values() for one in known}
        levels = (identity(hint.id, hint.title, hint.text, level) for level in LEVELS[1:])
        if any(one in stands for one in levels):
            why = told(phrase("in-window"))
        else:
            why = _lost(assembly, hint) if own else _left(plan, assembly, found)
        if why.because[0].code == "no-memories" and window.get(OWED) is True and hint.tier == HOT:
            why = told(phrase("memory-owed"))
        found = replace(found, told=why)
    domain = DomainAccount(DOMAIN, "", found.told, hint.path, hint.path, found.line, (found,))
    return domain, found


def _left(plan: Plan, assembly: Assembly, memory: MemoryAccount) -> Told:
    """Why a memory was not chosen, and what would change that."""
    hint, situation = memory.hint, assembly.situation
    if memory.archived:
        return told(phrase("memory-archived"), phrase("restore-memory", hint.id))
    if memory.private and hint.agent != situation.agent:
        now = phrase("other-agent", situation.agent, hint.agent)
        if not situation.agent:
            now = phrase("no-agent", hint.agent)
        private = phrase("memory-private", hint.agent)
        return Told((private, now), phrase("activate-agent", hint.agent))
    memories = situation.memories
    why: WhyNot = next((w for one, w in memories.left if one.id == hint.id), ()) if memories else ()
    if why:
        return told(phrase(*why), _change(plan, hint, why[0]))
    if memories is not None and memories.why:
        return told(phrase("no-memories", memories.why), _disclosing(plan, assembly))
    return told(phrase("not-assembled"), phrase("report-bug"))


def _lost(assembly: Assembly, hint: Hint) -> Told:
    """Why a memory that was chosen is not in the block."""

    def among(entries: object) -> bool:
        return any(entry.hash == hint.identity for entry in entries)  # type: ignore[attr-defined]

    if among(assembly.limited):
        return told(phrase("too-large"), phrase("shorten-state"))
    if among(assembly.cut):
        budget = phrase("over-budget", assembly.situation.bracket.name, assembly.budget)
        return told(budget, phrase("shorten-state"))
    return told(phrase("in-window"))


def _change(plan: Plan, hint: Hint, code: str) -> Phrase | None:
    """What would bring in a memory that was not chosen."""
    vouch = phrase("vouch-memory", hint.path) if hint.path else None
    match code:
        case "memory-not-own":
            return phrase("change-executor")
        case "memory-expired" | "memory-over":
            return phrase("later-expiry", hint.path)
        case "memory-begins":
            return vouch if hint.tier == COLD else _waking(plan)
        case "memory-cold":
            return vouch
        case "memory-unmatched":
            return phrase("say-keyword", hint.tags[0]) if hint.tags else phrase("say-words")
        case _:
            return phrase("fewer-memories")


def _disclosing(plan: Plan, assembly: Assembly) -> Phrase | None:
    """What would have memories told at all."""
    situation = assembly.situation
    if not plan.settings.get("memory", {}).get("enabled", True):
        return phrase("enable-memories")
    if executor_of(situation) in WITHOUT:
        return phrase("change-executor")
    return _waking(plan) if any("memory" in part for part in plan.profile.parts) else None


def _waking(plan: Plan) -> Phrase | None:
    """The first bracket in which memories are told."""
    waking = next((row.name for row in plan.profile.brackets if row.memory != "none"), "")
    return phrase("try-bracket", waking) if waking else None
