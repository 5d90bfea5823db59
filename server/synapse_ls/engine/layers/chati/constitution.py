"""L0 Constitution: its summary, else its articles by title; always there, never dropped by a budget."""

from __future__ import annotations

from synapse_ls.engine.layers.chati.entries import OUTER, entry
from synapse_ls.engine.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """One line for each line of the summary, or for each article."""
    entries = [
        entry(domain, row, rank="CONSTITUTION", weight=(-position,))
        for domain, _ in selection.of("L0")
        for position, row in enumerate(domain.rows)
        if row.kind == "rule"
    ]
    heading, closing = f"{OUTER}<constitution>", f"{OUTER}</constitution>"
    return [Section("CONSTITUTION", heading, "L0", entries, closing)]
