"""This module examines what the active task still waits for: pre-conditions first, then acceptance
criteria.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.task_facts import TaskFacts
from synapse_ls.setup.diagnosis.diagnosis_report import Check, SectionResult
from synapse_ls.setup.diagnosis.diagnosis_subject import Subject


def examine(subject: Subject) -> SectionResult:
    """Examines the conditions of the task: unmet pre-conditions are warnings; open criteria are
    what the task is about.
    """
    facts = subject.situation.task_facts
    if facts is None:
        return SectionResult((Check("info", "no task is active"),))
    data = {
        "task": facts.id,
        "story": facts.story or None,
        "unmet": [text for text, met in facts.preconditions if not met],
        "open": [text for text, met in facts.criteria if not met],
    }
    return SectionResult(tuple(_condition_checks(facts)), data)


def _condition_checks(facts: TaskFacts) -> Iterator[Check]:
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
