"""This module runs the whole diagnosis (`synapse diagnose`), section by section. A section that
cannot be made says why, and the others stand.
"""

from __future__ import annotations

from collections.abc import Callable

from synapse_ls.queries.context_question import Question
from synapse_ls.setup.diagnosis.diagnosis_report import Check, Diagnosis, Section, SectionResult
from synapse_ls.setup.diagnosis.diagnosis_subject import Subject
from synapse_ls.setup.diagnosis.sections import (
    audit_checks,
    authority_checks,
    hook_checks,
    layer_checks,
    memory_checks,
    quality_checks,
    session_checks,
    task_condition_checks,
    timing_checks,
    tree_checks,
)

SECTIONS: tuple[tuple[str, str, Callable[[Subject], SectionResult]], ...] = (
    ("hooks", "Hooks", hook_checks.examine),
    ("session", "Session", session_checks.examine),
    ("tree", "Tree", tree_checks.examine),
    ("layers", "Layers for the next prompt", layer_checks.examine),
    ("authority", "Which article is enforced where", authority_checks.examine),
    ("timing", "Timing", timing_checks.examine),
    ("quality", "Quality", quality_checks.examine),
    ("memory", "Memory", memory_checks.examine),
    ("audit", "Rules in past sessions", audit_checks.examine),
    ("conditions", "Conditions of the task", task_condition_checks.examine),
)
"""The sections in the order in which they are shown: a new one is a module and a line here."""


def run_diagnosis(question: Question, *, runs: int = 3) -> Diagnosis:
    """Runs the full diagnosis of the tree and the session that ``question`` names, and returns the
    report.

    runs: prompts of each hook that are timed. Raises UserError where there is no such session.
    """
    subject = Subject(question, runs)
    _ = subject.answer  # what cannot be answered at all is an error of the whole
    return Diagnosis(question.root, tuple(_examine_section(subject, *row) for row in SECTIONS))


def _examine_section(
    subject: Subject, name: str, title: str, examine: Callable[[Subject], SectionResult]
) -> Section:
    try:
        found = examine(subject)
    except Exception as error:  # a report with one section missing is better than none
        said = f"this could not be examined ({type(error).__name__}: {error})"
        return Section(name, title, (Check("unknown", said, "Report this as a bug."),), {})
    return Section(name, title, found.checks, found.data)
