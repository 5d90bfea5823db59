"""This module turns rows of Chati.dev's files into entries; its layers share it."""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.engine.compiled_plan import PlanDomain, RuleRow

OUTER, INNER = "  ", "    "


def make_row_entry(
    domain: PlanDomain,
    row: RuleRow,
    *,
    rank: str,
    shown_text: str = "",
    prefix: str = INNER,
    weight: tuple[Any, ...] = (),
) -> Entry:
    """Returns the entry of a row of Chati.dev's files; ``shown_text`` is what stands in the block
    where that is more than the row's own text.
    """
    return Entry(
        shown_text or row.text,
        prefix=prefix,
        rank=rank,
        hash=row.hash,
        weight=weight,
        domain=domain.label,
        key=row.key,
        file=domain.file,
        line=row.line,
    )


def render_row_element(row: RuleRow) -> str:
    """Renders a row of Chati.dev's files as an element: its group is the tag, its qualifier the
    attributes.
    """
    attributes = f" {row.qualifier}" if row.qualifier else ""
    return f"<{row.group}{attributes}>{row.text}</{row.group}>"
