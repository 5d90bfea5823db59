"""Run the whole diagnosis (`synapse diagnose`); a section that fails says why."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from statistics import median
from timeit import repeat
from typing import Any, Literal

from synapse_ls.activation.loader_runner import activation_report
from synapse_ls.engine import block_assembly, reason_phrases
from synapse_ls.engine.block_renderer import render_section, summarize_keys
from synapse_ls.engine.compiled_plan import PlanDomain
from synapse_ls.engine.context_usage import estimate_tokens
from synapse_ls.engine.rule_account import DomainAccount, account_for_domains, describe_size
from synapse_ls.formats.rule import Rule
from synapse_ls.guard.agent_action import OFF
from synapse_ls.hooks.boundary_verdict import unreadable_clauses
from synapse_ls.integrations import hook_registrations, settings_registry
from synapse_ls.integrations.client_settings import SCOPES, Surroundings
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.memory import continuations, memory_record
from synapse_ls.queries import context_question, injection_report, memory_report, report_model
from synapse_ls.queries.rule_coverage import ENOUGH_PROMPTS, judge_coverage
from synapse_ls.setup.doctor.client_examination import DoctorReport, examine_clients
from synapse_ls.storage import editor_cache, injection_log
from synapse_ls.storage.session_archive import newest_session, parse_moment
from synapse_ls.text.finding import Severity
from synapse_ls.text.phrases import format_count
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.tree_folders import CONFIG, SESSIONS
from synapse_ls.workspace.tree_loader import load_tree

Status = Literal["ok", "info", "unknown", "warning", "error"]
STATUS_ORDER: tuple[Status, ...] = ("error", "warning", "unknown", "info", "ok")
GAP_STATUSES: tuple[Status, ...] = ("error", "warning")


@dataclass(frozen=True, slots=True)
class Check:
    """One statement in the report of a diagnosis, a sentence without a full stop; ``place`` is
    ``file:line`` or "".

    remedy: a short imperative sentence for what is wrong, else "".
    """

    status: Status
    sentence: str
    remedy: str = ""
    place: str = ""

    def report(self) -> dict[str, Any]:
        """Return the check as plain values."""
        return {
            "status": self.status,
            "said": self.sentence,
            "remedy": self.remedy or None,
            "place": self.place or None,
        }


@dataclass(frozen=True, slots=True)
class Section:
    """The part of a diagnosis's report with the checks about one thing."""

    name: str
    title: str
    checks: tuple[Check, ...]
    data: Mapping[str, Any]

    @property
    def status(self) -> Status:
        """The worst status of its checks."""
        statuses = {check.status for check in self.checks}
        return next((status for status in STATUS_ORDER if status in statuses), "info")

    def report(self) -> dict[str, Any]:
        """Return the section as plain values."""
        return {
            "name": self.name,
            "title": self.title,
            "status": self.status,
            "checks": [check.report() for check in self.checks],
            "data": dict(self.data),
        }


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The whole report about the tree in ``root``."""

    root: str
    sections: tuple[Section, ...]

    @property
    def gaps(self) -> tuple[tuple[Section, Check], ...]:
        """What is wrong, the errors first, in the order of the sections."""
        gaps = [(s, c) for s in self.sections for c in s.checks if c.status in GAP_STATUSES]
        return tuple(sorted(gaps, key=lambda gap: GAP_STATUSES.index(gap[1].status)))

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return all(section.status != "error" for section in self.sections)

    def report(self) -> dict[str, Any]:
        """Return the diagnosis as plain values."""
        return {
            "root": self.root,
            "ok": self.ok,
            "sections": [section.report() for section in self.sections],
            "gaps": [{"section": s.name, **check.report()} for s, check in self.gaps],
        }


TIMED_ASSEMBLIES = 20  # assemblies that are timed


class Subject:
    """What is diagnosed, the tree of ``question``; ``runs`` prompts of each client's hook are
    timed, 0 for none.

    answer: the block of now, the first one, which took ``answer_ms``. Raises UserError where the
    question cannot be answered at all.
    """

    def __init__(self, question: context_question.Question, runs: int) -> None:
        self.root = question.root
        self._runs = runs
        began = time.perf_counter()
        self.answer = context_question.answer_question(question)
        self.answer_ms = (time.perf_counter() - began) * 1000
        self.plan = self.answer.plan
        self.situation = self.answer.assembly.situation
        self.session = self.answer.session

    @cached_property
    def doctor(self) -> DoctorReport:
        """What the doctor says of every client that is in use here."""
        around = Surroundings.of_process(self.root)
        return examine_clients(around, settings_registry.CLIENTS.values(), SCOPES, self._runs)


# What a section says for programs, by name; each function below fills its own.
Figures = dict[str, Any]

_BUG_REMEDY = "Report this as a bug."


def run_diagnosis(question: context_question.Question, *, runs: int = 3) -> Diagnosis:
    """Run the full diagnosis of the tree and the session that ``question`` names, and return the
    report.

    runs: prompts of each hook that are timed. Raises UserError where there is no such session.
    """
    subject = Subject(question, runs)
    sections = []
    for name, title, examine in SECTIONS:
        data: Figures = {}
        try:
            checks = tuple(examine(subject, data))
        except Exception as error:  # a report with one section missing is better than none
            sentence = f"this could not be examined ({type(error).__name__}: {error})"
            checks, data = (Check("unknown", sentence, _BUG_REMEDY),), {}
        sections.append(Section(name, title, checks, data))
    return Diagnosis(question.root, tuple(sections))


_SEVERITIES: dict[str, Status] = {"error": "error", "warning": "warning"}
# What the section about the tree says.
_TREE_CODES = ("no-tree", "broken-configuration")


def examine_hook(subject: Subject, data: Figures) -> Iterator[Check]:
    """Examine the hook: each client that calls it, and everything that stands in its way."""
    report = subject.doctor
    data["clients"] = [
        {
            "client": patient.client.name,
            "scopes": sorted({r.scope for r in patient.registrations}),
            "tokens": [canary.to_json()["tokens"] for canary in patient.canaries],
        }
        for patient in report.examinations
        if patient.registrations
    ]
    troubled = {trouble.client for trouble in report.troubles if trouble.severity == "error"}
    for patient in report.examinations:
        name = patient.client.title
        if not patient.registrations:
            if patient.sign:
                sentence = f"{name} is in use here ({patient.sign}) and does not call the hook"
                option = patient.client.scope_option
                remedy = f"Run `synapse install --client {patient.client.name}{option}`."
                yield Check("warning", sentence, remedy)
            continue
        for canary in patient.canaries:
            if canary.is_ok and patient.client.name not in troubled:
                tokens = canary.to_json()["tokens"]
                sentence = f"{name} calls the hook ({canary.scope}), and a prompt gets {tokens}"
                yield Check("ok", f"{sentence} tokens")
        if not patient.canaries:
            is_known = all(r.state != hook_registrations.UNKNOWN for r in patient.registrations)
            why = "at no event that injects text" if is_known else "by a line that was not checked"
            yield Check("unknown", f"{name} calls the hook, but {why}")
    for trouble in report.troubles:
        if trouble.code not in _TREE_CODES:
            place = f"{trouble.path}:{trouble.line}" if trouble.line else trouble.path
            status = _SEVERITIES.get(trouble.severity, "info")
            yield Check(status, trouble.sentence, trouble.remedy, place)


def examine_session(subject: Subject, data: Figures) -> Iterator[Check]:
    """Examine the session, its agent, its bracket and where that comes from."""
    situation, session = subject.situation, subject.session
    usage, bracket = situation.usage, situation.bracket
    data |= {
        "session": session.id if session else None,
        "prompts": situation.turn - 1,
        "agent": situation.agent or None,
        "bracket": bracket.name,
        "remaining": usage.remaining,
        "source": usage.source,
    }
    stale_hours = subject.plan.settings["stale_hours"]
    if session is None:
        latest = newest_session(str(Path(subject.root, SESSIONS)), stale_hours, now=time.time())
        sentence = "no session is going on, so this is about a new one"
        if latest is not None:
            name = latest.session_id
            sentence = f"this is about a new session; the latest is {name} (`--session {name}`)"
        yield Check("info", sentence)
    else:
        yield Check("ok", f"session {session.id}: {format_count(situation.turn - 1, 'prompt')}")
        since = parse_moment(session.last_activity)
        idle = (time.time() - since) / 3600 if since is not None else 0.0
        if idle > stale_hours:
            remedy = "Run `synapse session clean`, or name the session that is meant."
            yield Check("warning", f"nobody has used it for {idle:.0f} hours", remedy)
    sentence = f"{bracket.name}: {usage.percent_text}% of the window left ({usage.source_label})"
    if usage.source == "invalid":
        yield Check("error", sentence, "Look at what the client reports: `synapse log --last 1`.")
    elif usage.source in ("measured", "reported"):  # these rest on what a client says
        yield Check("ok", sentence)
    else:
        status: Status = "info" if session is None else "unknown"
        yield Check(status, f"{sentence}; no client has reported more")
    if situation.agent:
        yield Check("ok", f"@{situation.agent} is active ({situation.agent_source})")
    else:
        yield Check("info", "no agent is active, so no agent's rules are injected")
    for note in (*usage.notes, *situation.notes):
        yield Check("warning", note.removesuffix("."), "Correct what was named.")


_MOST_FINDINGS = 5  # findings that are told one by one


def examine_tree(subject: Subject, data: Figures) -> Iterator[Check]:
    """Examine the tree with the linter, and tell the worst of it in full."""
    loaded = load_tree(subject.root, LoadScope.ALL)
    findings = lint_tree(tree := loaded.tree, notes=loaded.notes)
    plan = subject.plan
    domains = plan.domains()
    rules = sum(len(domain.rules) for domain in domains)
    data |= {
        "profile": plan.profile.name,
        "domains": len(domains),
        "rules": rules,
        "squads": len(plan.squads),
        "findings": {s.value: sum(f.severity is s for f in findings) for s in Severity},
        "codes": dict(Counter(finding.code for finding in findings)),
    }
    if domains:
        sentence = f"{format_count(len(domains), 'domain')} with {format_count(rules, 'rule')}"
        yield Check("ok", f"{sentence} (profile {plan.profile.name})")
    else:
        yield Check(
            "error", "the tree has no domain, so nothing is injected", "Run `synapse init`."
        )
    for notice in plan.notices:
        if not notice.startswith(CONFIG):
            remedy = "Mend the file; `synapse check` says where."
            yield Check("error", notice.removesuffix("."), remedy)
    grave = [finding for finding in findings if finding.severity.value in _SEVERITIES]
    for finding in sorted(grave, key=lambda finding: finding.severity.rank)[:_MOST_FINDINGS]:
        facts = tree.snapshot.facts(finding.path)
        line = facts.lines.line_of(finding.span.start) + 1 if facts else 1
        sentence = f"{finding.code} {finding.message.removesuffix('.')}"
        remedy = finding.remedy or "Run `synapse check`."
        yield Check(_SEVERITIES[finding.severity.value], sentence, remedy, f"{finding.path}:{line}")
    if (more := len(grave) - _MOST_FINDINGS) > 0:
        yield Check("warning", f"{more} more of the linter's warnings", "Run `synapse check`.")
    if not grave:
        also = f", and {format_count(len(findings), 'hint')}" if findings else ""
        yield Check("ok", f"the linter finds nothing that is lost or dead{also}")


def examine_layer(subject: Subject, data: Figures) -> Iterator[Check]:
    """Examine each layer, and the block as a whole."""
    assembly = subject.answer.assembly
    data |= {
        "awake": sorted(assembly.selection.awake),
        "tokens": assembly.tokens,
        "budget": assembly.budget,
        "cut": [entry.name for entry in assembly.cut_entries],
        "over_budget": assembly.is_over_budget,
    }
    # The domains that would take part now, were their layer awake, by that layer.
    asleep: dict[str, list[DomainAccount]] = {}
    for account in account_for_domains(subject.plan, assembly):
        first = account.explanation.reasons[0]
        if not account.layer and first.code.startswith("asleep") and account.rules:
            sleeping_layer, *_ = str(first.values[0]).split()
            asleep.setdefault(sleeping_layer, []).append(account)
    layers = [layer for layer, _ in subject.plan.profile.layers]
    yield from (_check_layer(subject, layer, asleep.get(layer, [])) for layer in layers)
    sentence = f"the block takes {describe_size(assembly, assembly.tokens)}"
    if assembly.is_over_budget:
        remedy = "Shorten what is protected: the constitution, or domains with "
        remedy += "_NON_NEGOTIABLE=true."
        yield Check("error", f"{sentence}: what is protected alone is too much", remedy)
    elif assembly.cut_entries:
        cut = format_count(len(assembly.cut_entries), "rule")
        remedy = "Shorten what comes before, or raise the bracket's budget in a profile of your "
        yield Check("warning", f"{sentence}, and {cut} did not fit", f"{remedy}own.")
    else:
        yield Check("ok", sentence)
    for name, why in assembly.degraded_layers.items():
        if name not in layers:
            yield Check("error", f"{name} could not be made ({why})", _BUG_REMEDY)


def _check_layer(subject: Subject, layer: str, sleeping: list[DomainAccount]) -> Check:
    assembly, situation = subject.answer.assembly, subject.situation
    name = f"{layer} {reason_phrases.LAYER_NAMES.get(layer, '')}".rstrip()
    if layer in assembly.degraded_layers:
        why = assembly.degraded_layers[layer]
        return Check("error", f"{name} could not contribute ({why})", _BUG_REMEDY)
    if layer not in assembly.selection.awake:
        if layer in situation.bracket.layers:
            return Check("info", f"{name} is not for an executor of type {situation.executor}")
        waking = subject.plan.profile.waking_bracket(layer, situation.bracket.name)
        until = f" until {waking.name} ({waking.label} left)" if waking else ""
        sentence = f"{name} is inactive in {situation.bracket.name}{until}"
        if not sleeping:
            return Check("info", sentence)
        labels = ", ".join(account.label for account in sleeping)
        remedy = (
            "Run `synapse profile use synapse-live`, or give the layer to the bracket in a profile "
            "of your own."
        )
        return Check("warning", f"{sentence}, although {labels} would come in", remedy)
    sections = [section for section in assembly.sent_sections if section.layer == layer]
    if not (lines := sum(len(section.entries) for section in sections)):
        return Check("info", f"{name} is active and has nothing to inject now")
    tokens = format_count(estimate_tokens("\n".join(map(render_section, sections))), "token")
    return Check("ok", f"{name} injects {format_count(lines, 'line')}, {tokens}")


def examine_authority(subject: Subject, data: Figures) -> Iterator[Check]:
    """Examine authority: the articles of the constitution, then the boundaries of agents, then the
    guard itself.
    """
    plan = subject.plan
    data["guard"] = plan.settings["guard"]
    data["boundaries"] = [
        {
            "owner": owner or None,
            "said": text,
            "action": action,
            "key": key,
            "place": f"{file}:{line + 1}",
        }
        for _, owner, text, action, _, _, key, file, line in plan.boundaries
    ]
    yield from _check_articles(subject)
    for agent in dict.fromkeys(row[1] for row in plan.boundaries if row[1]):
        keys = {row[6] for row in plan.boundaries if row[1] == agent and row[2] == "deny"}
        if not keys:
            continue
        loose = dict.fromkeys(key for key, *_ in unreadable_clauses(plan, agent))
        guarded_text = format_count(len(keys) - len(loose), "boundary", "boundaries")
        sentence = f"@{agent}: {guarded_text} for the guard"
        if loose:
            why = f"because no command can be recognised in them ({summarize_keys(loose)})"
            sentence += f", {len(loose)} only injected, {why}"
        yield Check("info" if loose else "ok", sentence)
    yield _check_guard(subject)


def _check_articles(subject: Subject) -> Iterator[Check]:
    plan = subject.plan
    sections = subject.answer.assembly.sent_sections
    sent_places = {(e.file, e.line) for section in sections for e in section.entries}
    guarded = {(row[7], row[8]) for row in plan.boundaries}

    def check_rows(domain: PlanDomain, rows: list[Rule], line: int, what: str, how: str) -> Check:
        """Check whether all of the rows are in the block of now."""
        place = f"{domain.file}:{line + 1}"
        if not (missing := sum((domain.file, row.line) not in sent_places for row in rows)):
            return Check("ok", how, "", place)
        clause = f"{what}: {format_count(missing, 'rule')} not in the block of now"
        return Check("warning", clause, "See `synapse explain` for the reason.", place)

    domains = [domain for domain in plan.domains() if domain.role == "constitution"]
    for domain in domains:
        titles = [row for row in domain.rules if row.kind == "title"]
        for title in titles:
            rows = [row for row in domain.rules if row.qualifier == title.qualifier]
            by_guard = any((domain.file, row.line) in guarded for row in rows)
            how = "injected in every block" + (" and seen to by the guard" if by_guard else "")
            yield check_rows(domain, rows, title.line, title.text, f"{title.text}: {how}")
        if (rows := [row for row in domain.rules if row.kind == "rule"]) and not titles:
            lines = format_count(len(rows), "line")
            how = f"the constitution is injected in every block, in {lines}"
            yield check_rows(domain, rows, rows[0].line, "the constitution", how)
    if not any(domain.rules for domain in domains):
        ours = plan.profile.source == "synapse"
        remedy = "articles (`synapse constitution build` makes them)" if ours else "constitution"
        yield Check("info", f"the tree has no {remedy}")


def _check_guard(subject: Subject) -> Check:
    mode = subject.plan.settings["guard"]
    if not subject.plan.boundaries:
        return Check("info", "the tree sets no boundaries, so the guard has nothing to see to")
    if mode == OFF:
        return Check("warning", "the guard is off", 'Set mode = "warn" under [guard].')
    guarded = [patient for patient in subject.doctor.examinations if patient.guarded_scopes]
    # Those that ask in a place where nothing keeps their hooks from working.
    broken = {(t.client, t.scope) for t in subject.doctor.troubles if t.severity == "error"}
    guarding_titles = [
        patient.client.title
        for patient in guarded
        if (patient.client.name, "") not in broken
        and any((patient.client.name, scope) not in broken for scope in patient.guarded_scopes)
    ]
    if guarding_titles:
        titles = ", ".join(guarding_titles)
        return Check("ok", f"the guard is asked before tools by {titles} (mode {mode})")
    sentence = f"the guard (mode {mode}) is asked by no client, so boundaries are only injected"
    if guarded:
        return Check("warning", sentence, "Mend first what keeps the hooks from working.")
    return Check("warning", sentence, "Run `synapse install` for the client you use.")


_VERDICT_STATUSES: dict[str, Status] = {"fast": "ok", "fair": "info", "slow": "warning"}


def examine_timing(subject: Subject, data: Figures) -> Iterator[Check]:
    """Examine the timing on this machine, now; only a slow hook is a warning, since a person waits
    for it.
    """
    # Of a block, in this process, which is warm.
    assemble = partial(block_assembly.assemble_block, subject.plan, subject.situation)
    times = [1000 * seconds for seconds in repeat(assemble, number=1, repeat=TIMED_ASSEMBLIES)]
    timed = [(p.client.title, p.latency) for p in subject.doctor.examinations if p.latency]
    data |= {
        "interpreter_ms": round(subject.doctor.start, 1),
        "answer_ms": round(subject.answer_ms, 1),
        "assembly_ms": round(median(times), 2),
        "hooks": [latency.to_json() for _, latency in timed],
    }
    for title, latency in timed:
        sentence = (
            f"{title}: a prompt waits {latency.fastest:.0f} ms for the hook at least, "
            f"{latency.start_ratio:.1f} × the start of an interpreter ({latency.verdict})"
        )
        remedy = "See what `synapse doctor` says of bytecode and rivals."
        status = _VERDICT_STATUSES[latency.verdict]
        yield Check(status, sentence, remedy if status == "warning" else "")
    if not timed:
        yield Check("unknown", "no hook was timed, because no client calls one here")
    took = f"{median(times):.2f} ms (median of {TIMED_ASSEMBLIES})"
    yield Check("info", f"a block takes {took}")
    yield Check("info", f"the first answer took {subject.answer_ms:.0f} ms, with reading the tree")


_QUALITY_STATUSES: dict[str, Status] = {"full": "ok", "partial": "warning", "fallback": "error"}


def examine_quality(subject: Subject, data: Figures) -> Iterator[Check]:
    """Examine the quality that was recorded, of activations and replies; nothing is said of what
    was not.
    """
    statistics = injection_report.ReplyStatistics()
    records = list(injection_log.read_replies(subject.root))
    for record in records:
        statistics.add(record)
    arrivals = [arrived for r in records if (arrived := r.get("arrived")) is not None]
    coverage = judge_coverage(subject.plan, statistics)
    activation = activation_report(subject.session)
    data |= {
        "activation": activation,
        "prompts": statistics.prompts,
        "coverage": round(coverage.percent, 1) if coverage.has_enough_prompts else None,
        "arrived": sum(map(bool, arrivals)),
        "known_to_arrive": len(arrivals),
    }
    if activation is None:
        yield Check("info", "no agent was activated in this session (`synapse activate AGENT`)")
    else:
        agent, quality = activation["agent"], str(activation["quality"])
        again = f"Run `synapse activate {agent}` again."
        status = _QUALITY_STATUSES.get(quality, "unknown")
        remedy = again if status in ("warning", "error") else ""
        yield Check(status, f"@{agent} was activated: {quality}", remedy)
        for loader in activation["loaders"]:
            if loader["why"]:
                yield Check("warning", f"{loader['name']} is missing: {loader['why']}", again)
    lost = arrivals.count(False)
    count = format_count(len(arrivals), "reply", "replies")
    sentence = f"{len(arrivals) - lost} of {count} are in the transcript"
    if not arrivals:
        yield Check("unknown", "no transcript has shown yet whether replies reach the model")
    elif lost:
        remedy = "See `synapse log --lost`, and `synapse doctor` for rivals."
        yield Check("warning", sentence, remedy)
    else:
        yield Check("ok", sentence)
    prompts = statistics.prompts
    if not coverage.has_enough_prompts:
        recorded = f"{format_count(prompts, 'prompt')} recorded"
        yield Check("unknown", f"{recorded}; from {ENOUGH_PROMPTS} on, unused rules are reported")
        return
    kinds = ("domain-never-awake", "rule-always-cut")
    never = [finding for finding in coverage.findings if finding.kind in kinds]
    counts = f"{coverage.seen_rules} of {coverage.rules}"
    sentence = f"{counts} rules for agents were injected in {prompts} prompts"
    yield Check("info" if never else "ok", sentence)
    for finding in never[:5]:
        remedy = "See `synapse coverage`."
        if finding.remedy:
            remedy = f"{finding.remedy[:1].upper()}{finding.remedy[1:]}."
        place = f"{finding.file}:{finding.line}"
        yield Check("warning", f"{finding.name}: {finding.message}", remedy, place)


def examine_memory(subject: Subject, data: Figures) -> Iterator[Check]:
    """Examine the memories as the active agent sees them, their providers, and the continuation
    that waits.
    """
    situation, profile = subject.situation, subject.plan.profile
    counts = memory_report.count_memories(subject.root, situation.agent or memory_record.PERSON)
    data |= report_model.to_json(counts)
    if not memory_report.memory_settings(subject.root).get("enabled", True):
        yield Check("info", "memory is switched off ([memory] enabled = false)")
        return
    if counts.total:
        yield Check("ok", f"{format_count(counts.total, 'memory', 'memories')} can be read")
    else:
        yield Check("info", "nothing is remembered yet (`synapse memory add`)")
    if counts.expired:
        expired = format_count(counts.expired, "memory", "memories")
        yield Check("warning", f"{expired} past the date of expiry", "Run `synapse memory gc`.")
    level, bracket = situation.bracket.memory, situation.bracket.name
    hints = [s for s in subject.answer.assembly.sent_sections if s.id == "MEMORY"]
    number = sum(len([*memory_report.told_memories(section.entries)]) for section in hints)
    if number:
        yield Check("ok", f"{format_count(number, 'hint')} in the block of now (level {level})")
    elif level == "none":
        entering = "HOT ones" if profile.entering_memories == "hot" else "corrections"
        also = f" or come with an agent ({entering})" if profile.entering_memories else ""
        sentence = f"{bracket} injects no memories beside those that begin a window (HOT){also}"
        yield Check("info", sentence)
    else:
        yield Check("info", f"{bracket} injects memories ({level}), and none fits now")
    if continuations.latest_continuation(subject.root) is not None:
        yield Check("info", "a continuation waits for the next session (`synapse recover`)")


_MAX_NAMED = 5  # rules that are named one by one


def examine_audit(subject: Subject, data: Figures) -> Iterator[Check]:
    """Examine, by the last audit, what became of each rule; nothing is audited now, since that
    takes its time.
    """
    histories = editor_cache.read_histories(subject.root)
    broken = sorted(
        ((key, history) for (_, key), history in histories.items() if history.broken),
        key=lambda row: (-row[1].broken, row[0]),
    )
    data["applied"] = len(histories)
    data["broken"] = {key: history.broken for key, history in broken}
    if not histories:
        yield Check("info", "no past session has been audited (`synapse audit`)")
        return
    for key, history in broken[:_MAX_NAMED]:
        yield Check("warning", f"{key}: {history.sentence}", "`synapse audit` says why.")
    if len(broken) > _MAX_NAMED:
        more = format_count(len(broken) - _MAX_NAMED, "other rule")
        yield Check("warning", f"{more} broken", "`synapse audit` names them.")
    if followed := len(histories) - len(broken):
        yield Check("ok", f"{format_count(followed, 'rule')} applied and never broken")


def examine_task_condition(subject: Subject, data: Figures) -> Iterator[Check]:
    """Examine the conditions of the task: unmet pre-conditions are warnings; open criteria are what
    the task is about.
    """
    if (facts := subject.situation.task_facts) is None:
        yield Check("info", "no task is active")
        return
    unmet = [text for text, met in facts.preconditions if not met]
    still_open = [text for text, met in facts.all_criteria if not met]
    data |= {"task": facts.id, "story": facts.story or None, "unmet": unmet, "open": still_open}
    if facts.problem:
        yield Check("error", facts.problem.removesuffix("."), "Name the task by its file.")
    for text in unmet:
        yield Check("warning", f"pre-condition not met: {text}", "See to it first.", facts.path)
    if facts.preconditions and not unmet:
        yield Check("ok", f"every pre-condition of {facts.id} is met", "", facts.path)
    if facts.all_criteria:
        count = f"{len(still_open)} of {len(facts.all_criteria)}"
        yield Check("info", f"{count} acceptance criteria are open", "", facts.story_path)


# The sections in the order in which they are shown: a new one is a function and a line here.
SECTIONS: tuple[tuple[str, str, Callable[[Subject, Figures], Iterator[Check]]], ...] = (
    ("hooks", "Hooks", examine_hook),
    ("session", "Session", examine_session),
    ("tree", "Tree", examine_tree),
    ("layers", "Layers for the next prompt", examine_layer),
    ("authority", "Which article is enforced where", examine_authority),
    ("timing", "Timing", examine_timing),
    ("quality", "Quality", examine_quality),
    ("memory", "Memory", examine_memory),
    ("audit", "Rules in past sessions", examine_audit),
    ("conditions", "Conditions of the task", examine_task_condition),
)
