"""What is kept across prompts and sessions: memories, and whether they can be told."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.manage.diagnosis.report import Check, Found
from synapse_ls.manage.diagnosis.subject import Subject
from synapse_ls.recovery import file as continuation
from synapse_ls.service import memories
from synapse_ls.text.counted import counted


def examine(subject: Subject) -> Found:
    """The store as the active agent sees it, its providers, and the continuation that waits."""
    reader = subject.situation.agent
    figures = memories.counted(subject.root, reader) if reader else memories.counted(subject.root)
    return Found(tuple(_checks(subject, figures)), figures)


def _checks(subject: Subject, figures: dict[str, object]) -> Iterator[Check]:
    if not memories.settings_of(subject.root).get("enabled", True):
        yield Check("info", "memory is switched off ([memory] enabled = false)")
        return
    total, expired = int(str(figures["total"])), int(str(figures["expired"]))
    if total:
        yield Check("ok", f"{counted(total, 'memory', 'memories')} can be read")
    else:
        yield Check("info", "nothing is remembered yet (`synapse memory add`)")
    if expired:
        said = f"{counted(expired, 'memory', 'memories')} past the date of expiry"
        yield Check("warning", said, "Run `synapse memory gc`.")
    situation = subject.situation
    level = situation.bracket.memory
    hints = [s for s in subject.answer.assembly.sent if s.id == "MEMORY"]
    told = sum(len(section.entries) for section in hints)
    if told:
        yield Check("ok", f"{counted(told, 'hint')} in the block of now (level {level})")
    elif level == "none":
        yield Check("info", f"{situation.bracket.name} tells no memories")
    else:
        yield Check("info", f"{situation.bracket.name} tells memories ({level}), and none fits now")
    if continuation.read(continuation.path_of(subject.root)) is not None:
        yield Check("info", "a continuation waits for the next session (`synapse recover`)")
