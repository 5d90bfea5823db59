"""This module is Brainiac's Core Identity section: what never changes during operation, and is
never cut.
"""

from __future__ import annotations

from synapse_ls.engine.systems.brainiac.row_entries import make_row_entry, make_section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_sections import Section
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns Brainiac's core identity as it is written; a client's hard limit takes its end first."""
    entries = [
        make_row_entry(domain, row, rank="IDENTITY", weight=(-number,))
        for domain, _ in selection.domains_of("IDENTITY")
        for number, row in enumerate(domain.rows)
    ]
    return [make_section(plan, "IDENTITY", entries)]
