"""Which article and which boundary is seen to by whom: told, guarded, or only written (ADR-001 R4, E6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from synapse_ls.engine.plan import Domain, Row
from synapse_ls.engine.render import named
from synapse_ls.guard.use import OFF
from synapse_ls.manage.clients.client import Trouble
from synapse_ls.manage.diagnosis.report import Check, Found
from synapse_ls.manage.diagnosis.subject import Subject
from synapse_ls.manage.doctor.examine import Patient
from synapse_ls.service.guard import unread
from synapse_ls.text.counted import counted


def examine(subject: Subject) -> Found:
    """The articles of the constitution, then the boundaries of agents, then the guard itself."""
    return Found((*_articles(subject), *_boundaries(subject), *_guard(subject)), _data(subject))


def _articles(subject: Subject) -> Iterator[Check]:
    assembly = subject.answer.assembly
    told = {(e.file, e.line) for section in assembly.sent for e in section.entries}
    guarded = _guarded(subject)
    domains = [one for one in subject.plan.domains() if one.role == "constitution"]
    for domain in domains:
        titles = [row for row in domain.rows if row.kind == "title"]
        for title in titles:
            rows = [row for row in domain.rows if row.qualifier == title.qualifier]
            place = f"{domain.file}:{title.line + 1}"
            by_guard = any((domain.file, row.line) in guarded for row in rows)
            how = "told in every block" + (" and seen to by the guard" if by_guard else "")
            yield _told(domain, rows, told, title.text, f"{title.text}: {how}", place)
        rows = [row for row in domain.rows if row.kind == "rule"]
        if rows and not titles:
            how = f"the constitution is told in every block, in {counted(len(rows), 'line')}"
            place = f"{domain.file}:{rows[0].line + 1}"
            yield _told(domain, rows, told, "the constitution", how, place)
    if not any(domain.rows for domain in domains):
        ours = subject.plan.profile.source == "synapse"
        remedy = "articles (`synapse constitution build` makes them)" if ours else "constitution"
        yield Check("info", f"the tree has no {remedy}")


def _told(
    domain: Domain, rows: list[Row], told: set[tuple[str, int]], what: str, good: str, place: str
) -> Check:
    """Whether all of the rows are in the block of now."""
    missing = sum((domain.file, row.line) not in told for row in rows)
    if not missing:
        return Check("ok", good, "", place)
    said = f"{what}: {counted(missing, 'rule')} not in the block of now"
    return Check("warning", said, "See `synapse explain` for the reason.", place)


def _guarded(subject: Subject) -> set[tuple[str, int]]:
    return {(row[7], row[8]) for row in subject.plan.boundaries}


def _boundaries(subject: Subject) -> Iterator[Check]:
    plan = subject.plan
    agents = dict.fromkeys(row[1] for row in plan.boundaries if row[1])
    for agent in agents:
        own = [row for row in plan.boundaries if row[1] == agent and row[2] == "deny"]
        if not own:
            continue
        keys = {row[6] for row in own}
        loose = dict.fromkeys(key for key, *_ in unread(plan, agent))
        seen = counted(len(keys) - len(loose), "boundary", "boundaries")
        said = f"@{agent}: {seen} for the guard"
        if loose:
            said += f", {len(loose)} only told, because no command can be recognised in them"
            said += f" ({named(loose)})"
        yield Check("info" if loose else "ok", said)


def _guard(subject: Subject) -> Iterator[Check]:
    plan = subject.plan
    mode = plan.settings["guard"]
    if not plan.boundaries:
        yield Check("info", "the tree sets no boundaries, so the guard has nothing to see to")
        return
    if mode == OFF:
        yield Check("warning", "the guard is off", 'Set mode = "warn" under [guard].')
        return
    guarded = [patient for patient in subject.doctor.patients if patient.guarded]
    asked = [one.client.title for one in guarded if _is_heard(one, subject.doctor.troubles)]
    if asked:
        yield Check("ok", f"the guard is asked before tools by {', '.join(asked)} (mode {mode})")
    elif guarded:
        said = f"the guard (mode {mode}) is asked by no client, so boundaries are only told"
        yield Check("warning", said, "Mend first what keeps the hooks from working.")
    else:
        said = f"the guard (mode {mode}) is asked by no client, so boundaries are only told"
        yield Check("warning", said, "Run `synapse install` for the client you use.")


def _is_heard(patient: Patient, troubles: Iterable[Trouble]) -> bool:
    """Whether nothing keeps the hooks of a client from working in a place where it asks."""
    kept = {t.scope for t in troubles if t.client == patient.client.name and t.severity == "error"}
    return any(not kept & {scope, ""} for scope in patient.guarded)


def _data(subject: Subject) -> dict[str, Any]:
    return {
        "guard": subject.plan.settings["guard"],
        "boundaries": [
            {
                "owner": owner or None,
                "said": said,
                "action": action,
                "key": key,
                "place": f"{file}:{line + 1}",
            }
            for _, owner, said, action, _, _, key, file, line in subject.plan.boundaries
        ],
    }
