"""L2 Agent scope: the mission, inputs, outputs and criteria of the active agent, its authority and rules."""

from __future__ import annotations

from synapse_ls.engine import xml
from synapse_ls.engine.layers.chati.entries import OUTER, element, entry
from synapse_ls.engine.section import Entry, Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Domain, Plan, Row
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation

ORDER = ("inputs", "outputs", "criteria", "exclusive", "allowed", "blocked", "rule")
"""Elements in the order of the block; what is said of the agent itself is kept the longest."""
AUTHORITY = ("exclusive", "allowed", "blocked")


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """One section for the agent: what it is there for, what it may do, how it works."""
    found = [
        (domain, row)
        for domain, _ in selection.of("L2")
        for row in domain.rows
        if row.kind == "rule"
    ]
    mission = next((pair for pair in found if pair[1].group == "mission"), None)
    told = [pair for pair in found if pair[1].group in ORDER]
    told.sort(key=lambda pair: ORDER.index(pair[1].group))
    entries = [_entry(domain, row, position) for position, (domain, row) in enumerate(told)]
    name = xml.quoted(xml.text(situation.agent))
    attributes = f'name="{name}"'
    if mission:
        attributes += f' mission="{xml.quoted(mission[1].text)}"'
    if not entries:
        if mission is None:
            return []
        told_alone = f"<agent {attributes}></agent>"
        return [
            Section(
                "AGENT", "", "L2", [entry(*mission, rank="AGENT", text=told_alone, prefix=OUTER)]
            )
        ]
    heading, closing = f"{OUTER}<agent {attributes}>", f"{OUTER}</agent>"
    lead = entry(*mission, rank="AGENT") if mission else None
    return [Section("AGENT", heading, "L2", entries, closing, lead=lead)]


def _entry(domain: Domain, row: Row, position: int) -> Entry:
    if row.group in AUTHORITY:
        rank = "AUTHORITY"
    else:
        rank = "AGENT_RULE" if row.group == "rule" else "AGENT"
    weight = (row.index or 0, -position)
    return entry(domain, row, rank=rank, text=element(row), weight=weight)
