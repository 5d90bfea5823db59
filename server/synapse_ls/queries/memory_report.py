"""Reports of a tree's memories: lists, searches, counts, and an account of one."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from synapse_ls.engine import block_sections, context_usage
from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.memory_hints import (
    EXECUTORS_WITHOUT_MEMORIES,
    LEVELS,
    Hint,
    executor_of,
    hint_identity,
)
from synapse_ls.engine.reason_phrases import Explanation, Phrase, explain, make_phrase
from synapse_ls.engine.rule_account import DomainAccount, RuleAccount
from synapse_ls.formats.memory_file import SECTORS, STORAGES, TIERS
from synapse_ls.formats.session_file import SessionState
from synapse_ls.formats.window_state import WindowState
from synapse_ls.memory import attention_score
from synapse_ls.memory.memory_index import NO_MATCH, Match, make_typed_query
from synapse_ls.memory.memory_paths import ARCHIVES
from synapse_ls.memory.memory_record import PERSON, Record, reader_name
from synapse_ls.memory.memory_selection import build_hint, current_day
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.queries.report_model import LINE, report_of
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.text import iso_time, secret_masking
from synapse_ls.text.user_error import UserError

_HintedMemory = tuple[Hint, "ScoredMemory | None"]

# The part of a search's words that a memory has to have.
SEARCH_SHARE = 0.5


@dataclass(frozen=True, kw_only=True)
class MatchedWord:
    """A word by which a search lists a memory, and where it was found: in a tag, the title or the
    text.
    """

    word: str
    place: str


@dataclass(frozen=True, kw_only=True)
class MemoryReport:
    """A memory in a listing, with its score of today. `type`: what it is, such as "decision".
    `agent`: whose it is, null where it is shared. `storage`: "session", "daily" or "durable".
    `tier`: "hot", "warm" or "cold".
    """

    id: str
    title: str
    text: str
    type: str
    tags: list[str]
    agent: str | None
    scope: str
    sector: str
    storage: str
    confidence: float
    evidence: int
    accesses: int
    created: str | None
    updated: str | None
    accessed: str | None
    expires: str | None
    explicit: bool
    source: str | None
    tier: str
    score: float
    factors: dict[str, float]
    lifted: bool
    relevance: float | None
    matches: list[MatchedWord]
    archived: bool
    file: str
    line: int = field(metadata=LINE)


@dataclass(frozen=True, kw_only=True)
class MemoryCounts:
    """How many memories a listing counts, by tier, sector, storage and agent."""

    total: int
    tiers: dict[str, int]
    sectors: dict[str, int]
    storage: dict[str, int]
    agents: dict[str, int]
    shared: int
    explicit: int
    expired: int
    archived: int


@dataclass(frozen=True, kw_only=True)
class MemoriesReport:
    """A listing of memories, best first, and how many there are in all."""

    memories: list[MemoryReport]
    counts: MemoryCounts


@dataclass(frozen=True, slots=True)
class ScoredMemory:
    """A memory that a listing or a search has found, with its score of today. match: how it answers
    a search, `NO_MATCH` for none. expiry: the first day on which nobody is told it any more, None
    for never.
    """

    record: Record
    score: attention_score.AttentionScore
    match: Match = NO_MATCH
    expiry: int | None = None

    @property
    def has_expired(self) -> bool:
        """Whether it has expired, so that nobody is told it."""
        return self.expiry is not None and current_day() >= self.expiry

    @property
    def rank(self) -> float:
        """By which the results of a search are ordered."""
        return self.match.relevance * (1 + self.score.value) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """Which memories are to be listed; what is empty is not asked for. tags: all of them."""

    tags: tuple[str, ...] = ()
    sector: str = ""
    storage: str = ""
    tier: str = ""
    type: str = ""
    agent: str = ""

    def __post_init__(self) -> None:
        for name, words in (("sector", SECTORS), ("storage", STORAGES), ("tier", TIERS)):
            if (value := getattr(self, name)) and value not in words:
                raise UserError(
                    f'There is no {name} "{value}".', f"Choose one of {', '.join(words)}."
                )

    def matches(self, memory: ScoredMemory) -> bool:
        """Return whether a memory is wanted."""
        record = memory.record
        return (
            all(
                not getattr(self, name) or getattr(record, name) == getattr(self, name)
                for name in ("sector", "storage", "type")
            )
            and (not self.tier or memory.score.tier == self.tier)
            and (not self.agent or record.agent == reader_name(self.agent))
            and {tag.casefold() for tag in self.tags} <= {tag.casefold() for tag in record.tags}
        )


ANY_MEMORY = MemoryFilter()


def memory_settings(root: str) -> Mapping[str, Any]:
    """Return the ``[memory]`` settings of a tree by which its memories are listed."""
    settings: Mapping[str, Any] = load_plan(root).plan.settings.get("memory", {})
    return settings


def open_store(root: str) -> MemoryStore:
    """Return the store whose memories are listed, with the constants that the tree's configuration
    sets, and the memories that its profile tells from elsewhere.
    """
    return _open_plan_store(load_plan(root).plan)


def _open_plan_store(plan: Plan) -> MemoryStore:
    constants = attention_score.ScoreConstants.from_settings(plan.settings.get("memory", {}))
    return MemoryStore(plan.root, constants, chati=plan.profile.source == "chati")


def list_memories(
    root: str, reader: str = PERSON, filter_by: MemoryFilter = ANY_MEMORY, *, archived: bool = False
) -> list[ScoredMemory]:
    """List the memories that pass the filter, those with the highest score first."""
    store = open_store(root)
    records = store.archived_records(reader) if archived else store.records(reader)
    memories = (_score_memory(record, store) for record in records)
    return sorted(filter(filter_by.matches, memories), key=lambda s: (-s.score.value, s.record.id))


def search_memories(
    root: str, text: str, reader: str = PERSON, filter_by: MemoryFilter = ANY_MEMORY
) -> list[ScoredMemory]:
    """List the memories that match a search, the best first; nothing for what is not about any."""
    store = open_store(root)
    memories = [
        _score_memory(record, store, match)
        for record, match in store.search(make_typed_query(text), reader)
        if match.share >= SEARCH_SHARE
    ]
    return sorted(filter(filter_by.matches, memories), key=lambda s: (-s.rank, s.record.id))


def find_memory(root: str, id: str, reader: str = PERSON) -> tuple[ScoredMemory, bool]:
    """Find one memory of a listing that is to be shown, and whether it lies in the archive; raise
    UserError where ``reader`` sees none.
    """
    store = open_store(root)
    record, away = store.get(id, reader), False
    if record is None:
        record, away = next((r for r in store.archived_records(reader) if r.id == id), None), True
    if record is None:
        raise UserError(f"There is no memory {id}.", "`synapse memory list` shows those there are.")
    return _score_memory(record, store), away


def count_memories(root: str, reader: str = PERSON) -> MemoryCounts:
    """Count, for a listing, the memories that ``reader`` has, by what they are."""
    memories = list_memories(root, reader)
    return MemoryCounts(
        total=len(memories),
        tiers=_count_words((s.score.tier for s in memories), TIERS),
        sectors=_count_words((s.record.sector for s in memories), SECTORS),
        storage=_count_words((s.record.storage for s in memories), STORAGES),
        agents=_count_words(s.record.agent for s in memories if s.record.is_private),
        shared=sum(not s.record.is_private for s in memories),
        explicit=sum(s.record.explicit for s in memories),
        expired=sum(s.has_expired for s in memories),
        archived=len(open_store(root).archived_records(reader)),
    )


def _score_memory(record: Record, store: MemoryStore, match: Match = NO_MATCH) -> ScoredMemory:
    day, constants = current_day(), store.constants
    score = attention_score.score_attention(record, day, constants)
    return ScoredMemory(record, score, match, attention_score.expiry_day(record, constants))


def _count_words(words: Iterable[str], known: Iterable[str] = ()) -> dict[str, int]:
    counts = Counter(words)
    return {word: counts[word] for word in dict.fromkeys((*known, *sorted(counts)))}


def memory_report(memory: ScoredMemory, *, archived: bool = False) -> MemoryReport:
    """Return a memory with its score, as listings show it."""
    record, score, day = memory.record, memory.score, memory.expiry
    return report_of(
        MemoryReport,
        record,
        accesses=record.access_count,
        expires=iso_time.format_day(day) if day is not None else None,
        tier=score.tier,
        score=round(score.value, 4),
        factors={name: round(value, 4) for name, value in score.factors},
        lifted=score.uses_floor,
        relevance=round(memory.match.relevance, 4) if memory.match.matches else None,
        matches=[MatchedWord(word=word, place=place) for word, place in memory.match.matches],
        archived=archived,
        file=record.path,
        line=record.line + 1,
    )


def secret_notes(record: Record) -> tuple[str, ...]:
    """Return what whoever has added a memory should know of the secrets that seem to stand in
    it.
    """
    text = "\n".join((record.title, *record.tags, record.text))
    kinds = dict.fromkeys(secret.sentence_start for secret in secret_masking.find_secrets(text))
    return tuple(
        f"{kind} seems to be in it, and memories are injected and committed: "
        f"`synapse memory forget {record.id}`, and name where it is kept instead"
        for kind in kinds
    )


MEMORY_DOMAIN = "MEMORY"


@dataclass(frozen=True, slots=True)
class MemoryAccount(RuleAccount):
    """A memory as the account of a rule; ``memory`` is None for one that a provider gave."""

    hint: Hint
    memory: ScoredMemory | None

    @property
    def is_archived(self) -> bool:
        """Whether it lies in the archive."""
        return self.file.startswith(tuple(ARCHIVES.values()))

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
    """Return the accounts of the memories that ``wanted`` can mean, by the first reading that fits
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

    # All memories of `reader`, as the assembly judged them where it did.
    store = _open_plan_store(plan)
    scored = {record.id: _score_memory(record, store) for record in store.records(reader)}
    memories = assembly.situation.memories
    judged = {hint.id: hint for hint, _ in memories.omitted} if memories else {}
    judged |= {hint.id: hint for hint in assembly.situation.hints}
    hints = {id: build_hint(memory.record, memory.score) for id, memory in scored.items()} | judged
    accounts = [(hint, scored.get(id)) for id, hint in hints.items()]
    if not (matches := [memory for memory in accounts if is_meant(memory)]):
        archived = (_score_memory(record, store) for record in store.archived_records(reader))
        away = ((build_hint(memory.record, memory.score), memory) for memory in archived)
        matches = [memory for memory in away if is_meant(memory)]
    matches = matches or [
        memory
        for memory in accounts
        if words and words in " ".join(f"{memory[0].title} {memory[0].text}".casefold().split())
    ]
    window = session.find_window(session.latest_window_key()) if session else WindowState()
    return [_memory_account(plan, assembly, window, *memory) for memory in matches]


