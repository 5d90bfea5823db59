"""This module is CARL's layer L1: the bracket with its rules, and the domains that are always
on, in manifest order.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry, Section, make_rule_entries
from synapse_ls.engine.systems.carl.rule_section import make_rule_section
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan, PlanDomain
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation

WARNING = (
    "⚠️ CONTEXT CRITICAL: {0} remaining ⚠️",
    "Recommend: compact session OR spawn fresh agent for remaining work",
)

RULE_LENDERS = {"CRITICAL": "DEPLETED"}
"""A bracket without rules, and the one whose rules (and switch) count in it."""


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns CARL's global layer: CONTEXT's sections, then one for each domain."""
    sections: list[Section] = []
    known: list[Entry] | None = None
    for domain, _ in selection.domains_of("L1"):
        if domain.role == "context":
            if known is None:
                known = []
                sections += _bracket_sections(situation, known)
            known += _bracket_rules(situation, domain)
            general = [row for row in domain.rows if row.kind != "bracket"]
            if general and domain.always_on:
                sections.append(
                    make_rule_section(domain, general, "STANDING", "L1", rank="ALWAYS_ON")
                )
        else:
            rank = "GLOBAL" if domain.role == "global" else "ALWAYS_ON"
            sections.append(make_rule_section(domain, domain.rows, "STANDING", "L1", rank=rank))
    return sections


def _bracket_sections(situation: Situation, rules: list[Entry]) -> list[Section]:
    """Returns which bracket it is, with CARL's warning where little is left, and its rules."""
    bracket = situation.bracket
    which = f"CONTEXT BRACKET: [{bracket.name}] ({bracket.label} remaining)"
    warning = [line.format(bracket.label) for line in WARNING] if bracket.name == "CRITICAL" else []
    return [
        Section("WARNING", "", "L1", _line_entries(warning)),
        Section("BRACKET", "", "L1", _line_entries([which])),
        Section("BRACKET_RULES", f"[{bracket.name}] CONTEXT RULES:", "L1", rules),
    ]


def _bracket_rules(situation: Situation, domain: PlanDomain) -> list[Entry]:
    """Returns the rules of the bracket, from 1; those of one bracket are all of one file."""
    name = situation.bracket.name
    lender = RULE_LENDERS.get(name, name)
    rows = [row for row in domain.rows if row.kind == "bracket" and row.qualifier == lender]
    return make_rule_entries(domain, rows, rank="BRACKET", weight=(0,))


def _line_entries(texts: list[str]) -> list[Entry]:
    """Returns lines without a heading, as entries."""
    return [
        Entry(text, prefix="", rank="BRACKET", hash=hash_text(text), weight=(1, -position))
        for position, text in enumerate(texts)
    ]
