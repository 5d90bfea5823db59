"""Whether agents are told anything: the registrations, as the clients themselves would call them."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.manage.diagnosis.report import Check, Found, Status
from synapse_ls.manage.diagnosis.subject import Subject

_SEVERITIES: dict[str, Status] = {"error": "error", "warning": "warning"}
_ELSEWHERE = ("no-tree", "broken-configuration")
"""What the section about the tree says."""


def examine(subject: Subject) -> Found:
    """A check for each client that calls the hook, and for everything that stands in its way."""
    found = subject.doctor
    data = {
        "clients": [
            {
                "client": patient.client.name,
                "scopes": sorted({r.scope for r in patient.registrations}),
                "tokens": [canary.report()["tokens"] for canary in patient.canaries],
            }
            for patient in found.patients
            if patient.registrations
        ]
    }
    return Found(tuple(_checks(subject)), data)


def _checks(subject: Subject) -> Iterator[Check]:
    found = subject.doctor
    troubled = {trouble.client for trouble in found.troubles if trouble.severity == "error"}
    for patient in found.patients:
        name = patient.client.title
        if not patient.registrations:
            if patient.because:
                said = f"{name} is in use here ({patient.because}) and does not call the hook"
                remedy = f"Run `synapse install --client {patient.client.name}`."
                yield Check("warning", said, remedy)
            continue
        for canary in patient.canaries:
            if canary.ok and patient.client.name not in troubled:
                tokens = canary.report()["tokens"]
                said = (
                    f"{name} calls the hook ({canary.scope}), and a prompt is told {tokens} tokens"
                )
                yield Check("ok", said)
        if patient.registrations and not patient.canaries:
            yield Check("unknown", f"{name} calls the hook, but at no event that brings text")
    for trouble in found.troubles:
        if trouble.code in _ELSEWHERE:
            continue
        place = f"{trouble.path}:{trouble.line}" if trouble.line else trouble.path
        status = _SEVERITIES.get(trouble.severity, "info")
        yield Check(status, trouble.sentence, trouble.remedy, place)
