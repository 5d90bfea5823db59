"""Which files of a Brainiac tree take part in a text, and why the others do not.

Identity and short-term memory always do. A memory does where it answers the prompt, or where the
work at hand (summary and structured data of the short-term memory) is what it is about: words in
its body alone are not enough for that, and only the best few are told. A prompt that asks nothing
brings no memory of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import log

from synapse_ls.engine.compiled_plan import Plan, PlanDomain
from synapse_ls.engine.domain_selection import Selection, Verdict
from synapse_ls.engine.situation import Situation
from synapse_ls.engine.text_search import (
    LEAST_RELEVANCE,
    WEIGHTS,
    question_terms,
    search_index,
)

MEMORY = "memory"
BEST_SHARE = 400  # thousandths of the best score from which on another is worth telling
WORK_SHARE = 500  # the same among memories of the work at hand
WORK_MEMORIES = 3  # of the work at hand at most
WORK_SCORE_DIVISOR = 16  # how much less a word of the work at hand counts than one of the prompt


@dataclass(slots=True)
class MemoryHit:
    """A Brainiac memory that was found.

    score: thousandths, that of the prompt, the work at hand and its reinforcement. work_score:
    that of the work at hand alone, 0 where it would not do. parts: what the score is made of.
    words: of the prompt. outcome: "memory", or the reason why it is left out.
    """

    score: int = 0
    work_score: int = 0
    parts: list[tuple[str, int]] = field(default_factory=list)
    words: tuple[str, ...] = ()
    outcome: str = MEMORY


def candidate_positions(plan: Plan, situation: Situation, selection: Selection) -> Iterable[int]:
    """Return the positions of the Brainiac files that could be retrieved."""
    hits = selection.decider_results[MEMORY] = _find_hits(plan, situation)
    return (*plan.always, *hits)


def decide_domain(
    plan: Plan, domain: PlanDomain, situation: Situation, selection: Selection
) -> Verdict:
    """Decide whether a Brainiac file, such as a memory, is retrieved for a text."""
    layer: str = plan.profile_table["takes"].get(domain.role, "")
    if not layer or layer not in selection.awake:
        return Verdict("", "not-in-process", (plan.profile.name,))
    if domain.role != MEMORY:
        return Verdict(layer, domain.role)
    hit: MemoryHit | None = selection.decider_results[MEMORY].get(domain.position)
    if hit is not None and hit.outcome == MEMORY:
        return Verdict(
            layer, MEMORY, (format_score(hit.score), describe_score(hit)), recall=bool(hit.words)
        )
    if domain.label in situation.recalled:
        code, detail = situation.recalled[domain.label]
        if code == MEMORY:
            return Verdict(layer, "recalled-memory", detail, recall=True)
    if hit is not None:
        return Verdict(
            "", hit.outcome, (format_score(hit.score), str(plan.profile_table["memories"]))
        )
    return Verdict("", "no-words")


def _find_hits(plan: Plan, situation: Situation) -> dict[int, MemoryHit]:
    """Return the memories with any word of the prompt or of the work at hand."""
    hits: dict[int, MemoryHit] = {}
    if MEMORY not in plan.profile_table["takes"]:
        return hits
    _add_work_scores(plan, hits)
    # Add the memories with a word of the prompt.
    query = question_terms(situation.prompt.folded) if plan.profile_table["prompts"] else {}
    matches = search_index(plan.extra["index"], query) if query else {}
    least = max((match.score for match in matches.values()), default=0) * BEST_SHARE
    for position, match in matches.items():
        hit = hits.setdefault(position, MemoryHit())
        hit.score += match.score
        matched_fields = ((field, match.parts[field]) for field in WEIGHTS if field in match.parts)
        hit.parts = [*matched_fields, *hit.parts]
        if match.relevance >= LEAST_RELEVANCE and match.score * 1000 >= least:
            hit.words = tuple(match.words)
    for position, hit in hits.items():
        if not (hit.words or hit.work_score):
            hit.outcome = "weak-memory"
        bonus: int = plan.extra["reinforced"].get(position, 0)
        if bonus:
            hit.score += bonus
            hit.parts.append(("reinforcement", bonus))
    good = [position for position, hit in hits.items() if hit.outcome == MEMORY]
    good.sort(key=lambda position: (-hits[position].score, position))
    for position in good[plan.profile_table["memories"] :]:
        hits[position].outcome = "memory-too-many"
    return hits


def _add_work_scores(plan: Plan, hits: dict[int, MemoryHit]) -> None:
    """Add the memories with a word of the work at hand."""
    standing = plan.extra["standing"]
    about = [
        (-score, position)
        for position, (score, parts) in standing.items()
        if any(field != "body" for field, _ in parts)
    ]
    about.sort()
    least = max((score for score, _ in standing.values()), default=0) * WORK_SHARE
    table = plan.profile_table
    # Where no prompt asks, as in a promotion, they are all that is told.
    most = WORK_MEMORIES if table["prompts"] else table["memories"]
    near = {position for score, position in about[:most] if -score * 1000 >= least}
    for position, (score, _) in standing.items():
        hit = hits[position] = MemoryHit()
        hit.work_score = score if position in near else 0
        hit.score = score // WORK_SCORE_DIVISOR
        hit.parts = [("the work at hand", hit.score)]


def format_score(thousandths: int) -> str:
    """Return a Brainiac memory's score as people read it."""
    return f"{thousandths / 1000:.2f}"


def describe_score(hit: MemoryHit) -> str:
    """Return what a Brainiac memory's score is made of."""
    parts = " + ".join(f"{field} {format_score(value)}" for field, value in hit.parts)
    quoted = ", ".join(f'"{word}"' for word in hit.words[:5])
    return f"{parts}; the prompt says {quoted}" if quoted else parts


def reinforcement_bonus(count: int) -> int:
    """Return what a Brainiac memory's score gains by having proved useful ``count`` times, in
    thousandths: ever less for each time more.
    """

    return round(250 * log(1 + count))
