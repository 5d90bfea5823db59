"""L4 Task: the active task and its story (ADR-001 E4)."""

from __future__ import annotations

from synapse_ls.engine.escape import neutralise
from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.layers.entries import INNER, OUTER
from synapse_ls.engine.section import Entry, Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation

# What goes first when the budget is short: files, ticked criteria, open ones, pre-conditions.
FILES, TICKED, OPEN, PRECONDITIONS, HEADER = range(5)


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """The task's header, pre-conditions, acceptance criteria and files."""
    facts = situation.task_facts
    if facts is None or "L4" not in selection.awake:
        return []
    entries: list[Entry] = []

    def add(text: str, prefix: str, weight: int, *, group: str = "", source: str = "") -> None:
        line = neutralise(text)
        entries.append(
            Entry(
                line,
                prefix=prefix,
                rank="TASK",
                hash=text_hash(f"{group}{line}"),
                weight=(weight, -len(entries)),
                group=group,
                domain="TASK",
                file=source,
            )
        )

    add(f"Active Task: {facts.id}", OUTER, HEADER, source=facts.path)
    if facts.story:
        add(f"Story: {facts.story}", OUTER, HEADER, source=facts.story_path)
    agent = f"@{situation.agent}" if situation.agent else facts.responsible
    kind = situation.executor or facts.executor
    if agent or kind:
        who = f"{agent} ({kind})" if agent and kind else agent or kind
        add(f"Executor: {who}", OUTER, HEADER, source=facts.path)
    for text, ticked in facts.preconditions:
        box = f"[{'x' if ticked else ' '}] {text}"
        add(box, INNER, PRECONDITIONS, group="Pre-conditions:", source=facts.path)
    for text, ticked in facts.criteria:
        add(
            f"- [{'x' if ticked else ' '}] {text}",
            INNER,
            TICKED if ticked else OPEN,
            group="Acceptance Criteria:",
            source=facts.story_path or facts.path,
        )
    for path, note in facts.files:
        text = f"- {path} ({note})" if note else f"- {path}"
        add(text, INNER, FILES, group="File List:", source=facts.story_path)
    return [Section("TASK", "[TASK CONTEXT]", "L4", entries)]
