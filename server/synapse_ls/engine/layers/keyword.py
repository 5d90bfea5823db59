"""L6 Keyword: domains whose recall words the prompt contains (ADR-001 A4)."""

from __future__ import annotations

from synapse_ls.engine.layers.entries import triggered
from synapse_ls.engine.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """One group per domain, with the words that matched."""
    entries = [
        entry
        for domain, verdict in selection.of("L6")
        for entry in triggered(
            domain, verdict.code, verdict.detail, rank="KEYWORD", recall=verdict.recall
        )
    ]
    return [Section("KEYWORD", "[KEYWORD MATCHES]", "L6", entries)]
