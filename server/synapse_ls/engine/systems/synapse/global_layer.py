"""This module is layer L1 Global: universal rules, always-on domains, and the rules of the
current bracket.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import OUTER, Entry, KeptSection, make_rule_entries
from synapse_ls.engine.domain_selection import positions_of
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_sections import Section
    from synapse_ls.engine.compiled_plan import Plan, PlanDomain
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.profile_model import Bracket
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns GLOBAL of layer L1 with the always-on domains as groups, and the bracket with its own
    rules only.
    """
    domains = [domain for domain, _ in selection.domains_of("L1")]
    bracket = situation.bracket
    name = ("L1", bracket.name, *positions_of(domains))
    return [*plan.keep(name, lambda: _make_sections(domains, bracket))]


def _make_sections(domains: list[PlanDomain], bracket: Bracket) -> tuple[Section, ...]:
    standing: list[Entry] = []
    text = f"[{bracket.name}] {bracket.label} of the context window left"
    current = [Entry(text, prefix=OUTER, rank="BRACKET", hash=hash_text(text), weight=(1,))]
    for domain in domains:
        if domain.role == "context":
            rows = [
                row for row in domain.rows if row.kind != "bracket" or row.qualifier == bracket.name
            ]
            current += make_rule_entries(domain, rows, rank="BRACKET", weight=(0,))
        elif domain.role == "global":
            standing[:0] = make_rule_entries(domain, domain.rows, rank="GLOBAL")
        else:
            standing += make_rule_entries(
                domain,
                domain.rows,
                rank="ALWAYS_ON",
                group=f"{domain.label}:",
                weight=(-domain.position,),
            )
    return (
        KeptSection("GLOBAL", "[GLOBAL]", "L1", standing),
        KeptSection("BRACKET", "[CONTEXT BRACKET]", "L1", current),
    )
