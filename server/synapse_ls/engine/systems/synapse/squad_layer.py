"""This module is layer L5 Squad: domains that squads add, under their squad's name (ADR-001
E3).
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Section, triggered_domain_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns one section of layer L5 per squad that takes part."""
    sections: dict[int, Section] = {}
    for domain, verdict in selection.domains_of("L5"):
        squad = plan.squads[domain.squad]
        section = sections.setdefault(
            domain.squad, Section("SQUAD", f"[SQUAD: {squad.name}]", "L5", [])
        )
        section.entries += triggered_domain_entries(
            domain, verdict.code, verdict.detail, rank="SQUAD", recall=verdict.recall
        )
    return list(sections.values())
