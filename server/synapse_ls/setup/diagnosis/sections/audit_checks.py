"""This module examines whether rules were followed, by what the last audit of past sessions said."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.setup.diagnosis.diagnosis_report import Check, SectionResult
from synapse_ls.setup.diagnosis.diagnosis_subject import Subject
from synapse_ls.storage.audit_memo import RuleHistory, read_histories
from synapse_ls.text.plural_counts import format_count

_MAX_NAMED = 5  # rules that are named one by one


def examine(subject: Subject) -> SectionResult:
    """Examines, by the last audit, what became of each rule; nothing is audited now, since that
    takes its time.
    """
    found = read_histories(subject.root)
    broken = sorted(
        ((key, history) for (_, key), history in found.items() if history.broken),
        key=lambda row: (-row[1].broken, row[0]),
    )
    return SectionResult(
        tuple(_history_checks(len(found), broken)),
        {"applied": len(found), "broken": {key: history.broken for key, history in broken}},
    )


def _history_checks(applied: int, broken: list[tuple[str, RuleHistory]]) -> Iterator[Check]:
    if not applied:
        yield Check("info", "no past session has been audited (`synapse audit`)")
        return
    for key, history in broken[:_MAX_NAMED]:
        yield Check("warning", f"{key}: {history.sentence}", "`synapse audit` says why.")
    if len(broken) > _MAX_NAMED:
        others = format_count(len(broken) - _MAX_NAMED, "other rule")
        yield Check("warning", f"{others} broken", "`synapse audit` names them.")
    kept = applied - len(broken)
    if kept:
        yield Check("ok", f"{format_count(kept, 'rule')} applied and never broken")
