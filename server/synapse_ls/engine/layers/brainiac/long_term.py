"""Relevant Long-Term Memory: memories that have to do with the work or the prompt.

Those of the work at hand come first, since they stay from one prompt to the next; those that only the
prompt brings follow. Over the budget the one with the least score goes first.
"""

from __future__ import annotations

from synapse_ls.engine.layers.brainiac.entries import entry, section
from synapse_ls.engine.layers.brainiac.taking import MEMORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.section import Section
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """The memories that were taken, each under a number that it keeps when others are cut.

    What stands in two files has one number, since it is told once.
    """
    ranked = []
    for domain, verdict in selection.of("LTM"):
        hit = selection.found[MEMORY].get(domain.position)
        found = hit is not None and hit.taken == MEMORY
        score = hit.score if found else 0
        standing = hit.standing if found else 0
        ranked.append(((-standing, -score, domain.position), domain, verdict))
    ranked.sort(key=lambda one: one[0])
    entries = []
    numbers: dict[str, int] = {}
    for (_, score, position), domain, verdict in ranked:
        for row in domain.rows:
            number = numbers.setdefault(row.hash, len(numbers) + 1)
            gap = "\n" if number > 1 else ""
            entries.append(
                entry(
                    domain,
                    row,
                    rank="LTM",
                    prefix=f"{gap}### Memory {number}\n",
                    weight=(-score, -position),
                    lifetime="recall" if verdict.recall else "state",
                )
            )
    return [section(plan, "LTM", entries)]
