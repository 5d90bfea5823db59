"""Which memories are told now, how much of each, and why the others are not.

HOT ones are told unasked, WARM ones when they match what is said or at work, COLD ones are left to
searches (MIS). An agent is told its own and the shared ones, those of the sectors it prefers first.
What it was told in this window stays told, so that nothing is taken back but what was forgotten.
"""

from __future__ import annotations

from synapse_ls.engine.hints import Hint, identity
from synapse_ls.engine.tokens import tokens_of
from synapse_ls.formats.memory_fields import LEVELS
from synapse_ls.memory.score import COLD, HOT, STANDARD, attention, is_expired
from synapse_ls.memory.search import match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from synapse_ls.engine.hints import WhyNot
    from synapse_ls.memory.index import Row
    from synapse_ls.memory.record import Record
    from synapse_ls.memory.score import Constants, Score
    from synapse_ls.memory.search import Match

BADGE: Final = len("  [correction, procedural, 100%] ")  # what may stand before a hint
INNER: Final = len("      ")  # and before each further line of it
RELEVANT: Final = 0.5
OTHER_SECTOR: Final = 0.8


class Asked:
    """For whom and for what memories are chosen.

    agent: "" for none. own: only the agent's private ones (a clone's). level, tokens: how much of
    each, and of all together. hot_only: the bracket wants none, but the window is new. terms: of
    the prompt and the work (`memory.search.query`). told: identities of hints in the window; paths:
    the files these come from, None where that is not known of all.
    today: days since 1970-01-01. sectors: those that the agent prefers, empty for all alike.
    """

    __slots__ = (
        "agent",
        "constants",
        "hot_only",
        "level",
        "other_sector",
        "own",
        "paths",
        "relevant",
        "sectors",
        "terms",
        "today",
        "tokens",
        "told",
    )

    def __init__(
        self,
        *,
        agent: str = "",
        own: bool = False,
        level: str = "summary",
        tokens: int = 200,
        hot_only: bool = False,
        terms: tuple[str, ...] = (),
        told: frozenset[str] = frozenset(),
        paths: frozenset[str] | None = None,
        today: int = 0,
        sectors: tuple[str, ...] = (),
        constants: Constants = STANDARD,
        relevant: float = RELEVANT,
        other_sector: float = OTHER_SECTOR,
    ) -> None:
        self.agent = agent
        self.own = own
        self.level = level
        self.tokens = tokens
        self.hot_only = hot_only
        self.terms = terms
        self.told = told
        self.paths = paths
        self.today = today
        self.sectors = sectors
        self.constants = constants
        self.relevant = relevant
        self.other_sector = other_sector


class Candidate:
    """A memory that somebody offers. relevance: as its provider says, None to find it out here."""

    __slots__ = ("provider", "relevance", "row")

    def __init__(self, row: Row, provider: str = "", relevance: float | None = None) -> None:
        self.row = row
        self.provider = provider
        self.relevance = relevance


class Chosen:
    """hints: what is told, best first. left: (what is not, why not), by id."""

    __slots__ = ("hints", "left")

    def __init__(self, hints: tuple[Hint, ...], left: tuple[tuple[Hint, WhyNot], ...]) -> None:
        self.hints = hints
        self.left = left


def choose(candidates: Iterable[Candidate], asked: Asked, *, brief: bool = False) -> Chosen:
    """What of ``candidates`` is told; all of them may be seen by the agent.

    brief: nobody wants to know why the others are not, so that ``left`` need not have all of them.
    """
    wanted: list[Hint] = []
    standing: list[Hint] = []
    left: list[tuple[Hint, WhyNot]] = []
    for candidate in candidates:
        score = attention(candidate.row.record, asked.today, asked.constants)
        told = _told(candidate.row.record, asked) if asked.told else []
        cold = score.tier == COLD and candidate.relevance is None
        if brief and not told and score.tier != HOT and (asked.hot_only or cold):
            continue
        hint, why_not = _judged(candidate, score, asked, brief=brief)
        if why_not:
            left.append((hint, why_not))
            standing += [_at(hint, level, "it was told in this window") for level in told]
        elif any(LEVELS.index(level) >= LEVELS.index(asked.level) for level in told):
            standing.append(_at(hint, told[-1], *hint.reasons))
        else:
            wanted.append(hint)
            standing += [_at(hint, level, "it was told in this window") for level in told]
    wanted.sort(key=_order)
    kept, over = _within(wanted, asked.tokens)
    left += [(hint, ("memory-no-room", str(asked.tokens))) for hint in over]
    hints = sorted((*kept, *standing), key=_order)
    return Chosen(tuple(hints), tuple(sorted(left, key=lambda pair: pair[0].id)))


