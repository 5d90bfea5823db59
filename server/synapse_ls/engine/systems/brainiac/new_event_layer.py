"""This module is Brainiac's New Event section: what a reflection is about, the newest entry of
the event log.
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
    """Returns Brainiac's newest event, which no budget cuts."""
    entries = [
        make_row_entry(domain, row, rank="STM")
        for domain, _ in selection.domains_of("STM")
        for row in domain.rows
        if row.key == plan.extra["newest"]
    ]
    for one in entries:
        one.group = ""
    return [make_section(plan, "EVENT", entries)]
