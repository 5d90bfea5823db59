"""L1 Global: universal rules, always-on domains, and the rules of the current bracket."""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.layers.entries import OUTER, rule_entries
from synapse_ls.engine.section import Entry, Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """GLOBAL with the always-on domains as groups, and the bracket with its own rules only."""
    standing: list[Entry] = []
    bracket = situation.bracket
    text = f"[{bracket.name}] {bracket.label} of the context window left"
    current = [Entry(text, prefix=OUTER, rank="BRACKET", hash=text_hash(text), weight=(1,))]
    for domain, _ in selection.of("L1"):
        if domain.role == "context":
            rows = [
                row for row in domain.rows if row.kind != "bracket" or row.qualifier == bracket.name
            ]
            current += rule_entries(domain, rows, rank="BRACKET", weight=(0,))
        elif domain.role == "global":
            standing[:0] = rule_entries(domain, domain.rows, rank="GLOBAL")
        else:
            standing += rule_entries(
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
