"""This module is layer L4 Task: the active task and its story (ADR-001 E4)."""

from __future__ import annotations

from synapse_ls.engine.block_sections import INNER, OUTER, Entry, Section
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.domain_selection import Selection
    from synapse_ls.engine.situation import Situation
    from synapse_ls.engine.task_facts import TaskFacts

# What goes first when the budget is short: files, ticked criteria, open ones, pre-conditions.
FILES, TICKED, OPEN, PRECONDITIONS, HEADER = range(5)

_TICKS = {False: " ", True: "x"}


def contribute(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Returns the section of layer L4: the task's header, pre-conditions, acceptance criteria and
    files.
    """
    facts = situation.task_facts
    if facts is None or "L4" not in selection.awake:
        return []
    entries: list[Entry] = []

    def add(text: str, prefix: str, weight: int, *, group: str = "", source: str = "") -> None:
        line = neutralise_text(text)
        entries.append(
            Entry(
                line,
                prefix=prefix,
                rank="TASK",
                hash=hash_text(f"{group}{line}"),
                weight=(weight, -len(entries)),
                group=group,
                domain="TASK",
                file=source,
            )
        )

    add(f"Active Task: {facts.id}", OUTER, HEADER, source=facts.path)
    if facts.story:
        add(f"Story: {facts.story}", OUTER, HEADER, source=facts.story_path)
    if who := _executor_text(plan, situation, facts):
        add(f"Executor: {who}", OUTER, HEADER, source=facts.path)
    for text, ticked in facts.preconditions:
        box = f"[{_TICKS[ticked]}] {text}"
        add(box, INNER, PRECONDITIONS, group="Pre-conditions:", source=facts.path)
    source = facts.story_path or facts.path
    for text, ticked in facts.criteria:
        box, weight = f"- [{_TICKS[ticked]}] {text}", TICKED if ticked else OPEN
        add(box, INNER, weight, group="Acceptance Criteria:", source=source)
    for path, note in facts.files:
        text = f"- {path} ({note})" if note else f"- {path}"
        add(text, INNER, FILES, group="File List:", source=facts.story_path)
    for entry in entries:
        entry.is_asked = situation.task_source == "command"
    return [Section("TASK", "[TASK CONTEXT]", "L4", entries)]


def _executor_text(plan: Plan, situation: Situation, facts: TaskFacts) -> str:
    """Returns who does the task: whom the task names, else who took it up, else whom its story
    names.
    """
    name = facts.responsible.partition("(")[0]
    known = plan.find_agent(name) or situation.task_agent
    agent = f"@{known}" if known else facts.responsible or facts.assigned
    kind = situation.executor or facts.executor
    return f"{agent} ({kind})" if agent and kind else agent or kind
