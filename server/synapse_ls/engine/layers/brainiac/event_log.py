"""STM Event Log: what a promotion takes from the short-term memory to the long-term one."""

from __future__ import annotations

from synapse_ls.engine.layers.brainiac.entries import section
from synapse_ls.engine.layers.brainiac.short_term import told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.section import Section
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """The events, of which the oldest may go."""
    entries = [
        one
        for domain, _ in selection.of("LOG")
        for one in told(domain, (row for row in domain.rows if row.qualifier == "event"))
    ]
    for one in entries:
        one.group = ""
    return [section(plan, "LOG", entries)]