def _memory_account(
    plan: Plan, assembly: Assembly, window: WindowState, hint: Hint, seen: ScoredMemory | None
) -> tuple[DomainAccount, MemoryAccount]:
    sent = {
        sent_entry.hash: sent_entry
        for s in assembly.sent_sections
        for sent_entry in told_memories(s.entries)
    }
    own = [sent_entry for sent_entry in assembly.situation.hints if sent_entry.id == hint.id]
    hint = next((sent_entry for sent_entry in own if sent_entry.identity in sent), hint)
    entry = sent.get(hint.identity)
    text = entry.text if entry else hint.shown_text
    account = MemoryAccount(
        MEMORY_DOMAIN,
        hint.id,
        text,
        hint.path,
        hint.line + 1,
        context_usage.tokens_of_length(len(text) + 3),
        entry is not None,
        explain("remembered", "; ".join(hint.reasons)),
        hint,
        seen,
    )
    if entry is None:
        stands = {sent_entry for entries in window.standing.values() for sent_entry in entries}
        levels = (hint_identity(hint.id, hint.title, hint.text, level) for level in LEVELS[1:])
        if has_it := any(sent_entry in stands for sent_entry in levels):
            why = explain("in-window")
        elif own:
            why = _explain_missing(assembly, hint)
        else:
            why = _explain_unchosen(plan, assembly, account)
        if (
            why.reasons[0].code == "no-memories"
            and window.owes_memories
            and hint.tier == attention_score.HOT
        ):
            why = explain("memory-owed")
        account = replace(account, explanation=why, is_rendered=has_it and bool(assembly.standing))
    domain = DomainAccount(
        MEMORY_DOMAIN, "", account.explanation, hint.path, hint.path, account.line, (account,)
    )
    return domain, account


