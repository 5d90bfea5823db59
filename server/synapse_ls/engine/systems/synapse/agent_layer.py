"""This module is layer L2 Agent: the rules and authority boundaries of the active agent
(ADR-001 E2, E6).
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import KeptSection, boundary_first_entries
from synapse_ls.engine.domain_selection import positions_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_sections import Section
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns one section of layer L2 for the agent, boundaries before rules."""
    domains = [domain for domain, _ in selection.domains_of("L2")]

    def make_section() -> Section:
        entries = [
            entry
            for domain in domains
            for entry in boundary_first_entries(domain, domain.rows, rank="AGENT")
        ]
        entries.sort(key=lambda entry: entry.rank != "AUTHORITY")
        return KeptSection("AGENT", f"[ACTIVE AGENT: @{situation.agent}]", "L2", entries)

    return [plan.keep(("L2", situation.agent, *positions_of(domains)), make_section)]
