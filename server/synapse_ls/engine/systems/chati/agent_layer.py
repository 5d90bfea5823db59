"""This module is Chati.dev's layer L2 Agent scope: mission, inputs, outputs and criteria of
the agent, authority and rules.
"""

from __future__ import annotations

from synapse_ls.engine import text_escaping
from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.systems.chati.row_entries import OUTER, make_row_entry, render_row_element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan, PlanDomain, RuleRow
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation

ORDER = ("inputs", "outputs", "criteria", "exclusive", "allowed", "blocked", "rule")
"""Elements in the order of the block; what is said of the agent itself is kept the longest."""
AUTHORITY = ("exclusive", "allowed", "blocked")


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns Chati.dev's one section for the agent: what it is there for, what it may do, how it
    works.
    """
    found = [
        (domain, row)
        for domain, _ in selection.domains_of("L2")
        for row in domain.rows
        if row.kind == "rule"
    ]
    mission = next((pair for pair in found if pair[1].group == "mission"), None)
    told = [pair for pair in found if pair[1].group in ORDER]
    told.sort(key=lambda pair: ORDER.index(pair[1].group))
    entries = [_agent_entry(domain, row, position) for position, (domain, row) in enumerate(told)]
    name = text_escaping.escape_quotes(text_escaping.escape_text(situation.agent))
    attributes = f'name="{name}"'
    if mission:
        attributes += f' mission="{text_escaping.escape_quotes(mission[1].text)}"'
    if not entries:
        if mission is None:
            return []
        told_alone = f"<agent {attributes}></agent>"
        return [
            Section(
                "AGENT",
                "",
                "L2",
                [make_row_entry(*mission, rank="AGENT", shown_text=told_alone, prefix=OUTER)],
            )
        ]
    heading, closing = f"{OUTER}<agent {attributes}>", f"{OUTER}</agent>"
    lead = make_row_entry(*mission, rank="AGENT") if mission else None
    return [Section("AGENT", heading, "L2", entries, closing, lead=lead)]


def _agent_entry(domain: PlanDomain, row: RuleRow, position: int) -> Entry:
    if row.group in AUTHORITY:
        rank = "AUTHORITY"
    else:
        rank = "AGENT_RULE" if row.group == "rule" else "AGENT"
    weight = (row.index or 0, -position)
    return make_row_entry(domain, row, rank=rank, shown_text=render_row_element(row), weight=weight)
