"""This module is Chati.dev's layer L0 Constitution: its summary, else its articles by title;
never dropped by a budget.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Section
from synapse_ls.engine.systems.chati.row_entries import OUTER, make_row_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns Chati.dev's constitution: one line for each line of the summary, or for each article."""
    entries = [
        make_row_entry(domain, row, rank="CONSTITUTION", weight=(-position,))
        for domain, _ in selection.domains_of("L0")
        for position, row in enumerate(domain.rows)
        if row.kind == "rule"
    ]
    heading, closing = f"{OUTER}<constitution>", f"{OUTER}</constitution>"
    return [Section("CONSTITUTION", heading, "L0", entries, closing)]
