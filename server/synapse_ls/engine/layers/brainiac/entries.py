"""How rows of Brainiac's files become entries; shared by the layers."""

from __future__ import annotations

from synapse_ls.engine.section import Entry, Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.engine.plan import Domain, Plan, Row


def entry(
    domain: Domain,
    row: Row,
    *,
    rank: str,
    prefix: str = "",
    weight: tuple[Any, ...] = (),
    lifetime: str = "state",
) -> Entry:
    """The entry of a row, which keeps its place and what it is called."""
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


def section(plan: Plan, id: str, entries: list[Entry], *, by: str = "") -> Section:
    """The section ``id``, under the heading that the process has for it.

    by: the layer that gives it, where that is called otherwise.
    """
    return Section(id, plan.profile_table["headings"][id], by or id, entries)
