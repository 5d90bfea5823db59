"""New Event: what a reflection is about, the newest entry of the event log."""

from __future__ import annotations

from synapse_ls.engine.layers.brainiac.entries import entry, section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.section import Section
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """The newest event, which no budget cuts."""
    entries = [
        entry(domain, row, rank="STM")
        for domain, _ in selection.of("STM")
        for row in domain.rows
        if row.key == plan.extra["newest"]
    ]
    for one in entries:
        one.group = ""
    return [section(plan, "EVENT", entries)]
