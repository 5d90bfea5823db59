"""This module checks quality, how well it works: how the agent was brought up, what reached the
model, what was ever told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from synapse_ls.activation.loader_metrics import activation_report
from synapse_ls.queries.reply_statistics import ReplyStatistics
from synapse_ls.queries.rule_coverage import ENOUGH_PROMPTS, Coverage, judge_coverage
from synapse_ls.setup.diagnosis.diagnosis_report import Check, SectionResult, Status
from synapse_ls.setup.diagnosis.diagnosis_subject import Subject
from synapse_ls.storage.session_state import SessionState
from synapse_ls.text.plural_counts import format_count

_QUALITY_STATUSES: dict[str, Status] = {"full": "ok", "partial": "warning", "fallback": "error"}


def examine(subject: Subject) -> SectionResult:
    """Examines the quality that was recorded, of activations and replies; nothing is said of what
    was not.
    """
    seen = ReplyStatistics()
    for record in subject.injection_records:
        seen.add(record)
    judged = judge_coverage(subject.plan, seen)
    arrived = [
        record["arrived"]
        for record in subject.injection_records
        if record.get("arrived") is not None
    ]
    data = {
        "activation": activation_report(subject.session),
        "prompts": seen.prompts,
        "coverage": round(judged.percent, 1) if judged.has_enough_prompts else None,
        "arrived": sum(map(bool, arrived)),
        "known_to_arrive": len(arrived),
    }
    checks = (
        *_activation_checks(subject.session),
        *_arrival_checks(arrived),
        *_coverage_checks(judged, seen),
    )
    return SectionResult(checks, data)


def _activation_checks(session: SessionState | None) -> Iterator[Check]:
    report = activation_report(session)
    if report is None:
        yield Check("info", "no agent was brought up in this session (`synapse activate AGENT`)")
        return
    quality = str(report["quality"])
    status = _QUALITY_STATUSES.get(quality, "unknown")
    yield Check(
        status, f"@{report['agent']} was brought up: {quality}", _activation_remedy(report, status)
    )
    for loader in report["loaders"]:
        if loader["why"]:
            yield Check(
                "warning",
                f"{loader['name']} is missing: {loader['why']}",
                _activation_remedy(report, "warning"),
            )


def _activation_remedy(report: dict[str, Any], status: Status) -> str:
    return (
        f"Run `synapse activate {report['agent']}` again." if status in ("warning", "error") else ""
    )


def _arrival_checks(arrived: list[bool]) -> Iterator[Check]:
    if not arrived:
        yield Check("unknown", "no transcript has shown yet whether replies reach the model")
        return
    lost = arrived.count(False)
    said = f"{len(arrived) - lost} of {format_count(len(arrived), 'reply', 'replies')} are in the transcript"
    if lost:
        yield Check("warning", said, "See `synapse log --lost`, and `synapse doctor` for rivals.")
    else:
        yield Check("ok", said)


def _coverage_checks(judged: Coverage, seen: ReplyStatistics) -> Iterator[Check]:
    if not judged.has_enough_prompts:
        prompts = format_count(seen.prompts, "prompt")
        yield Check(
            "unknown", f"{prompts} recorded; from {ENOUGH_PROMPTS} on, unused rules can be told"
        )
        return
    said = f"{judged.seen_rules} of {judged.rules} rules for agents were told in {seen.prompts} prompts"
    never = [f for f in judged.findings if f.kind.name in ("domain-never-awake", "rule-always-cut")]
    yield Check("ok" if not never else "info", said)
    for finding in never[:5]:
        remedy = finding.remedy[:1].upper() + finding.remedy[1:] + "." if finding.remedy else ""
        place = f"{finding.file}:{finding.line}"
        yield Check(
            "warning",
            f"{finding.name}: {finding.message}",
            remedy or "See `synapse coverage`.",
            place,
        )