def _order(hint: Hint) -> tuple[float, str, str]:
    return (-hint.rank, hint.id, hint.level)


def _judged(
    candidate: Candidate, score: Score, asked: Asked, *, brief: bool
) -> tuple[Hint, WhyNot]:
    """The hint that a candidate would be, and why it is none, () where it is."""
    record = candidate.row.record
    found = match(asked.terms, candidate.row.words)
    relevance = found.relevance if candidate.relevance is None else candidate.relevance
    fits = not asked.sectors or record.sector in asked.sectors
    sector = 1.0 if fits else asked.other_sector
    weight = (1 + relevance) / 2
    hint = hint_of(
        record,
        score,
        level=asked.level,
        provider=candidate.provider,
        rank=score.value * weight * sector,
        more=(("relevance", relevance), ("sector", sector)),
        reasons=() if brief else _reasons(record, score, found, candidate, asked, fits=fits),
    )
    return hint, _why_not(candidate, score, relevance, asked)


def _why_not(candidate: Candidate, score: Score, relevance: float, asked: Asked) -> WhyNot:
    record = candidate.row.record
    if asked.own and not (record.is_private and record.agent == asked.agent):
        return ("memory-not-own",)
    if is_expired(record, asked.today, asked.constants):
        return ("memory-expired", record.expires[:10]) if record.expires else ("memory-over",)
    if score.tier == HOT:
        return ()
    if asked.hot_only:
        return ("memory-begins",)
    # What a provider finds for this very prompt is the answer to a search.
    if score.tier == COLD and candidate.relevance is None:
        return ("memory-cold", f"{score.value:.2f}")
    if relevance < asked.relevant:
        return ("memory-unmatched",)
    return ()


def _reasons(
    record: Record,
    score: Score,
    found: Match,
    candidate: Candidate,
    asked: Asked,
    *,
    fits: bool,
) -> tuple[str, ...]:
    """Why a hint is worth what it is, in sentences."""
    told = [f"{score.tier.upper()} with a score of {score.value:.2f}"]
    if score.lifted:
        told.append("a person said so: the floor counts" if record.explicit else "its file says so")
    if found.found:
        told.append(f"matches {found.told}")
    if candidate.relevance is not None:
        told.append(f"{candidate.provider} finds it {candidate.relevance:.0%} relevant")
    if asked.sectors and asked.agent:
        verb = "prefers" if fits else "prefers other sectors than"
        told.append(f"@{asked.agent} {verb} {record.sector} memories")
    return tuple(told)


def hint_of(
    record: Record,
    score: Score,
    *,
    level: str = "summary",
    rank: float = 0.0,
    provider: str = "",
    more: tuple[tuple[str, float], ...] = (),
    reasons: tuple[str, ...] = (),
) -> Hint:
    """A record as a hint."""
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


def _at(hint: Hint, level: str, *reasons: str) -> Hint:
    """The same hint at another level."""
    given = {name: getattr(hint, name) for name in Hint.__slots__}
    return Hint(**{**given, "level": level, "reasons": reasons})


def _told(record: Record, asked: Asked) -> list[str]:
    """The levels at which the window holds a memory, the least first."""
    if asked.paths is not None and record.path not in asked.paths:
        return []
    return [
        level
        for level in LEVELS[1:]
        if identity(record.id, record.title, record.text, level) in asked.told
    ]


def _within(hints: list[Hint], tokens: int) -> tuple[list[Hint], list[Hint]]:
    """The best hints that fit into so many tokens, and the rest.

    One that is too long in full is told in short. From the first that does not fit even so, none
    is: more room never takes a hint away.
    """
    kept: list[Hint] = []
    used = 0
    for position, hint in enumerate(hints):
        cost = _cost(hint)
        if used + cost > tokens and hint.level == "full":
            hint = _at(hint, "summary", *hint.reasons, "it is too long to be told in full")  # noqa: PLW2901
            cost = _cost(hint)
        if used + cost > tokens:
            return kept, hints[position:]
        kept.append(hint)
        used += cost
    return kept, []


def _cost(hint: Hint) -> int:
    said = hint.said
    return tokens_of(BADGE + len(said) + 1 + INNER * said.count("\n"))
