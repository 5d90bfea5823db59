"""Select the memories that an agent gets now, how much of each, and why not the others.

HOT ones unasked, WARM ones that match the prompt or the work, COLD ones only by search (MIS). An
agent gets its own and the shared ones, its preferred sectors first (MIS provider; Chati Context
Engine's memory layer). What is in context stays, unless it was deleted.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from synapse_ls.engine import context_usage, text_search
from synapse_ls.engine.compiled_plan import Plan, load_function
from synapse_ls.engine.memory_hints import (
    LEVELS,
    Disclosure,
    Hint,
    MemoryOutcome,
    OmissionReason,
    hint_identity,
)
from synapse_ls.engine.situation import Request, Situation
from synapse_ls.formats.memory_file import CORRECTION_TYPE, GOTCHA_TYPE
from synapse_ls.memory import attention_score, memory_paths
from synapse_ls.memory.attention_score import ScoreConstants
from synapse_ls.memory.memory_index import (
    NO_MATCH,
    NO_QUERY,
    Candidate,
    Match,
    RecordWords,
    SearchQuery,
    make_query,
    match_words,
    refresh_index,
)
from synapse_ls.memory.memory_record import PERSON, Record, may_see
from synapse_ls.text.lazy_import import load_module

PREFERRED_SECTORS: Mapping[str, tuple[str, ...]] = {
    agent: tuple(sectors.split())
    for sectors, agents in {
        "procedural semantic": "dev data-engineer phases tasks",
        "procedural episodic": "sm devops",
        "reflective episodic": "qa qa-planning qa-implementation",
        "reflective procedural": "ux-design-expert ux",
        "semantic reflective": "architect analyst",
        "semantic episodic": "greenfield-wu brownfield-wu detail",
        "episodic semantic": "pm po brief",
    }.items()
    for agent in agents.split()
}
DEFAULT_SECTORS = ("semantic",)
UNMATCHED = ("memory-unmatched",)


def preferred_sectors(agent: str, overrides: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the sectors of memory that ``agent`` prefers, "" for nobody: all alike.
    ``[memory.sectors]`` decides first.
    """
    return (
        () if not agent else overrides.get(agent) or PREFERRED_SECTORS.get(agent, DEFAULT_SECTORS)
    )


BADGE_LENGTH = len("  [correction, procedural, 100%] ")  # what may stand before a hint
INDENT_LENGTH = len("      ")  # and before each further line of it
LEAST_RELEVANCE = text_search.LEAST_RELEVANCE / 1000
LEAST_PROVIDED_RELEVANCE = 0.5  # on the scale of a provider, which is no search of ours
OTHER_SECTOR_WEIGHT = 0.8


def plain_length(hint: Hint, before: Sequence[Hint]) -> int:  # noqa: ARG001
    """Return the characters that a selected hint takes in plain text, in whole tokens, whatever
    stands ``before`` it.
    """
    text = hint.shown_text
    length = BADGE_LENGTH + len(text) + 1 + INDENT_LENGTH * text.count("\n")
    return context_usage.tokens_of_length(length) * context_usage.CHARS_PER_TOKEN


@dataclass(frozen=True, kw_only=True)
class RecallRequest:
    """A RecallRequest says for whom and for what memories are selected.

    agent: "" for none. own: only the agent's private ones (a clone's). level, tokens: how much of
    each, and of all together. hot_only: the bracket wants none, but the window is new. terms: of
    the prompt and the work (`memory.memory_search.query_terms`). standing: identities of hints in
    the window; paths: the files these come from, None where that is not known of all. noted: among
    others, ids of memories that came into the window in other words than a hint's. today: days
    since 1970-01-01. sectors: those that the agent prefers, empty for all alike. length: characters
    of a hint in the block after others.
    """

    agent: str = ""
    own: bool = False
    level: str = "summary"
    tokens: int = 200
    hot_only: bool = False
    corrections_only: bool = False
    terms: SearchQuery = NO_QUERY
    standing: frozenset[str] = frozenset()
    paths: frozenset[str] | None = None
    noted: frozenset[str] = frozenset()
    today: int = 0
    sectors: tuple[str, ...] = ()
    constants: attention_score.ScoreConstants = attention_score.STANDARD_CONSTANTS
    relevant: float = LEAST_RELEVANCE
    other_sector: float = OTHER_SECTOR_WEIGHT
    length: Callable[[Hint, Sequence[Hint]], int] = plain_length


@dataclass(frozen=True, slots=True)
class HintSelection:
    """Which memories are selected as hints, and why the others are not. hints: what is given, best
    first. left_out: (what is not, why not), by id.
    """

    hints: tuple[Hint, ...]
    left_out: tuple[tuple[Hint, OmissionReason], ...]


