"""How long it takes: the hook of each client, a block in a warm process, the first answer."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.manage.diagnosis.report import Check, Found, Status
from synapse_ls.manage.diagnosis.subject import ROUNDS, Subject

_VERDICTS: dict[str, Status] = {"fast": "ok", "fair": "info", "slow": "warning"}


def examine(subject: Subject) -> Found:
    """Figures of this machine, now; only a slow hook is a warning, since a person waits for it."""
    latencies = [p.latency for p in subject.doctor.patients if p.latency is not None]
    data = {
        "interpreter_ms": round(subject.doctor.start, 1),
        "answer_ms": round(subject.answered, 1),
        "assembly_ms": round(subject.assembly_ms, 2),
        "hooks": [latency.report() for latency in latencies],
    }
    return Found(tuple(_checks(subject)), data)


def _checks(subject: Subject) -> Iterator[Check]:
    timed = False
    for patient in subject.doctor.patients:
        latency = patient.latency
        if latency is None:
            continue
        timed = True
        said = (
            f"{patient.client.title}: a prompt waits {latency.median:.0f} ms for the hook, "
            f"{latency.times:.1f} × the start of an interpreter ({latency.verdict})"
        )
        remedy = "See what `synapse doctor` says of bytecode and rivals."
        status = _VERDICTS[latency.verdict]
        yield Check(status, said, remedy if status == "warning" else "")
    if not timed:
        yield Check("unknown", "no hook was timed, because no client calls one here")
    yield Check("info", f"a block takes {subject.assembly_ms:.2f} ms (median of {ROUNDS})")
    yield Check("info", f"the first answer took {subject.answered:.0f} ms, with reading the tree")
