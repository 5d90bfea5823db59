"""L5 Squad: domains that squads add, under their squad's name (ADR-001 E3)."""

from __future__ import annotations

from synapse_ls.engine.layers.entries import triggered
from synapse_ls.engine.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """One section per squad that takes part."""
    sections: dict[int, Section] = {}
    for domain, verdict in selection.of("L5"):
        squad = plan.squads[domain.squad]
        section = sections.setdefault(
            domain.squad, Section("SQUAD", f"[SQUAD: {squad.name}]", "L5", [])
        )
        section.entries += triggered(
            domain, verdict.code, verdict.detail, rank="SQUAD", recall=verdict.recall
        )
    return list(sections.values())
