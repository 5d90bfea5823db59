"""Which files of a Brainiac tree take part in a text, and why the others do not.

Identity and short-term memory always do. A memory does where the prompt has words of it, or where the
work at hand (summary and structured data of the short-term memory) is what it is about: words in its
body alone are not enough for that. Neither is enough at less than a third of the best.
"""

from __future__ import annotations

from synapse_ls.engine.lexical import WEIGHTS, search, terms
from synapse_ls.engine.selection import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.plan import Domain, Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation

MEMORY = "memory"
LEAST = 3  # a memory is worth telling from a third of the best score on
STANDING = 4  # how much less a word of the work at hand counts than one of the prompt


class Hit:
    """A memory that was found.

    score: thousandths, that of the prompt, the work at hand and its reinforcement. standing: that of
    the work at hand alone, 0 where it would not do. parts: what the score is made of. words: of the
    prompt. taken: "memory", or the reason why it is left out.
    """

    __slots__ = ("parts", "score", "standing", "taken", "words")

    def __init__(self) -> None:
        self.score = 0
        self.standing = 0
        self.parts: list[tuple[str, int]] = []
        self.words: tuple[str, ...] = ()
        self.taken = MEMORY


def candidates(plan: Plan, situation: Situation, chosen: Selection) -> Iterable[int]:
    """The positions of domains that could have a say."""
    hits = chosen.found[MEMORY] = _hits(plan, situation)
    return (*plan.always, *hits)


def decide(plan: Plan, domain: Domain, situation: Situation, chosen: Selection) -> Verdict:
    """Whether ``domain`` takes part."""
    layer: str = plan.profile_table["takes"].get(domain.role, "")
    if not layer or layer not in chosen.awake:
        return Verdict("", "not-in-process", (plan.profile.name,))
    if domain.role != MEMORY:
        return Verdict(layer, domain.role)
    hit: Hit | None = chosen.found[MEMORY].get(domain.position)
    if hit is not None and hit.taken == MEMORY:
        return Verdict(layer, MEMORY, (shown(hit.score), told(hit)), recall=bool(hit.words))
    if domain.label in situation.recalled:
        code, detail = situation.recalled[domain.label]
        if code == MEMORY:
            return Verdict(layer, "recalled-memory", detail, recall=True)
    if hit is not None:
        return Verdict("", hit.taken, (shown(hit.score), str(plan.profile_table["memories"])))
    return Verdict("", "no-words")


def _hits(plan: Plan, situation: Situation) -> dict[int, Hit]:
    """The memories with any word of the prompt or of the work at hand."""
    hits: dict[int, Hit] = {}
    if MEMORY not in plan.profile_table["takes"]:
        return hits
    extra = plan.extra
    best_standing = max((score for score, _ in extra["standing"].values()), default=0)
    for position, (score, parts) in extra["standing"].items():
        hit = hits[position] = Hit()
        about = any(field != "body" for field, _ in parts)
        hit.standing = score if about and score * LEAST >= best_standing else 0
        hit.score = score // STANDING
        hit.parts = [("the work at hand", score // STANDING)]
    query = terms(situation.prompt.folded) if plan.profile_table["prompts"] else {}
    said = search(extra["index"], query) if query else {}
    best_said = max((found.score for found in said.values()), default=0)
    for position, found in said.items():
        hit = hits.setdefault(position, Hit())
        hit.score += found.score
        said_in = ((field, found.parts[field]) for field in WEIGHTS if field in found.parts)
        hit.parts = [*said_in, *hit.parts]
        if found.score * LEAST >= best_said:
            hit.words = tuple(found.words)
    for position, hit in hits.items():
        if not (hit.words or hit.standing):
            hit.taken = "weak-memory"
        bonus: int = extra["reinforced"].get(position, 0)
        if bonus:
            hit.score += bonus
            hit.parts.append(("reinforcement", bonus))
    good = [position for position, hit in hits.items() if hit.taken == MEMORY]
    good.sort(key=lambda position: (-hits[position].score, position))
    for position in good[plan.profile_table["memories"] :]:
        hits[position].taken = "memory-too-many"
    return hits


def shown(thousandths: int) -> str:
    """A score as people read it."""
    return f"{thousandths / 1000:.2f}"


def told(hit: Hit) -> str:
    """What a score is made of."""
    parts = " + ".join(f"{field} {shown(value)}" for field, value in hit.parts)
    quoted = ", ".join(f'"{word}"' for word in hit.words[:5])
    return f"{parts}; the prompt says {quoted}" if quoted else parts
