"""This module is Brainiac's Relevant Long-Term Memory section: memories that have to do with
the work or the prompt.

Those of the work at hand come first, since they stay from one prompt to the next; those
that only the prompt brings follow. Over the budget the one with the least score goes first.
"""

from __future__ import annotations

from synapse_ls.engine.systems.brainiac.memory_retrieval import MEMORY
from synapse_ls.engine.systems.brainiac.row_entries import make_row_entry, make_section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_sections import Section
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns the long-term memories of Brainiac that were taken, each under a number that it keeps
    when others are cut.

    What stands in two files has one number, since it is in the block once.
    """
    ranked = []
    for domain, verdict in selection.domains_of("LTM"):
        hit = selection.decider_results[MEMORY].get(domain.position)
        found = hit is not None and hit.outcome == MEMORY
        score = hit.score if found else 0
        standing = hit.work_score if found else 0
        ranked.append(((-standing, -score, domain.position), domain, verdict))
    ranked.sort(key=lambda one: one[0])
    entries = []
    numbers: dict[str, int] = {}
    for (_, score, position), domain, verdict in ranked:
        for row in domain.rows:
            number = numbers.setdefault(row.hash, len(numbers) + 1)
            gap = "\n" if number > 1 else ""
            entries.append(
                make_row_entry(
                    domain,
                    row,
                    rank="LTM",
                    prefix=f"{gap}### Memory {number}\n",
                    weight=(-score, -position),
                    lifetime="recall" if verdict.recall else "state",
                )
            )
    return [make_section(plan, "LTM", entries)]
