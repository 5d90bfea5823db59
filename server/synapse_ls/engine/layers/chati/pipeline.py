"""L3 Pipeline state: where the project stands, the rules of its workflow, and what is put off."""

from __future__ import annotations

from synapse_ls.engine import xml
from synapse_ls.engine.layers.chati.entries import OUTER, element, entry
from synapse_ls.engine.section import Entry, Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """``<pipeline>``, ``<workflow>`` and ``<backlog>``."""
    pipeline: list[Entry] = []
    backlog: list[Entry] = []
    rules: list[Entry] = []
    for domain, _ in selection.of("L3"):
        for position, row in enumerate(domain.rows):
            if row.group == "pipeline":
                pipeline.append(entry(domain, row, rank="PIPELINE"))
            elif row.group == "item":
                weight = (row.index or 0, -position)
                backlog.append(entry(domain, row, rank="BACKLOG", text=element(row), weight=weight))
            elif row.kind == "rule":
                weight = (row.index or 0, -position)
                rules.append(entry(domain, row, rank="WORKFLOW", text=element(row), weight=weight))
    name = xml.quoted(xml.text(situation.workflow_written))
    return [
        _section("PIPELINE", "pipeline", "", pipeline),
        _section("WORKFLOW", "workflow", f' name="{name}"', rules),
        _section("BACKLOG", "backlog", "", backlog),
    ]


def _section(id: str, tag: str, attributes: str, entries: list[Entry]) -> Section:
    return Section(id, f"{OUTER}<{tag}{attributes}>", "L3", entries, f"{OUTER}</{tag}>")
