"""Sections of a diagnosis about the tree: findings, layers, authority, quality, conditions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from synapse_ls.activation.activation_loaders import activation_report
from synapse_ls.engine.block_renderer import render_section, summarize_keys
from synapse_ls.engine.compiled_plan import PlanDomain
from synapse_ls.engine.context_usage import estimate_tokens
from synapse_ls.engine.rule_account import LAYER_NAMES, DomainAccount
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.session_file import SessionState
from synapse_ls.guard.agent_action import OFF
from synapse_ls.hooks.boundary_verdict import unreadable_clauses
from synapse_ls.integrations.client_definition import Trouble
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.queries.injection_report import ReplyStatistics
from synapse_ls.queries.rule_coverage import ENOUGH_PROMPTS, Coverage, judge_coverage
from synapse_ls.setup.diagnosis.diagnosis_report import Check, SectionResult, Status, Subject
from synapse_ls.setup.doctor.client_examination import ClientExamination
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.phrases import format_count
from synapse_ls.workspace.tree_folders import CONFIG

_MOST_FINDINGS = 5  # findings that are told one by one
_STATUS = {Severity.ERROR: "error", Severity.WARNING: "warning"}


def examine_tree(subject: Subject) -> SectionResult:
    """Examine the tree with the linter, and tell the worst of it in full."""
    findings = lint_tree(subject.tree, notes=subject.loaded_tree.notes)
    plan = subject.plan
    domains = plan.domains()
    rules = sum(len(domain.rules) for domain in domains)
    data = {
        "profile": plan.profile.name,
        "domains": len(domains),
        "rules": rules,
        "squads": len(plan.squads),
        "findings": {s.value: sum(f.severity is s for f in findings) for s in Severity},
        "codes": dict(Counter(finding.code for finding in findings)),
    }
    checks: list[Check] = []
    sentence = (
        f"{format_count(len(domains), 'domain')} with {format_count(rules, 'rule')} (profile "
        f"{plan.profile.name})"
    )
    if domains:
        checks.append(Check("ok", sentence))
    else:
        checks.append(
            Check("error", "the tree has no domain, so nothing is told", "Run `synapse init`.")
        )
    checks += (
        Check("error", notice.removesuffix("."), "Mend the file; `synapse check` says where.")
        for notice in plan.notices
        if not notice.startswith(CONFIG)
    )
    grave = [finding for finding in findings if finding.severity in _STATUS]
    checks += (
        Check(
            "error" if finding.severity is Severity.ERROR else "warning",
            f"{finding.code} {finding.message.removesuffix('.')}",
            finding.remedy or "Run `synapse check`.",
            _finding_place(subject, finding),
        )
        for finding in sorted(grave, key=lambda finding: finding.severity.rank)[:_MOST_FINDINGS]
    )
    more = len(grave) - _MOST_FINDINGS
    if more > 0:
        checks.append(
            Check("warning", f"{more} more of the linter's warnings", "Run `synapse check`.")
        )
    if not grave:
        mild = len(findings)
        also = f", and {format_count(mild, 'hint')}" if mild else ""
        checks.append(Check("ok", f"the linter finds nothing that is lost or dead{also}"))
    return SectionResult(tuple(checks), data)


def _finding_place(subject: Subject, finding: Finding) -> str:
    facts = subject.tree.snapshot.facts(finding.path)
    line = facts.lines.line_of(finding.span.start) + 1 if facts else 1
    return f"{finding.path}:{line}"


_WAKE_REMEDY = (
    'Set profile = "synapse-live", or give the layer to the bracket in a profile of your own.'
)


def examine_layer(subject: Subject) -> SectionResult:
    """Examine each layer, and the block as a whole."""
    assembly = subject.answer.assembly
    data = {
        "awake": sorted(assembly.selection.awake),
        "tokens": assembly.tokens,
        "budget": assembly.budget,
        "cut": [entry.name for entry in assembly.cut_entries],
        "over_budget": assembly.is_over_budget,
    }
    checks: list[Check] = []
    # The domains that would take part now, were their layer awake, by that layer.
    asleep: dict[str, list[DomainAccount]] = {}
    for account in subject.accounts:
        first = account.explanation.reasons[0]
        if not account.layer and first.code.startswith("asleep") and account.rules:
            sleeping_layer, *_ = str(first.values[0]).split()
            asleep.setdefault(sleeping_layer, []).append(account)
    for layer, _ in subject.plan.profile.layers:
        checks.append(_check_layer(subject, layer, asleep.get(layer, [])))
    sentence = f"the block takes {assembly.tokens} of {format_count(assembly.budget, 'token')}"
    if assembly.is_over_budget:
        remedy = (
            "Shorten what is protected: the constitution, or domains with _NON_NEGOTIABLE=true."
        )
        checks.append(Check("error", f"{sentence}: what is protected alone is too much", remedy))
    elif assembly.cut_entries:
        cut = format_count(len(assembly.cut_entries), "rule")
        remedy = (
            "Shorten what comes before, or raise the bracket's budget in a profile of your own."
        )
        checks.append(Check("warning", f"{sentence}, and {cut} did not fit", remedy))
    else:
        checks.append(Check("ok", sentence))
    for name, why in assembly.degraded_layers.items():
        if not any(name == layer for layer, _ in subject.plan.profile.layers):
            checks.append(
                Check("error", f"{name} could not be made ({why})", "Report this as a bug.")
            )
    return SectionResult(tuple(checks), data)


def _check_layer(subject: Subject, layer: str, sleeping: list[DomainAccount]) -> Check:
    assembly, situation = subject.answer.assembly, subject.situation
    name = f"{layer} {LAYER_NAMES.get(layer, '')}".rstrip()
    if layer in assembly.degraded_layers:
        why = assembly.degraded_layers[layer]
        return Check("error", f"{name} could not contribute ({why})", "Report this as a bug.")
    if layer not in assembly.selection.awake:
        if layer in situation.bracket.layers:
            return Check("info", f"{name} is not for an executor of type {situation.executor}")
        waking = subject.plan.profile.waking_bracket(layer, situation.bracket.name)
        until = f" until {waking.name} ({waking.label} left)" if waking else ""
        sentence = f"{name} sleeps in {situation.bracket.name}{until}"
        if sleeping:
            labels = ", ".join(account.label for account in sleeping)
            return Check("warning", f"{sentence}, although {labels} would come in", _WAKE_REMEDY)
        return Check("info", sentence)
    sections = [section for section in assembly.sent_sections if section.layer == layer]
    lines = sum(len(section.entries) for section in sections)
    if not lines:
        return Check("info", f"{name} is awake and has nothing to tell now")
    tokens = estimate_tokens("\n".join(map(render_section, sections)))
    return Check(
        "ok", f"{name} tells {format_count(lines, 'line')}, {format_count(tokens, 'token')}"
    )


_QUALITY_STATUSES: dict[str, Status] = {"full": "ok", "partial": "warning", "fallback": "error"}


def examine_quality(subject: Subject) -> SectionResult:
    """Examine the quality that was recorded, of activations and replies; nothing is said of what
    was not.
    """
    statistics = ReplyStatistics()
    for record in subject.injection_records:
        statistics.add(record)
    judged = judge_coverage(subject.plan, statistics)
    arrived = [
        record["arrived"]
        for record in subject.injection_records
        if record.get("arrived") is not None
    ]
    data = {
        "activation": activation_report(subject.session),
        "prompts": statistics.prompts,
        "coverage": round(judged.percent, 1) if judged.has_enough_prompts else None,
        "arrived": sum(map(bool, arrived)),
        "known_to_arrive": len(arrived),
    }
    checks = (
        *_activation_checks(subject.session),
        *_arrival_checks(arrived),
        *_coverage_checks(judged, statistics),
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
    sentence = (
        f"{len(arrived) - lost} of {format_count(len(arrived), 'reply', 'replies')} are in the "
        "transcript"
    )
    if lost:
        yield Check(
            "warning", sentence, "See `synapse log --lost`, and `synapse doctor` for rivals."
        )
    else:
        yield Check("ok", sentence)


def _coverage_checks(judged: Coverage, seen: ReplyStatistics) -> Iterator[Check]:
    if not judged.has_enough_prompts:
        prompts = format_count(seen.prompts, "prompt")
        yield Check(
            "unknown", f"{prompts} recorded; from {ENOUGH_PROMPTS} on, unused rules can be told"
        )
        return
    sentence = (
        f"{judged.seen_rules} of {judged.rules} rules for agents were told in {seen.prompts} "
        "prompts"
    )
    never = [f for f in judged.findings if f.kind.name in ("domain-never-awake", "rule-always-cut")]
    yield Check("ok" if not never else "info", sentence)
    for finding in never[:5]:
        remedy = finding.remedy[:1].upper() + finding.remedy[1:] + "." if finding.remedy else ""
        place = f"{finding.file}:{finding.line}"
        yield Check(
            "warning",
            f"{finding.name}: {finding.message}",
            remedy or "See `synapse coverage`.",
            place,
        )


def examine_authority(subject: Subject) -> SectionResult:
    """Examine authority: the articles of the constitution, then the boundaries of agents, then the
    guard itself.
    """
    return SectionResult(
        (*_check_articles(subject), *_check_boundaries(subject), *_check_guard(subject)),
        {
            "guard": subject.plan.settings["guard"],
            "boundaries": [
                {
                    "owner": owner or None,
                    "said": text,
                    "action": action,
                    "key": key,
                    "place": f"{file}:{line + 1}",
                }
                for _, owner, text, action, _, _, key, file, line in subject.plan.boundaries
            ],
        },
    )


def _check_articles(subject: Subject) -> Iterator[Check]:
    assembly = subject.answer.assembly
    sent_places = {(e.file, e.line) for section in assembly.sent_sections for e in section.entries}
    guarded = {(row[7], row[8]) for row in subject.plan.boundaries}
    domains = [domain for domain in subject.plan.domains() if domain.role == "constitution"]
    for domain in domains:
        titles = [row for row in domain.rules if row.kind == "title"]
        for title in titles:
            rows = [row for row in domain.rules if row.qualifier == title.qualifier]
            place = f"{domain.file}:{title.line + 1}"
            by_guard = any((domain.file, row.line) in guarded for row in rows)
            how = "told in every block" + (" and seen to by the guard" if by_guard else "")
            yield _check_rows(domain, rows, sent_places, title.text, f"{title.text}: {how}", place)
        if not titles:
            rows = [row for row in domain.rules if row.kind == "rule"]
            if rows:
                lines = format_count(len(rows), "line")
                how = f"the constitution is told in every block, in {lines}"
                place = f"{domain.file}:{rows[0].line + 1}"
                yield _check_rows(domain, rows, sent_places, "the constitution", how, place)
    if not any(domain.rules for domain in domains):
        ours = subject.plan.profile.source == "synapse"
        remedy = "articles (`synapse constitution build` makes them)" if ours else "constitution"
        yield Check("info", f"the tree has no {remedy}")


def _check_rows(
    domain: PlanDomain,
    rows: list[Rule],
    standing: set[tuple[str, int]],
    what: str,
    sentence: str,
    place: str,
) -> Check:
    """Check whether all of the rows are in the block of now."""
    missing = sum((domain.file, row.line) not in standing for row in rows)
    if not missing:
        return Check("ok", sentence, "", place)
    clause = f"{what}: {format_count(missing, 'rule')} not in the block of now"
    return Check("warning", clause, "See `synapse explain` for the reason.", place)


def _check_boundaries(subject: Subject) -> Iterator[Check]:
    plan = subject.plan
    agents = dict.fromkeys(row[1] for row in plan.boundaries if row[1])
    for agent in agents:
        own = [row for row in plan.boundaries if row[1] == agent and row[2] == "deny"]
        if not own:
            continue
        keys = {row[6] for row in own}
        loose = dict.fromkeys(key for key, *_ in unreadable_clauses(plan, agent))
        guarded_text = format_count(len(keys) - len(loose), "boundary", "boundaries")
        sentence = f"@{agent}: {guarded_text} for the guard"
        if loose:
            sentence += f", {len(loose)} only told, because no command can be recognised in them"
            sentence += f" ({summarize_keys(loose)})"
        yield Check("info" if loose else "ok", sentence)


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
    guarding_titles = [
        patient.client.title
        for patient in guarded
        if _reaches_guard(patient, subject.doctor.troubles)
    ]
    if guarding_titles:
        yield Check(
            "ok", f"the guard is asked before tools by {', '.join(guarding_titles)} (mode {mode})"
        )
    elif guarded:
        sentence = f"the guard (mode {mode}) is asked by no client, so boundaries are only told"
        yield Check("warning", sentence, "Mend first what keeps the hooks from working.")
    else:
        sentence = f"the guard (mode {mode}) is asked by no client, so boundaries are only told"
        yield Check("warning", sentence, "Run `synapse install` for the client you use.")


def _reaches_guard(patient: ClientExamination, troubles: Iterable[Trouble]) -> bool:
    """Return whether nothing keeps the hooks of a client from working in a place where it asks."""
    broken_scopes = {
        t.scope for t in troubles if t.client == patient.client.name and t.severity == "error"
    }
    return any(not broken_scopes & {scope, ""} for scope in patient.guarded_scopes)


def examine_task_condition(subject: Subject) -> SectionResult:
    """Examine the conditions of the task: unmet pre-conditions are warnings; open criteria are what
    the task is about.
    """
    facts = subject.situation.task_facts
    if facts is None:
        return SectionResult((Check("info", "no task is active"),))
    data = {
        "task": facts.id,
        "story": facts.story or None,
        "unmet": [text for text, met in facts.preconditions if not met],
        "open": [text for text, met in facts.criteria if not met],
    }
    checks: list[Check] = []
    if facts.problem:
        checks.append(Check("error", facts.problem.removesuffix("."), "Name the task by its file."))
    unmet = [text for text, met in facts.preconditions if not met]
    checks += (
        Check("warning", f"pre-condition not met: {text}", "See to it first.", facts.path)
        for text in unmet
    )
    if facts.preconditions and not unmet:
        checks.append(Check("ok", f"every pre-condition of {facts.id} is met", "", facts.path))
    still = sum(not met for _, met in facts.criteria)
    if facts.criteria:
        checks.append(
            Check(
                "info",
                f"{still} of {len(facts.criteria)} acceptance criteria are open",
                "",
                facts.story_path,
            )
        )
    return SectionResult(tuple(checks), data)
