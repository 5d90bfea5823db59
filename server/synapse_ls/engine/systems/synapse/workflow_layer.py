"""This module is layer L3 Workflow: the rules of the active workflow for the phase it is in
(ADR-001 E5).
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import OUTER, Entry, KeptSection, boundary_first_entries
from synapse_ls.engine.delivery_difference import PHASE_KEY
from synapse_ls.engine.situation import current_phase
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_sections import Section
    from synapse_ls.engine.compiled_plan import Plan, PlanDomain
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns the rules of layer L3 for the current phase and those of no phase; all of them where
    no phase fits.
    """
    sections = []
    for domain, _ in selection.domains_of("L3"):
        phase = current_phase(domain, situation)
        if not phase and situation.phases and domain.phases:
            situation.notes.append(
                f"no phase of {domain.label} is called {situation.phase!r}: "
                "the rules of all its phases stay"
            )
        sections.append(_find_section(plan, domain, phase))
    return sections


def _find_section(plan: Plan, domain: PlanDomain, phase: str) -> Section:
    return plan.keep(("L3", domain.position, phase), lambda: _make_section(domain, phase))


def _make_section(domain: PlanDomain, phase: str) -> Section:
    rows = [row for row in domain.rows if not phase or row.phase in ("", phase)]
    entries = boundary_first_entries(domain, rows, rank="WORKFLOW")
    if phase:
        text = f"PHASE: {phase}"
        first = Entry(
            text,
            prefix=OUTER,
            rank="WORKFLOW",
            hash=hash_text(text),
            weight=(1,),
            domain=domain.label,
            key=PHASE_KEY,
        )
        entries.insert(0, first)
    return KeptSection("WORKFLOW", f"[ACTIVE WORKFLOW: {domain.workflow}]", "L3", entries)