def told_memories(entries: Iterable[block_sections.Entry]) -> Iterator[block_sections.Entry]:
    """Yield the entry of each memory that a block tells, for its account; of a line that names
    several those that it names.
    """
    for entry in entries:
        yield from entry.members or (entry,)


def _explain_unchosen(plan: Plan, assembly: Assembly, memory: MemoryAccount) -> Explanation:
    """Return why a memory was not chosen, and what would change that."""
    hint, situation = memory.hint, assembly.situation
    if memory.is_archived:
        return explain("memory-archived", remedy=make_phrase("restore-memory", hint.id))
    if memory.is_private and hint.agent != situation.agent:
        now = make_phrase("other-agent", situation.agent, hint.agent)
        if not situation.agent:
            now = make_phrase("no-agent", hint.agent)
        private = make_phrase("memory-private", hint.agent)
        return Explanation((private, now), make_phrase("activate-agent", hint.agent))
    memories = situation.memories
    omitted = memories.omitted if memories else ()
    if why := next((why for other, why in omitted if other.id == hint.id), ()):
        return explain(*why, remedy=_remedy_for(plan, hint, why[0]))
    if memories is not None and memories.why:
        return explain("no-memories", memories.why, remedy=_memory_remedy(plan, assembly))
    return explain("not-assembled", remedy=make_phrase("report-bug"))


