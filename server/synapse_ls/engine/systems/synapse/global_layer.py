"""This module is layer L1 Global: universal rules, always-on domains, and the rules of the
current bracket.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.rule_entries import OUTER, make_rule_entries
from synapse_ls.engine.text_identity import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns GLOBAL with the always-on domains as groups, and the bracket with its own rules
    only.
    """
    standing: list[Entry] = []
    bracket = situation.bracket
    text = f"[{bracket.name}] {bracket.label} of the context window left"
    current = [Entry(text, prefix=OUTER, rank="BRACKET", hash=hash_text(text), weight=(1,))]
    for domain, _ in selection.domains_of("L1"):
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
    return [
        Section("GLOBAL", "[GLOBAL]", "L1", standing),
        Section("BRACKET", "[CONTEXT BRACKET]", "L1", current),
    ]
