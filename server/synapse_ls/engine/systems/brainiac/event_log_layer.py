"""This module is Brainiac's STM Event Log section: what a promotion takes from the short-term
memory to the long-term one.
"""

from __future__ import annotations

from synapse_ls.engine.systems.brainiac.row_entries import make_section
from synapse_ls.engine.systems.brainiac.short_term_layer import make_event_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_sections import Section
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns the events of Brainiac's event log, of which the oldest may go."""
    entries = [
        one
        for domain, _ in selection.domains_of("LOG")
        for one in make_event_entries(
            domain, (row for row in domain.rows if row.qualifier == "event")
        )
    ]
    for one in entries:
        one.group = ""
    return [make_section(plan, "LOG", entries)]
