"""This module is Chati.dev's layer L4 Task context: the task at hand, and what the agent
before has left.
"""

from __future__ import annotations

from synapse_ls.engine import text_escaping
from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.systems.chati.row_entries import INNER, OUTER, make_row_entry
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns Chati.dev's ``<task>`` and ``<handoff>``."""
    return [*_task_sections(situation), *_handoff_sections(plan, selection)]


def _task_sections(situation: Situation) -> list[Section]:
    """Returns the task on one line; with its id and its criteria where a file says them."""
    facts = situation.task_facts
    name = text_escaping.escape_text(situation.task)
    if not name:
        return []
    if facts is None or not facts.path or not (facts.title or facts.criteria):
        told = f"<task>{name}</task>"
        alone = Entry(told, prefix=OUTER, rank="TASK", hash=hash_text(told), domain="TASK")
        return [Section("TASK", "", "L4", [alone])]
    entries: list[Entry] = []
    lines = [facts.title] if facts.title else []
    lines += [f"- [{'x' if ticked else ' '}] {text}" for text, ticked in facts.criteria]
    for position, line in enumerate(lines):
        text = text_escaping.escape_text(line)
        entries.append(
            Entry(
                text,
                prefix=INNER,
                rank="TASK",
                hash=hash_text(f"TASK{text}"),
                weight=(-position,),
                domain="TASK",
                file=facts.path,
            )
        )
    heading = f'{OUTER}<task id="{text_escaping.escape_quotes(name)}">'
    return [Section("TASK", heading, "L4", entries, f"{OUTER}</task>")]


def _handoff_sections(plan: Plan, selection: Selection) -> list[Section]:
    found = []
    for domain, _ in selection.domains_of("L4"):
        entries = [
            make_row_entry(domain, row, rank="HANDOFF", weight=(-position,))
            for position, row in enumerate(domain.rows)
        ]
        heading = f"{OUTER}<handoff {plan.extra['handoff']}>"
        found.append(Section("HANDOFF", heading, "L4", entries, f"{OUTER}</handoff>"))
    return found
