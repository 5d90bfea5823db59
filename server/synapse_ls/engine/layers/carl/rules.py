"""A domain's rules as CARL shows them: under its name, numbered from 0."""

from __future__ import annotations

from synapse_ls.engine.escape import neutralise
from synapse_ls.engine.layers.entries import INNER, OUTER, rule_entries
from synapse_ls.engine.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from synapse_ls.engine.plan import Domain, Row
    from synapse_ls.engine.section import Entry


def told(
    domain: Domain,
    rows: Iterable[Row],
    section: str,
    layer: str,
    *,
    rank: str,
    weight: tuple[Any, ...] = (),
    recall: bool = False,
) -> Section:
    """The section of a domain; ``weight`` is what the removal order looks at before the rules."""
    known = list(rows)
    entries = rule_entries(
        domain, known, rank=rank, weight=(*weight, -domain.position), recall=recall
    )
    for entry, row in zip(entries, known, strict=True):
        numbered(entry, row, INNER if row.group else OUTER)
    return Section(section, f"[{neutralise(domain.label)}] RULES:", layer, entries)


def numbered(entry: Entry, row: Row, indent: str) -> None:
    """Number an entry from 0; what is no numbered rule gets a dash."""
    entry.prefix = f"{indent}- " if row.index is None else f"{indent}{row.index}. "
