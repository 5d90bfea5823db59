"""The whole diagnosis. A section that cannot be made says why, and the others stand."""

from __future__ import annotations

from collections.abc import Callable

from synapse_ls.manage.diagnosis.report import Check, Diagnosis, Found, Section
from synapse_ls.manage.diagnosis.sections import (
    authority,
    conditions,
    hooks,
    layers,
    memory,
    quality,
    session,
    timing,
    tree,
)
from synapse_ls.manage.diagnosis.subject import Subject
from synapse_ls.service.answer import Question

SECTIONS: tuple[tuple[str, str, Callable[[Subject], Found]], ...] = (
    ("hooks", "Hooks", hooks.examine),
    ("session", "Session", session.examine),
    ("tree", "Tree", tree.examine),
    ("layers", "Layers for the next prompt", layers.examine),
    ("authority", "Which article is enforced where", authority.examine),
    ("timing", "Timing", timing.examine),
    ("quality", "Quality", quality.examine),
    ("memory", "Memory", memory.examine),
    ("conditions", "Conditions of the task", conditions.examine),
)
"""The sections in the order in which they are shown: a new one is a module and a line here."""


def diagnose(question: Question, *, runs: int = 3) -> Diagnosis:
    """The report about the tree and the session that ``question`` names.

    runs: prompts of each hook that are timed. Raises ServiceError where there is no such session.
    """
    subject = Subject(question, runs)
    _ = subject.answer  # what cannot be answered at all is an error of the whole
    return Diagnosis(question.root, tuple(_examined(subject, *row) for row in SECTIONS))


def _examined(
    subject: Subject, name: str, title: str, examine: Callable[[Subject], Found]
) -> Section:
    try:
        found = examine(subject)
    except Exception as error:  # a report with one section missing is better than none
        said = f"this could not be examined ({type(error).__name__}: {error})"
        return Section(name, title, (Check("unknown", said, "Report this as a bug."),), {})
    return Section(name, title, found.checks, found.data)
