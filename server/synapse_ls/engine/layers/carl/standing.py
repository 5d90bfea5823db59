"""The bracket with its rules, and the domains that are always on, in the order of the manifest."""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.layers.carl.rules import told
from synapse_ls.engine.layers.entries import rule_entries
from synapse_ls.engine.section import Entry, Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Domain, Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation

WARNING = (
    "⚠️ CONTEXT CRITICAL: {0} remaining ⚠️",
    "Recommend: compact session OR spawn fresh agent for remaining work",
)

LENDERS = {"CRITICAL": "DEPLETED"}
"""A bracket without rules, and the one whose rules (and switch) count in it."""


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """CONTEXT's sections, then one for each domain."""
    sections: list[Section] = []
    known: list[Entry] | None = None
    for domain, _ in selection.of("L1"):
        if domain.role == "context":
            if known is None:
                known = []
                sections += _bracket(situation, known)
            known += _bracket_rules(situation, domain)
            general = [row for row in domain.rows if row.kind != "bracket"]
            if general and domain.always_on:
                sections.append(told(domain, general, "STANDING", "L1", rank="ALWAYS_ON"))
        else:
            rank = "GLOBAL" if domain.role == "global" else "ALWAYS_ON"
            sections.append(told(domain, domain.rows, "STANDING", "L1", rank=rank))
    return sections


def _bracket(situation: Situation, rules: list[Entry]) -> list[Section]:
    """Which bracket it is, with CARL's warning where little is left, and its rules."""
    bracket = situation.bracket
    which = f"CONTEXT BRACKET: [{bracket.name}] ({bracket.label} remaining)"
    warning = [line.format(bracket.label) for line in WARNING] if bracket.name == "CRITICAL" else []
    return [
        Section("WARNING", "", "L1", _lines(warning)),
        Section("BRACKET", "", "L1", _lines([which])),
        Section("BRACKET_RULES", f"[{bracket.name}] CONTEXT RULES:", "L1", rules),
    ]


def _bracket_rules(situation: Situation, domain: Domain) -> list[Entry]:
    """The rules of the bracket, from 1; those of one bracket are all of one file."""
    name = situation.bracket.name
    lender = LENDERS.get(name, name)
    rows = [row for row in domain.rows if row.kind == "bracket" and row.qualifier == lender]
    return rule_entries(domain, rows, rank="BRACKET", weight=(0,))


def _lines(texts: list[str]) -> list[Entry]:
    """Lines without a heading."""
    return [
        Entry(text, prefix="", rank="BRACKET", hash=text_hash(text), weight=(1, -position))
        for position, text in enumerate(texts)
    ]
