"""This module turns rows of Brainiac's files into entries and sections; its layers share it."""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry, Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.engine.compiled_plan import Plan, PlanDomain, RuleRow


def make_row_entry(
    domain: PlanDomain,
    row: RuleRow,
    *,
    rank: str,
    prefix: str = "",
    weight: tuple[Any, ...] = (),
    lifetime: str = "state",
) -> Entry:
    """Returns the entry of a row of Brainiac's files, which keeps its place and what it is called."""
    return Entry(
        row.text,
        prefix=prefix,
        rank=rank,
        hash=row.hash,
        weight=weight,
        group=row.group,
        domain=domain.label,
        key=row.key,
        file=domain.file,
        line=row.line,
        lifetime=lifetime,
    )


def make_section(plan: Plan, id: str, entries: list[Entry], *, layer: str = "") -> Section:
    """Returns the section ``id`` of rows, under the heading that the Brainiac process has for it.

    layer: the layer that gives it, where that is called otherwise.
    """
    return Section(id, plan.profile_table["headings"][id], layer or id, entries)
