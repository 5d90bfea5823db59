"""L2 Agent: the rules and authority boundaries of the active agent (ADR-001 E2, E6)."""

from __future__ import annotations

from synapse_ls.engine.layers.entries import governed
from synapse_ls.engine.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """One section for the agent, boundaries before rules."""
    entries = [
        entry
        for domain, _ in selection.of("L2")
        for entry in governed(domain, domain.rows, rank="AGENT")
    ]
    entries.sort(key=lambda entry: entry.rank != "AUTHORITY")
    return [Section("AGENT", f"[ACTIVE AGENT: @{situation.agent}]", "L2", entries)]
