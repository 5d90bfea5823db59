"""How well it works: how the agent was brought up, what reached the model, what was ever told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from synapse_ls.manage.diagnosis.report import Check, Found, Status
from synapse_ls.manage.diagnosis.subject import Subject
from synapse_ls.service.activation_metrics import activation_report
from synapse_ls.service.coverage import ENOUGH, Coverage, coverage
from synapse_ls.service.observed import Observed
from synapse_ls.text.counted import counted

_QUALITIES: dict[str, Status] = {"full": "ok", "partial": "warning", "fallback": "error"}


def examine(subject: Subject) -> Found:
    """Checks that rest on what was recorded; nothing is said of what was not."""
    seen = Observed()
    for record in subject.told:
        seen.add(record)
    judged = coverage(subject.plan, seen)
    arrived = [record["arrived"] for record in subject.told if record.get("arrived") is not None]
    data = {
        "activation": activation_report(subject.session),
        "prompts": seen.prompts,
        "coverage": round(judged.percent, 1) if judged.is_enough else None,
        "arrived": sum(map(bool, arrived)),
        "known_to_arrive": len(arrived),
    }
    checks = (
        *_activation(subject.session),
        *_arrivals(arrived),
        *_coverage(judged, seen),
    )
    return Found(checks, data)


def _activation(session: dict[str, Any] | None) -> Iterator[Check]:
    report = activation_report(session)
    if report is None:
        yield Check("info", "no agent was brought up in this session (`synapse activate AGENT`)")
        return
    quality = str(report["quality"])
    status = _QUALITIES.get(quality, "unknown")
    yield Check(status, f"@{report['agent']} was brought up: {quality}", _again(report, status))
    for loader in report["loaders"]:
        if loader["why"]:
            yield Check(
                "warning",
                f"{loader['name']} is missing: {loader['why']}",
                _again(report, "warning"),
            )


def _again(report: dict[str, Any], status: Status) -> str:
    return (
        f"Run `synapse activate {report['agent']}` again." if status in ("warning", "error") else ""
    )


def _arrivals(arrived: list[bool]) -> Iterator[Check]:
    if not arrived:
        yield Check("unknown", "no transcript has shown yet whether replies reach the model")
        return
    lost = arrived.count(False)
    said = f"{len(arrived) - lost} of {counted(len(arrived), 'reply', 'replies')} are in the transcript"
    if lost:
        yield Check("warning", said, "See `synapse log --lost`, and `synapse doctor` for rivals.")
    else:
        yield Check("ok", said)


def _coverage(judged: Coverage, seen: Observed) -> Iterator[Check]:
    if not judged.is_enough:
        prompts = counted(seen.prompts, "prompt")
        yield Check("unknown", f"{prompts} recorded; from {ENOUGH} on, unused rules can be told")
        return
    said = f"{judged.told} of {judged.rules} rules were told in {seen.prompts} prompts"
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