def select_hints(
    candidates: Iterable[Candidate], request: RecallRequest, *, brief: bool = False
) -> HintSelection:
    """Select the hints that are given of ``candidates``; what the agent may not see counts only
    where it stands in the window.

    brief: nobody wants to know why the others are not, so that ``left_out`` need not have all of
    them.
    """
    wanted: list[Hint] = []
    standing: list[Hint] = []
    left: list[tuple[Hint, OmissionReason]] = []
    listed = list(candidates)
    words = [c.words or RecordWords.from_record(c.record) for c in listed if c.match is None]
    matches = iter(match_words(request.terms, words))
    for candidate in listed:
        match = candidate.match or next(matches)
        score = attention_score.score_attention(candidate.record, request.today, request.constants)
        # The levels at which the window holds it, the least first.
        levels: list[str] = []
        if request.standing and (request.paths is None or candidate.record.path in request.paths):
            texts = (candidate.record.id, candidate.record.title, candidate.record.text)
            levels += (
                level for level in LEVELS[1:] if hint_identity(*texts, level) in request.standing
            )
        if not (levels or may_see(candidate.record, request.agent)):
            continue
        cold = score.tier == attention_score.COLD and candidate.relevance is None
        narrow = request.hot_only or request.corrections_only
        if brief and not levels and score.tier != attention_score.HOT and (narrow or cold):
            continue
        # Return the hint that a candidate would be, and why it is none, () where it is.
        record = candidate.record
        relevance = match.relevance if candidate.relevance is None else candidate.relevance
        fits = not request.sectors or record.sector in request.sectors
        sector = 1.0 if fits else request.other_sector
        hint = build_hint(
            record,
            score,
            level=request.level,
            provider=candidate.provider,
            rank=score.value * ((1 + relevance) / 2) * sector,
            more=(("relevance", relevance), ("sector", sector)),
            reasons=()
            if brief
            else _hint_reasons(record, score, match, candidate, request, fits=fits),
        )
        why_not = _why_not(candidate, score, match, relevance, request)
        if levels and why_not == UNMATCHED and LEVELS.index(levels[-1]) < LEVELS.index(hint.level):
            why_not = ()  # an earlier prompt asked for it, and the bracket gives more of it now
        reasons: tuple[str, ...] = ("it was injected in this window",)
        if why_not:
            left.append((hint, why_not))
        elif levels and (
            LEVELS.index(levels[-1]) >= LEVELS.index(hint.level)
            or _hint_at_level(hint, levels[-1]).shown_text == hint.shown_text
        ):  # it says no more than the form of it that was told
            reasons = hint.reasons
        else:
            wanted.append(hint)
        # A form that a fuller one has followed stands too: it is as true as that.
        standing += [_hint_at_level(hint, level, *reasons) for level in levels]
    wanted.sort(key=_sort_key)
    fitting, over = _fit_budget(wanted, request)
    left += [(hint, ("memory-no-room", str(request.tokens))) for hint in over]
    hints = sorted((*fitting, *standing), key=_sort_key)
    return HintSelection(tuple(hints), tuple(sorted(left, key=lambda pair: pair[0].id)))


def _sort_key(hint: Hint) -> tuple[float, str, str]:
    return (-hint.rank, hint.id, hint.level)


def _why_not(
    candidate: Candidate,
    score: attention_score.AttentionScore,
    match: Match,
    relevance: float,
    request: RecallRequest,
) -> OmissionReason:
    record = candidate.record
    if not may_see(record, request.agent):
        return ("memory-private", record.agent)
    if request.own and not (record.is_private and record.agent == request.agent):
        return ("memory-not-own",)
    if record.id in request.noted:
        return ("in-window",)
    if attention_score.is_expired(record, request.today, request.constants):
        return ("memory-expired", record.expires[:10]) if record.expires else ("memory-over",)
    if request.corrections_only:
        return () if record.type == CORRECTION_TYPE else ("memory-begins",)
    if score.tier == attention_score.HOT:
        return ()
    if request.hot_only:
        return ("memory-begins",)
    # What a provider finds for this very prompt is the answer to a search.
    if score.tier == attention_score.COLD and candidate.relevance is None:
        return ("memory-cold", f"{score.value:.2f}")
    least = request.relevant if candidate.relevance is None else LEAST_PROVIDED_RELEVANCE
    # An error that shares one word of its message with a prompt is about something else.
    is_evident = record.type != GOTCHA_TYPE or match.is_evident
    return UNMATCHED if relevance < least or not (is_evident or candidate.provider) else ()


def _hint_reasons(
    record: Record,
    score: attention_score.AttentionScore,
    found: Match,
    candidate: Candidate,
    request: RecallRequest,
    *,
    fits: bool,
) -> tuple[str, ...]:
    """Return why a hint is worth what it is, in sentences."""
    reasons = [f"{score.tier.upper()} with a score of {score.value:.2f}"]
    if score.uses_floor:
        reasons.append(
            "a person said so: the floor counts" if record.explicit else "its file says so"
        )
    if found.matches:
        reasons.append(f"matches {found.description}")
    if candidate.relevance is not None:
        reasons.append(f"{candidate.provider} finds it {candidate.relevance:.0%} relevant")
    if request.sectors and request.agent:
        verb = "prefers" if fits else "prefers other sectors than"
        reasons.append(f"@{request.agent} {verb} {record.sector} memories")
    return tuple(reasons)


