"""L4 Task context: the task at hand, and what the agent before has left."""

from __future__ import annotations

from synapse_ls.engine import xml
from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.layers.chati.entries import INNER, OUTER, entry
from synapse_ls.engine.section import Entry, Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """``<task>`` and ``<handoff>``."""
    return [*_task(situation), *_handoff(plan, selection)]


def _task(situation: Situation) -> list[Section]:
    """The task on one line; with its id and its criteria where a file says them."""
    facts = situation.task_facts
    name = xml.text(situation.task)
    if not name:
        return []
    if facts is None or not facts.path or not (facts.title or facts.criteria):
        told = f"<task>{name}</task>"
        alone = Entry(told, prefix=OUTER, rank="TASK", hash=text_hash(told), domain="TASK")
        return [Section("TASK", "", "L4", [alone])]
    entries: list[Entry] = []
    lines = [facts.title] if facts.title else []
    lines += [f"- [{'x' if ticked else ' '}] {text}" for text, ticked in facts.criteria]
    for position, line in enumerate(lines):
        text = xml.text(line)
        entries.append(
            Entry(
                text,
                prefix=INNER,
                rank="TASK",
                hash=text_hash(f"TASK{text}"),
                weight=(-position,),
                domain="TASK",
                file=facts.path,
            )
        )
    heading = f'{OUTER}<task id="{xml.quoted(name)}">'
    return [Section("TASK", heading, "L4", entries, f"{OUTER}</task>")]


def _handoff(plan: Plan, selection: Selection) -> list[Section]:
    found = []
    for domain, _ in selection.of("L4"):
        entries = [
            entry(domain, row, rank="HANDOFF", weight=(-position,))
            for position, row in enumerate(domain.rows)
        ]
        heading = f"{OUTER}<handoff {plan.extra['handoff']}>"
        found.append(Section("HANDOFF", heading, "L4", entries, f"{OUTER}</handoff>"))
    return found