def _explain_missing(assembly: Assembly, hint: Hint) -> Explanation:
    """Return why a memory that was chosen is not in the block."""

    def is_among(entries: Iterable[block_sections.Entry]) -> bool:
        return any(entry.hash == hint.identity for entry in told_memories(entries))

    if assembly.follows and is_among((*assembly.limited_entries, *assembly.cut_entries)):
        return explain("follows")
    if is_among(assembly.limited_entries):
        return explain("too-large", remedy=make_phrase("shorten-state"))
    if is_among(assembly.cut_entries):
        budget = make_phrase("over-budget", assembly.situation.bracket.name, assembly.budget)
        return Explanation((budget,), make_phrase("shorten-state"))
    return explain("in-window")


def _remedy_for(plan: Plan, hint: Hint, code: str) -> Phrase | None:
    """Return what would bring in a memory that was not chosen."""
    vouch = make_phrase("vouch-memory", hint.path) if hint.path else None
    match code:
        case "memory-not-own":
            return make_phrase("change-executor")
        case "memory-expired" | "memory-over":
            return make_phrase("later-expiry", hint.path)
        case "memory-begins":
            return vouch if hint.tier == attention_score.COLD else _waking_bracket(plan)
        case "memory-cold":
            return vouch
        case "memory-unmatched":
            return (
                make_phrase("say-keyword", hint.tags[0]) if hint.tags else make_phrase("say-words")
            )
        case _:
            return make_phrase("fewer-memories")


def _memory_remedy(plan: Plan, assembly: Assembly) -> Phrase | None:
    """Return what would have memories delivered at all."""
    situation = assembly.situation
    if not plan.settings.get("memory", {}).get("enabled", True):
        return make_phrase("enable-memories")
    if executor_of(situation) in EXECUTORS_WITHOUT_MEMORIES:
        return make_phrase("change-executor")
    return _waking_bracket(plan) if any("memory" in part for part in plan.profile.parts) else None


def _waking_bracket(plan: Plan) -> Phrase | None:
    """Return the remedy that names the first bracket in which memories are delivered."""
    waking = next((row.name for row in plan.profile.brackets if row.memory != "none"), "")
    return make_phrase("try-bracket", waking) if waking else None
