"""What the active task still waits for: pre-conditions first, then acceptance criteria."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.task import TaskFacts
from synapse_ls.manage.diagnosis.report import Check, Found
from synapse_ls.manage.diagnosis.subject import Subject


def examine(subject: Subject) -> Found:
    """Unmet pre-conditions are warnings; open criteria are what the task is about."""
    facts = subject.situation.task_facts
    if facts is None:
        return Found((Check("info", "no task is active"),))
    data = {
        "task": facts.id,
        "story": facts.story or None,
        "unmet": [text for text, met in facts.preconditions if not met],
        "open": [text for text, met in facts.criteria if not met],
    }
    return Found(tuple(_checks(facts)), data)


def _checks(facts: TaskFacts) -> Iterator[Check]:
    if facts.problem:
        yield Check("error", facts.problem.removesuffix("."), "Name the task by its file.")
    unmet = [text for text, met in facts.preconditions if not met]
    for text in unmet:
        yield Check("warning", f"pre-condition not met: {text}", "See to it first.", facts.path)
    if facts.preconditions and not unmet:
        yield Check("ok", f"every pre-condition of {facts.id} is met", "", facts.path)
    still = sum(not met for _, met in facts.criteria)
    if facts.criteria:
        yield Check(
            "info",
            f"{still} of {len(facts.criteria)} acceptance criteria are open",
            "",
            facts.story_path,
        )
