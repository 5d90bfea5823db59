"""This module is Chati.dev's layer L3 Pipeline state: where the project stands, rules of its
workflow, the backlog.
"""

from __future__ import annotations

from synapse_ls.engine import text_escaping
from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.systems.chati.row_entries import OUTER, make_row_entry, render_row_element

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns Chati.dev's ``<pipeline>``, ``<workflow>`` and ``<backlog>``."""
    pipeline: list[Entry] = []
    backlog: list[Entry] = []
    rules: list[Entry] = []
    for domain, _ in selection.domains_of("L3"):
        for position, row in enumerate(domain.rows):
            if row.group == "pipeline":
                pipeline.append(make_row_entry(domain, row, rank="PIPELINE"))
            elif row.group == "item":
                weight = (row.index or 0, -position)
                backlog.append(
                    make_row_entry(
                        domain,
                        row,
                        rank="BACKLOG",
                        shown_text=render_row_element(row),
                        weight=weight,
                    )
                )
            elif row.kind == "rule":
                weight = (row.index or 0, -position)
                rules.append(
                    make_row_entry(
                        domain,
                        row,
                        rank="WORKFLOW",
                        shown_text=render_row_element(row),
                        weight=weight,
                    )
                )
    name = text_escaping.escape_quotes(text_escaping.escape_text(situation.workflow_written))
    return [
        _element_section("PIPELINE", "pipeline", "", pipeline),
        _element_section("WORKFLOW", "workflow", f' name="{name}"', rules),
        _element_section("BACKLOG", "backlog", "", backlog),
    ]


def _element_section(id: str, tag: str, attributes: str, entries: list[Entry]) -> Section:
    return Section(id, f"{OUTER}<{tag}{attributes}>", "L3", entries, f"{OUTER}</{tag}>")
