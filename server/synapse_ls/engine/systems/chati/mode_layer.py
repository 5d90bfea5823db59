"""This module is Chati.dev's layer L1 Mode + Global: the mode that governs, what it allows,
and the rules for everybody.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.systems.chati.row_entries import OUTER, make_row_entry, render_row_element
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns Chati.dev's ``<mode>``, and ``<global>`` where there is more to say."""
    mode = plan.extra["mode"]
    told = f"<mode>{mode}</mode>"
    governing = Entry(told, prefix=OUTER, rank="MODE", hash=hash_text(told), domain="MODE")
    standing: list[Entry] = []
    for domain, _ in selection.domains_of("L1"):
        for position, row in enumerate(domain.rows):
            if row.kind != "rule":
                continue
            if row.group == "mode":
                governing = make_row_entry(domain, row, rank="MODE", shown_text=told, prefix=OUTER)
            else:
                weight = (row.index or 0, -domain.position, -position)
                made = make_row_entry(
                    domain, row, rank="GLOBAL", shown_text=render_row_element(row), weight=weight
                )
                standing.append(made)
    heading, closing = f"{OUTER}<global>", f"{OUTER}</global>"
    return [
        Section("MODE", "", "L1", [governing]),
        Section("GLOBAL", heading, "L1", standing, closing),
    ]
