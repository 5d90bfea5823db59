"""Core Identity: what never changes during operation, and is never cut."""

from __future__ import annotations

from synapse_ls.engine.layers.brainiac.entries import entry, section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.section import Section
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """The identity as it is written; a client's hard limit takes its end first."""
    entries = [
        entry(domain, row, rank="IDENTITY", weight=(-number,))
        for domain, _ in selection.of("IDENTITY")
        for number, row in enumerate(domain.rows)
    ]
    return [section(plan, "IDENTITY", entries)]
