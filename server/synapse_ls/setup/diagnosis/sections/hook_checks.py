"""This module examines whether agents get anything: the hook registrations, as the clients
themselves would call them.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.integrations.client_registrations import UNKNOWN
from synapse_ls.setup.diagnosis.diagnosis_report import Check, SectionResult, Status
from synapse_ls.setup.diagnosis.diagnosis_subject import Subject

_SEVERITIES: dict[str, Status] = {"error": "error", "warning": "warning"}
_TREE_CODES = ("no-tree", "broken-configuration")
"""What the section about the tree says."""


def examine(subject: Subject) -> SectionResult:
    """Examines the hook: each client that calls it, and everything that stands in its way."""
    found = subject.doctor
    data = {
        "clients": [
            {
                "client": patient.client.name,
                "scopes": sorted({r.scope for r in patient.registrations}),
                "tokens": [canary.to_json()["tokens"] for canary in patient.canaries],
            }
            for patient in found.examinations
            if patient.registrations
        ]
    }
    return SectionResult(tuple(_hook_checks(subject)), data)


def _hook_checks(subject: Subject) -> Iterator[Check]:
    found = subject.doctor
    troubled = {trouble.client for trouble in found.troubles if trouble.severity == "error"}
    for patient in found.examinations:
        name = patient.client.title
        if not patient.registrations:
            if patient.sign:
                said = f"{name} is in use here ({patient.sign}) and does not call the hook"
                option = patient.client.scope_option
                remedy = f"Run `synapse install --client {patient.client.name}{option}`."
                yield Check("warning", said, remedy)
            continue
        for canary in patient.canaries:
            if canary.is_ok and patient.client.name not in troubled:
                tokens = canary.to_json()["tokens"]
                said = (
                    f"{name} calls the hook ({canary.scope}), and a prompt is told {tokens} tokens"
                )
                yield Check("ok", said)
        if not patient.canaries:
            is_known = all(r.state != UNKNOWN for r in patient.registrations)
            why = "at no event that brings text" if is_known else "by a line that was not checked"
            yield Check("unknown", f"{name} calls the hook, but {why}")
    for trouble in found.troubles:
        if trouble.code in _TREE_CODES:
            continue
        place = f"{trouble.path}:{trouble.line}" if trouble.line else trouble.path
        status = _SEVERITIES.get(trouble.severity, "info")
        yield Check(status, trouble.sentence, trouble.remedy, place)
