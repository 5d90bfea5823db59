"""Sections of a diagnosis about running sessions: hooks, session, timing, memory, audit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.integrations.client_registrations import UNKNOWN
from synapse_ls.memory import handoff
from synapse_ls.queries import memory_report
from synapse_ls.queries.memory_report import told_memories
from synapse_ls.queries.report_model import to_json
from synapse_ls.setup.diagnosis.diagnosis_report import (
    TIMED_ASSEMBLIES,
    Check,
    SectionResult,
    Status,
    Subject,
)
from synapse_ls.storage.editor_cache import RuleHistory, read_histories
from synapse_ls.storage.session_archive import newest_session, parse_moment
from synapse_ls.text.phrases import format_count
from synapse_ls.workspace.tree_folders import SESSIONS

_CLIENT_SOURCES = ("measured", "reported")
"""Sources of the usage that rest on what a client says."""


def examine_session(subject: Subject) -> SectionResult:
    """Examine the session, its agent, its bracket and where that comes from."""
    situation = subject.situation
    usage = situation.usage
    data = {
        "session": subject.session.id if subject.session else None,
        "prompts": situation.turn - 1,
        "agent": situation.agent or None,
        "bracket": situation.bracket.name,
        "remaining": usage.remaining,
        "source": usage.source,
    }
    checks: list[Check] = []
    session, bracket = subject.session, situation.bracket
    if session is None:
        checks.append(_new_session_check(subject))
    else:
        prompts = format_count(situation.turn - 1, "prompt")
        checks.append(Check("ok", f"session {session.id}: {prompts}"))
        since = parse_moment(session.last_activity)
        idle = (time.time() - since) / 3600 if since is not None else 0.0
        if idle > subject.plan.settings["stale_hours"]:
            checks.append(
                Check(
                    "warning",
                    f"nobody has used it for {idle:.0f} hours",
                    "Run `synapse session clean`, or name the session that is meant.",
                )
            )
    sentence = f"{bracket.name}: {usage.percent_text}% of the window left ({usage.source_label})"
    if usage.source == "invalid":
        checks.append(
            Check("error", sentence, "Look at what the client reports: `synapse log --last 1`.")
        )
    elif usage.source in _CLIENT_SOURCES:
        checks.append(Check("ok", sentence))
    else:
        checks.append(
            Check("info" if session is None else "unknown", f"{sentence}; no client has told more")
        )
    if situation.agent:
        checks.append(Check("ok", f"@{situation.agent} is active ({situation.agent_source})"))
    else:
        checks.append(Check("info", "no agent is active, so no agent's rules are told"))
    checks += (
        Check("warning", note.removesuffix("."), "Correct what was named.")
        for note in (*usage.notes, *situation.notes)
    )
    return SectionResult(tuple(checks), data)


def _new_session_check(subject: Subject) -> Check:
    folder = str(Path(subject.root, SESSIONS))
    latest = newest_session(folder, subject.plan.settings["stale_hours"], now=time.time())
    if latest is None:
        return Check("info", "no session is going on, so this is about a new one")
    name = latest.session_id
    return Check("info", f"this is about a new session; the latest is {name} (`--session {name}`)")


def examine_memory(subject: Subject) -> SectionResult:
    """Examine the memories as the active agent sees them, their providers, and the continuation
    that waits.
    """
    reader = subject.situation.agent
    figures = (
        memory_report.count_memories(subject.root, reader)
        if reader
        else memory_report.count_memories(subject.root)
    )
    return SectionResult(tuple(_memory_checks(subject, figures)), to_json(figures))


def _memory_checks(subject: Subject, figures: memory_report.MemoryCounts) -> Iterator[Check]:
    if not memory_report.memory_settings(subject.root).get("enabled", True):
        yield Check("info", "memory is switched off ([memory] enabled = false)")
        return
    total, expired = figures.total, figures.expired
    if total:
        yield Check("ok", f"{format_count(total, 'memory', 'memories')} can be read")
    else:
        yield Check("info", "nothing is remembered yet (`synapse memory add`)")
    if expired:
        sentence = f"{format_count(expired, 'memory', 'memories')} past the date of expiry"
        yield Check("warning", sentence, "Run `synapse memory gc`.")
    situation = subject.situation
    level = situation.bracket.memory
    hints = [s for s in subject.answer.assembly.sent_sections if s.id == "MEMORY"]
    number = sum(len([*told_memories(section.entries)]) for section in hints)
    if number:
        yield Check("ok", f"{format_count(number, 'hint')} in the block of now (level {level})")
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
    if handoff.read_continuation(handoff.continuation_path(subject.root), subject.root) is not None:
        yield Check("info", "a continuation waits for the next session (`synapse recover`)")


_VERDICT_STATUSES: dict[str, Status] = {"fast": "ok", "fair": "info", "slow": "warning"}


def examine_timing(subject: Subject) -> SectionResult:
    """Examine the timing on this machine, now; only a slow hook is a warning, since a person waits
    for it.
    """
    latencies = [p.latency for p in subject.doctor.examinations if p.latency is not None]
    data = {
        "interpreter_ms": round(subject.doctor.start, 1),
        "answer_ms": round(subject.answer_ms, 1),
        "assembly_ms": round(subject.assembly_ms, 2),
        "hooks": [latency.to_json() for latency in latencies],
    }
    checks: list[Check] = []
    timed = False
    for patient in subject.doctor.examinations:
        latency = patient.latency
        if latency is None:
            continue
        timed = True
        sentence = (
            f"{patient.client.title}: a prompt waits {latency.fastest:.0f} ms for the hook at "
            f"least, {latency.start_ratio:.1f} × the start of an interpreter ({latency.verdict})"
        )
        remedy = "See what `synapse doctor` says of bytecode and rivals."
        status = _VERDICT_STATUSES[latency.verdict]
        checks.append(Check(status, sentence, remedy if status == "warning" else ""))
    if not timed:
        checks.append(Check("unknown", "no hook was timed, because no client calls one here"))
    checks.append(
        Check("info", f"a block takes {subject.assembly_ms:.2f} ms (median of {TIMED_ASSEMBLIES})")
    )
    checks.append(
        Check("info", f"the first answer took {subject.answer_ms:.0f} ms, with reading the tree")
    )
    return SectionResult(tuple(checks), data)


_MAX_NAMED = 5  # rules that are named one by one


def examine_audit(subject: Subject) -> SectionResult:
    """Examine, by the last audit, what became of each rule; nothing is audited now, since that
    takes its time.
    """
    histories = read_histories(subject.root)
    broken = sorted(
        ((key, history) for (_, key), history in histories.items() if history.broken),
        key=lambda row: (-row[1].broken, row[0]),
    )
    return SectionResult(
        tuple(_history_checks(len(histories), broken)),
        {"applied": len(histories), "broken": {key: history.broken for key, history in broken}},
    )


def _history_checks(applied: int, broken: list[tuple[str, RuleHistory]]) -> Iterator[Check]:
    if not applied:
        yield Check("info", "no past session has been audited (`synapse audit`)")
        return
    for key, history in broken[:_MAX_NAMED]:
        yield Check("warning", f"{key}: {history.sentence}", "`synapse audit` says why.")
    if len(broken) > _MAX_NAMED:
        more = format_count(len(broken) - _MAX_NAMED, "other rule")
        yield Check("warning", f"{more} broken", "`synapse audit` names them.")
    followed = applied - len(broken)
    if followed:
        yield Check("ok", f"{format_count(followed, 'rule')} applied and never broken")


_SEVERITIES: dict[str, Status] = {"error": "error", "warning": "warning"}
_TREE_CODES = ("no-tree", "broken-configuration")
"""What the section about the tree says."""


def examine_hook(subject: Subject) -> SectionResult:
    """Examine the hook: each client that calls it, and everything that stands in its way."""
    report = subject.doctor
    data = {
        "clients": [
            {
                "client": patient.client.name,
                "scopes": sorted({r.scope for r in patient.registrations}),
                "tokens": [canary.to_json()["tokens"] for canary in patient.canaries],
            }
            for patient in report.examinations
            if patient.registrations
        ]
    }
    checks: list[Check] = []
    troubled = {trouble.client for trouble in report.troubles if trouble.severity == "error"}
    for patient in report.examinations:
        name = patient.client.title
        if not patient.registrations:
            if patient.sign:
                sentence = f"{name} is in use here ({patient.sign}) and does not call the hook"
                option = patient.client.scope_option
                remedy = f"Run `synapse install --client {patient.client.name}{option}`."
                checks.append(Check("warning", sentence, remedy))
            continue
        for canary in patient.canaries:
            if canary.is_ok and patient.client.name not in troubled:
                tokens = canary.to_json()["tokens"]
                sentence = (
                    f"{name} calls the hook ({canary.scope}), and a prompt is told {tokens} tokens"
                )
                checks.append(Check("ok", sentence))
        if not patient.canaries:
            is_known = all(r.state != UNKNOWN for r in patient.registrations)
            why = "at no event that brings text" if is_known else "by a line that was not checked"
            checks.append(Check("unknown", f"{name} calls the hook, but {why}"))
    for trouble in report.troubles:
        if trouble.code in _TREE_CODES:
            continue
        place = f"{trouble.path}:{trouble.line}" if trouble.line else trouble.path
        status = _SEVERITIES.get(trouble.severity, "info")
        checks.append(Check(status, trouble.sentence, trouble.remedy, place))
    return SectionResult(tuple(checks), data)
