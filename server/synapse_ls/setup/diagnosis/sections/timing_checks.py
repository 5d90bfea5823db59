"""This module examines the timing, how long it takes: the hook of each client, a block in a warm
process, the first answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.setup.diagnosis.diagnosis_report import Check, SectionResult, Status
from synapse_ls.setup.diagnosis.diagnosis_subject import TIMED_ASSEMBLIES, Subject

_VERDICT_STATUSES: dict[str, Status] = {"fast": "ok", "fair": "info", "slow": "warning"}


def examine(subject: Subject) -> SectionResult:
    """Examines the timing on this machine, now; only a slow hook is a warning, since a person waits
    for it.
    """
    latencies = [p.latency for p in subject.doctor.examinations if p.latency is not None]
    data = {
        "interpreter_ms": round(subject.doctor.start, 1),
        "answer_ms": round(subject.answer_ms, 1),
        "assembly_ms": round(subject.assembly_ms, 2),
        "hooks": [latency.to_json() for latency in latencies],
    }
    return SectionResult(tuple(_timing_checks(subject)), data)


def _timing_checks(subject: Subject) -> Iterator[Check]:
    timed = False
    for patient in subject.doctor.examinations:
        latency = patient.latency
        if latency is None:
            continue
        timed = True
        said = (
            f"{patient.client.title}: a prompt waits {latency.fastest:.0f} ms for the hook at least, "
            f"{latency.start_ratio:.1f} × the start of an interpreter ({latency.verdict})"
        )
        remedy = "See what `synapse doctor` says of bytecode and rivals."
        status = _VERDICT_STATUSES[latency.verdict]
        yield Check(status, said, remedy if status == "warning" else "")
    if not timed:
        yield Check("unknown", "no hook was timed, because no client calls one here")
    yield Check(
        "info", f"a block takes {subject.assembly_ms:.2f} ms (median of {TIMED_ASSEMBLIES})"
    )
    yield Check("info", f"the first answer took {subject.answer_ms:.0f} ms, with reading the tree")
