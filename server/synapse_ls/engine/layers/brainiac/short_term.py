"""Short-Term Memory: summary, structured data, and the event log, whose oldest events may go."""

from __future__ import annotations

from synapse_ls.engine.layers.brainiac.entries import entry, section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.plan import Domain, Plan, Row
    from synapse_ls.engine.section import Entry, Section
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


_PARAGRAPHS = ("event", "other", "loose")  # parts that an empty line sets off


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """The parts in their order; without the newest event where the process tells it by itself."""
    entries: list[Entry] = []
    for domain, _ in selection.of("STM"):
        kept = domain.rows
        if not plan.profile_table["newest"]:
            kept = tuple(row for row in kept if row.key != plan.extra["newest"])
        entries += told(domain, kept)
    return [section(plan, "STM", entries)]


def told(domain: Domain, rows: Iterable[Row]) -> list[Entry]:
    """Entries of rows; ``index`` of an event is its age, 0 for the oldest."""
    made: list[Entry] = []
    group = ""
    for row in rows:
        is_event = row.qualifier in ("event", "note")
        age = row.index if row.index is not None else 1 << 40
        apart = bool(made) and row.qualifier in _PARAGRAPHS and row.group in (group, "")
        made.append(
            entry(
                domain,
                row,
                rank="EVENT" if is_event else "STM",
                prefix="\n" if apart else "",
                weight=(age,) if is_event else (0,),
            )
        )
        group = row.group
    return made
