"""How rows of Chati.dev's files become entries; shared by its layers."""

from __future__ import annotations

from synapse_ls.engine.section import Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.engine.plan import Domain, Row

OUTER, INNER = "  ", "    "


def entry(
    domain: Domain,
    row: Row,
    *,
    rank: str,
    text: str = "",
    prefix: str = INNER,
    weight: tuple[Any, ...] = (),
) -> Entry:
    """The entry of ``row``; ``text`` is what is told where that is more than the row's own text."""
    return Entry(
        text or row.text,
        prefix=prefix,
        rank=rank,
        hash=row.hash,
        weight=weight,
        domain=domain.label,
        key=row.key,
        file=domain.file,
        line=row.line,
    )


def element(row: Row) -> str:
    """A row as an element: its group is the tag, its qualifier the attributes."""
    attributes = f" {row.qualifier}" if row.qualifier else ""
    return f"<{row.group}{attributes}>{row.text}</{row.group}>"
