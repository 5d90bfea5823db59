"""This module is Brainiac's Short-Term Memory section: summary, structured data, and the event
log, whose oldest events may go.
"""

from __future__ import annotations

from synapse_ls.engine.systems.brainiac.row_entries import make_row_entry, make_section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.block_sections import Entry, Section
    from synapse_ls.engine.compiled_plan import Plan, PlanDomain, RuleRow
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


_PARAGRAPHS = ("event", "other", "loose")  # parts that an empty line sets off


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns the parts of Brainiac's short-term memory in their order; without the newest event
    where the process gives it by itself.
    """
    entries: list[Entry] = []
    for domain, _ in selection.domains_of("STM"):
        kept = domain.rows
        if not plan.profile_table["newest"]:
            kept = tuple(row for row in kept if row.key != plan.extra["newest"])
        entries += make_event_entries(domain, kept)
    return [make_section(plan, "STM", entries)]


def make_event_entries(domain: PlanDomain, rows: Iterable[RuleRow]) -> list[Entry]:
    """Returns the entries of events of Brainiac's short-term memory; ``index`` of an event is its
    age, 0 for the oldest.
    """
    made: list[Entry] = []
    group = ""
    for row in rows:
        is_event = row.qualifier in ("event", "note")
        age = row.index if row.index is not None else 1 << 40
        apart = bool(made) and row.qualifier in _PARAGRAPHS and row.group in (group, "")
        made.append(
            make_row_entry(
                domain,
                row,
                rank="EVENT" if is_event else "STM",
                prefix="\n" if apart else "",
                weight=(age,) if is_event else (0,),
            )
        )
        group = row.group
    return made
