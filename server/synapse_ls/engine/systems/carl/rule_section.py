"""This module renders a domain's rules as CARL shows them: under its name, numbered from 0."""

from __future__ import annotations

from synapse_ls.engine.block_sections import INNER, OUTER, Section, make_rule_entries
from synapse_ls.engine.text_escaping import neutralise_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from synapse_ls.engine.block_sections import Entry
    from synapse_ls.engine.compiled_plan import PlanDomain, RuleRow


def make_rule_section(
    domain: PlanDomain,
    rows: Iterable[RuleRow],
    section: str,
    layer: str,
    *,
    rank: str,
    weight: tuple[Any, ...] = (),
    recall: bool = False,
) -> Section:
    """Returns the section of a domain's rules as CARL shows it; ``weight`` is what the removal
    order looks at before the rules.
    """
    known = list(rows)
    entries = make_rule_entries(
        domain, known, rank=rank, weight=(*weight, -domain.position), recall=recall
    )
    for entry, row in zip(entries, known, strict=True):
        number_entry(entry, row, INNER if row.group else OUTER)
    return Section(section, f"[{neutralise_text(domain.label)}] RULES:", layer, entries)


def number_entry(entry: Entry, row: RuleRow, indent: str) -> None:
    """Numbers an entry of a CARL rule section from 0; what is no numbered rule gets a dash."""
    entry.prefix = f"{indent}- " if row.index is None else f"{indent}{row.index}. "
