"""This module is layer L6 Keyword: domains whose recall words the prompt contains (ADR-001
A4).
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Section, triggered_domain_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns one group of layer L6 per domain that keywords woke, with the words that matched."""
    entries = [
        entry
        for domain, verdict in selection.domains_of("L6")
        for entry in triggered_domain_entries(
            domain, verdict.code, verdict.detail, rank="KEYWORD", recall=verdict.recall
        )
    ]
    return [Section("KEYWORD", "[KEYWORD MATCHES]", "L6", entries)]
