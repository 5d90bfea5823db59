"""The whole diagnosis (`synapse diagnose`), section by section.

A section that cannot be made says why, and the others stand.
"""

from __future__ import annotations

from collections.abc import Callable

from synapse_ls.queries.context_question import Question
from synapse_ls.setup.diagnosis import session_sections, tree_sections
from synapse_ls.setup.diagnosis.diagnosis_report import (
    Check,
    Diagnosis,
    Section,
    SectionResult,
    Subject,
)

SECTIONS: tuple[tuple[str, str, Callable[[Subject], SectionResult]], ...] = (
    ("hooks", "Hooks", session_sections.examine_hook),
    ("session", "Session", session_sections.examine_session),
    ("tree", "Tree", tree_sections.examine_tree),
    ("layers", "Layers for the next prompt", tree_sections.examine_layer),
    ("authority", "Which article is enforced where", tree_sections.examine_authority),
    ("timing", "Timing", session_sections.examine_timing),
    ("quality", "Quality", tree_sections.examine_quality),
    ("memory", "Memory", session_sections.examine_memory),
    ("audit", "Rules in past sessions", session_sections.examine_audit),
    ("conditions", "Conditions of the task", tree_sections.examine_task_condition),
)
"""The sections in the order in which they are shown: a new one is a function and a line here."""


def run_diagnosis(question: Question, *, runs: int = 3) -> Diagnosis:
    """Run the full diagnosis of the tree and the session that ``question`` names, and return the
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
        section = examine(subject)
    except Exception as error:  # a report with one section missing is better than none
        sentence = f"this could not be examined ({type(error).__name__}: {error})"
        return Section(name, title, (Check("unknown", sentence, "Report this as a bug."),), {})
    return Section(name, title, section.checks, section.data)
