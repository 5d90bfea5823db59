"""This module checks authority: which article and which boundary is seen to by whom, told, guarded,
or only written (ADR-001 R4, E6).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from synapse_ls.engine.block_renderer import summarize_keys
from synapse_ls.engine.plan_rows import PlanDomain, RuleRow
from synapse_ls.guard.agent_action import OFF
from synapse_ls.hooks.boundary_verdict import unreadable_clauses
from synapse_ls.integrations.client_definition import Trouble
from synapse_ls.setup.diagnosis.diagnosis_report import Check, SectionResult
from synapse_ls.setup.diagnosis.diagnosis_subject import Subject
from synapse_ls.setup.doctor.client_examination import ClientExamination
from synapse_ls.text.plural_counts import format_count


def examine(subject: Subject) -> SectionResult:
    """Examines authority: the articles of the constitution, then the boundaries of agents, then the
    guard itself.
    """
    return SectionResult(
        (*_check_articles(subject), *_check_boundaries(subject), *_check_guard(subject)),
        _boundary_data(subject),
    )


def _check_articles(subject: Subject) -> Iterator[Check]:
    assembly = subject.answer.assembly
    told = {(e.file, e.line) for section in assembly.sent_sections for e in section.entries}
    guarded = _guarded_places(subject)
    domains = [one for one in subject.plan.domains() if one.role == "constitution"]
    for domain in domains:
        titles = [row for row in domain.rows if row.kind == "title"]
        for title in titles:
            rows = [row for row in domain.rows if row.qualifier == title.qualifier]
            place = f"{domain.file}:{title.line + 1}"
            by_guard = any((domain.file, row.line) in guarded for row in rows)
            how = "told in every block" + (" and seen to by the guard" if by_guard else "")
            yield _check_rows(domain, rows, told, title.text, f"{title.text}: {how}", place)
        if not titles:
            yield from _check_untitled(domain, told)
    if not any(domain.rows for domain in domains):
        ours = subject.plan.profile.source == "synapse"
        remedy = "articles (`synapse constitution build` makes them)" if ours else "constitution"
        yield Check("info", f"the tree has no {remedy}")


def _check_untitled(domain: PlanDomain, told: set[tuple[str, int]]) -> Iterator[Check]:
    rows = [row for row in domain.rows if row.kind == "rule"]
    if rows:
        how = f"the constitution is told in every block, in {format_count(len(rows), 'line')}"
        place = f"{domain.file}:{rows[0].line + 1}"
        yield _check_rows(domain, rows, told, "the constitution", how, place)


def _check_rows(
    domain: PlanDomain,
    rows: list[RuleRow],
    standing: set[tuple[str, int]],
    what: str,
    sentence: str,
    place: str,
) -> Check:
    """Checks whether all of the rows are in the block of now."""
    missing = sum((domain.file, row.line) not in standing for row in rows)
    if not missing:
        return Check("ok", sentence, "", place)
    said = f"{what}: {format_count(missing, 'rule')} not in the block of now"
    return Check("warning", said, "See `synapse explain` for the reason.", place)


def _guarded_places(subject: Subject) -> set[tuple[str, int]]:
    return {(row[7], row[8]) for row in subject.plan.boundaries}


def _check_boundaries(subject: Subject) -> Iterator[Check]:
    plan = subject.plan
    agents = dict.fromkeys(row[1] for row in plan.boundaries if row[1])
    for agent in agents:
        own = [row for row in plan.boundaries if row[1] == agent and row[2] == "deny"]
        if not own:
            continue
        keys = {row[6] for row in own}
        loose = dict.fromkeys(key for key, *_ in unreadable_clauses(plan, agent))
        seen = format_count(len(keys) - len(loose), "boundary", "boundaries")
        said = f"@{agent}: {seen} for the guard"
        if loose:
            said += f", {len(loose)} only told, because no command can be recognised in them"
            said += f" ({summarize_keys(loose)})"
        yield Check("info" if loose else "ok", said)


def _check_guard(subject: Subject) -> Iterator[Check]:
    plan = subject.plan
    mode = plan.settings["guard"]
    if not plan.boundaries:
        yield Check("info", "the tree sets no boundaries, so the guard has nothing to see to")
        return
    if mode == OFF:
        yield Check("warning", "the guard is off", 'Set mode = "warn" under [guard].')
        return
    guarded = [patient for patient in subject.doctor.examinations if patient.guarded_scopes]
    asked = [one.client.title for one in guarded if _reaches_guard(one, subject.doctor.troubles)]
    if asked:
        yield Check("ok", f"the guard is asked before tools by {', '.join(asked)} (mode {mode})")
    elif guarded:
        said = f"the guard (mode {mode}) is asked by no client, so boundaries are only told"
        yield Check("warning", said, "Mend first what keeps the hooks from working.")
    else:
        said = f"the guard (mode {mode}) is asked by no client, so boundaries are only told"
        yield Check("warning", said, "Run `synapse install` for the client you use.")


def _reaches_guard(patient: ClientExamination, troubles: Iterable[Trouble]) -> bool:
    """Tells whether nothing keeps the hooks of a client from working in a place where it asks."""
    kept = {t.scope for t in troubles if t.client == patient.client.name and t.severity == "error"}
    return any(not kept & {scope, ""} for scope in patient.guarded_scopes)


def _boundary_data(subject: Subject) -> dict[str, Any]:
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
