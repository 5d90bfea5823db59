"""This module examines what is kept across prompts and sessions: memories, and whether they can be
told.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.memory import continuation_store as continuation
from synapse_ls.queries import memory_listing
from synapse_ls.queries.memory_accounts import told_memories
from synapse_ls.queries.report_model import to_json
from synapse_ls.setup.diagnosis.diagnosis_report import Check, SectionResult
from synapse_ls.setup.diagnosis.diagnosis_subject import Subject
from synapse_ls.text.plural_counts import format_count


def examine(subject: Subject) -> SectionResult:
    """Examines the memories as the active agent sees them, their providers, and the continuation
    that waits.
    """
    reader = subject.situation.agent
    figures = (
        memory_listing.count_memories(subject.root, reader)
        if reader
        else memory_listing.count_memories(subject.root)
    )
    return SectionResult(tuple(_memory_checks(subject, figures)), to_json(figures))


def _memory_checks(subject: Subject, figures: memory_listing.MemoryCounts) -> Iterator[Check]:
    if not memory_listing.memory_settings(subject.root).get("enabled", True):
        yield Check("info", "memory is switched off ([memory] enabled = false)")
        return
    total, expired = figures.total, figures.expired
    if total:
        yield Check("ok", f"{format_count(total, 'memory', 'memories')} can be read")
    else:
        yield Check("info", "nothing is remembered yet (`synapse memory add`)")
    if expired:
        said = f"{format_count(expired, 'memory', 'memories')} past the date of expiry"
        yield Check("warning", said, "Run `synapse memory gc`.")
    situation = subject.situation
    level = situation.bracket.memory
    hints = [s for s in subject.answer.assembly.sent_sections if s.id == "MEMORY"]
    told = sum(len([*told_memories(section.entries)]) for section in hints)
    if told:
        yield Check("ok", f"{format_count(told, 'hint')} in the block of now (level {level})")
    elif level == "none":
        entering = "HOT ones" if subject.plan.profile.entering_memories == "hot" else "corrections"
        yield Check(
            "info",
            f"{situation.bracket.name} tells no memories beside those that begin a window (HOT)"
            + (
                f" or come with an agent ({entering})"
                if subject.plan.profile.entering_memories
                else ""
            ),
        )
    else:
        yield Check("info", f"{situation.bracket.name} tells memories ({level}), and none fits now")
    if (
        continuation.read_continuation(continuation.continuation_path(subject.root), subject.root)
        is not None
    ):
        yield Check("info", "a continuation waits for the next session (`synapse recover`)")
