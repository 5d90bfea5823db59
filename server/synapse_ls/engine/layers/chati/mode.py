"""L1 Mode + Global: the mode that governs, what it allows, and the rules for everybody."""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.layers.chati.entries import OUTER, element, entry
from synapse_ls.engine.section import Entry, Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """``<mode>``, and ``<global>`` where there is more to say."""
    mode = plan.extra["mode"]
    told = f"<mode>{mode}</mode>"
    governing = Entry(told, prefix=OUTER, rank="MODE", hash=text_hash(told), domain="MODE")
    standing: list[Entry] = []
    for domain, _ in selection.of("L1"):
        for position, row in enumerate(domain.rows):
            if row.kind != "rule":
                continue
            if row.group == "mode":
                governing = entry(domain, row, rank="MODE", text=told, prefix=OUTER)
            else:
                weight = (row.index or 0, -domain.position, -position)
                made = entry(domain, row, rank="GLOBAL", text=element(row), weight=weight)
                standing.append(made)
    heading, closing = f"{OUTER}<global>", f"{OUTER}</global>"
    return [
        Section("MODE", "", "L1", [governing]),
        Section("GLOBAL", heading, "L1", standing, closing),
    ]