def build_hint(
    record: Record,
    score: attention_score.AttentionScore,
    *,
    level: str = "summary",
    rank: float = 0.0,
    provider: str = "",
    more: tuple[tuple[str, float], ...] = (),
    reasons: tuple[str, ...] = (),
) -> Hint:
    """Build the hint of a record."""
    return Hint(
        record.id,
        record.title,
        record.text,
        level=level,
        type=record.type,
        sector=record.sector,
        tier=score.tier,
        tags=record.tags,
        agent=record.agent,
        confidence=record.confidence,
        explicit=record.explicit,
        score=score.value,
        rank=rank,
        path=record.path,
        line=record.line,
        provider=provider,
        factors=(*score.factors, *more),
        reasons=reasons,
    )


def _hint_at_level(hint: Hint, level: str, *reasons: str) -> Hint:
    """Return the same hint at another level."""
    return Hint(**{**vars(hint), "level": level, "reasons": reasons})


def _fit_budget(hints: list[Hint], request: RecallRequest) -> tuple[list[Hint], list[Hint]]:
    """Return the best hints that fit into the tokens of a request, and the rest.

    One that is too long in full is given in short. From the first that does not fit even so, none
    is: more room never takes a hint away.
    """
    fitting: list[Hint] = []
    room = request.tokens * context_usage.CHARS_PER_TOKEN
    for position, hint in enumerate(hints):
        if (needed := request.length(hint, fitting)) > room and hint.level == "full":
            hint = _hint_at_level(  # noqa: PLW2901
                hint, "summary", *hint.reasons, "it is too long to be injected in full"
            )
            needed = request.length(hint, fitting)
        if needed > room:
            return fitting, hints[position:]
        fitting.append(hint)
        room -= needed
    return fitting, []


DAY_SECONDS = 86_400


def choose_memories(
    plan: Plan,
    request: Request,
    situation: Situation,
    disclosure: Disclosure,
    memories: MemoryOutcome,
    *,
    held: Mapping[str, str | None],
    noted: Collection[str] = (),
    hurry: bool,
) -> HintSelection:
    """Return which memories are recalled for a prompt. held: identity -> file of what the window
    holds, None where that is not known. noted: the ids of memories that came into it in other words
    are among these. See `fill_memories`.
    """
    settings = plan.settings["memory"]
    agent = situation.agent
    uses = memory_paths.read_uses(plan.root)
    # Return the words of the prompt, and of what is at work.
    facts = situation.task_facts
    query_names = [situation.task, situation.story, *situation.files]
    if facts is not None:
        query_names += [path for path, _ in facts.files]
    query = make_query(request.prompt, filter(None, query_names))
    files = None if None in held.values() else set(filter(None, held.values()))
    least = settings.get("relevant", LEAST_RELEVANCE)
    deadline = time.monotonic() + settings["patience_ms"] / 1000 if hurry else None
    index = refresh_index(plan.root, deadline=deadline, chati=plan.profile.source == "chati")
    # Who waits wants what is told alone; who asks wants to know why the others are not.
    # What stands in the window is looked at whoever is at work now: another agent's is none of
    # what is told, and as true as before.
    reader = PERSON if held else agent
    candidates = [
        Candidate(memory_paths.add_uses(record, uses), match or NO_MATCH)
        for record, match in index.find_memories(query, reader, files if hurry else None, least)
    ]
    memories.notes += index.notes
    memories.unread = index.notes
    memories.is_complete = index.complete
    if not index.complete:
        memories.notes.append(
            "memories changed and could not all be read in time: what was known before counts"
        )
    names = tuple(settings.get("providers", ()))
    due: tuple[str, ...] = ()
    if names:
        other_answers = load_module("synapse_ls.memory.memory_providers").cached_answers(
            plan.root, names, agent, request.prompt
        )
        candidates += other_answers.candidates
        memories.notes += other_answers.notes
        due = other_answers.due
    if due or not index.complete:
        question = load_module("synapse_ls.memory.memory_providers").RecallQuestion(
            plan.root, agent=agent, prompt=request.prompt, files=situation.files
        )
        memories.pending = (question, due)
    measure = plan.profile.memory_length
    recall_request = RecallRequest(
        agent=agent,
        own=disclosure.own,
        level=disclosure.level if disclosure.level != "none" else "summary",
        tokens=disclosure.tokens,
        hot_only=disclosure.hot_only,
        corrections_only=disclosure.corrections_only,
        terms=query,
        standing=frozenset(held),
        noted=frozenset(noted),
        paths=None if files is None else frozenset(files),
        today=current_day(),
        sectors=preferred_sectors(agent, settings.get("sectors", {})),
        constants=ScoreConstants.from_settings(settings),
        relevant=least,
        other_sector=settings.get("other_sector", OTHER_SECTOR_WEIGHT),
        length=load_function(measure) if measure else plain_length,
    )
    return select_hints(candidates, recall_request, brief=hurry)


def current_day() -> int:
    """Return the day on which memories are recalled, in days since 1970-01-01, in UTC: memories
    fade by the day, so that blocks hold still.
    """
    return int(time.time() // DAY_SECONDS)
