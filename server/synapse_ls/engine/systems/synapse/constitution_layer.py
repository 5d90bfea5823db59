"""This module is layer L0 Constitution: it is always there, never dropped by a budget (ADR-001
E1).
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import INNER, OUTER, KeptSection, make_rule_entries
from synapse_ls.engine.domain_selection import positions_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_sections import Section
    from synapse_ls.engine.compiled_plan import Plan, PlanDomain
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns the articles of layer L0, each under its title."""
    domains = [domain for domain, _ in selection.domains_of("L0")]
    return [plan.keep(("L0", *positions_of(domains)), lambda: _make_section(domains))]


def _make_section(domains: list[PlanDomain]) -> Section:
    entries = []
    for domain in domains:
        advisory = {
            row.qualifier
            for row in domain.rows
            if row.kind == "title" and row.text.upper().endswith("(SHOULD)")
        }
        made = make_rule_entries(domain, domain.rows, rank="CONSTITUTION")
        for entry, row in zip(made, domain.rows, strict=True):
            entry.group = ""
            entry.is_essential = row.kind == "title" or not row.qualifier
            if row.qualifier in advisory:
                entry.rank = "CONSTITUTION_SHOULD"
            if row.kind == "title":
                entry.prefix = OUTER
            else:
                entry.prefix = f"{INNER if row.qualifier else OUTER}{row.number_as_written} "
        entries += made
    return KeptSection("CONSTITUTION", "[CONSTITUTION] (NON-NEGOTIABLE)", "L0", entries)
