"""This module audits past sessions: how often each rule that can be checked applied, was followed and
was broken, and whether the agent had it before it when it broke it.

Rules that can be checked are the authority boundaries that the guard understands, and those with a
check (``{D}_CHECK_n``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.engine.rule_account import account_for_domains
from synapse_ls.engine.rule_entries import INJECTED_KINDS
from synapse_ls.formats.rule_check import RuleCheck, parse_check
from synapse_ls.guard.agent_action import READ, WRITE, AgentAction
from synapse_ls.guard.boundary_clauses import DENY
from synapse_ls.guard.check_breaches import Act, describe_act, find_breaches, parse_check_patterns
from synapse_ls.hooks.boundary_verdict import judge_use
from synapse_ls.integrations import tool_files
from synapse_ls.integrations.turn_reader import read_lines
from synapse_ls.queries.report_model import LINE, URI
from synapse_ls.queries.session_report import format_time
from synapse_ls.queries.window_history import (
    CUT,
    LOST,
    TOLD,
    UNTOLD,
    ToldWindow,
    find_evidence,
    windows_of_turn,
)
from synapse_ls.text.fast_json import dumps
from synapse_ls.workspace.regular_files import open_stream
from synapse_ls.workspace.tree_domains import rules_in

if TYPE_CHECKING:
    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.formats.rule_syntax import Rule
    from synapse_ls.integrations.transcript_turn import ToolStep, Turn
    from synapse_ls.queries.session_replay import ReplayStep
    from synapse_ls.storage.injection_log import Record
    from synapse_ls.workspace.rule_tree import Tree

YOUNGER = "younger"
NOT_FOR_AGENTS = "not-for-agents"
ASLEEP = "asleep"

_PREVENTED = ("PreToolUse", "hook error", "was denied", "has been denied", "rejected by")
"""How clients say that a tool was not let happen."""


@dataclass(frozen=True, kw_only=True)
class BreachReport:
    """An act that broke a rule: its place in the transcript, who did it, and whether the rule stood in
    the agent's window (`standing`): "told", "cut", "lost" (by a compaction), "asleep", "untold",
    "younger" (the rule's file was changed since) or "not-for-agents" (a boundary of the guard alone).
    """

    transcript: str
    line: int
    turn: int
    time: str | None
    agent: str | None
    what: str
    standing: str
    why: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class AuditedRuleReport:
    """A rule that can be checked, by what, and how it fared. `check` is a check as written, or the
    pattern of a boundary; `told` the key of the rule that agents are told, null where there is none.
    """

    key: str
    told: str | None
    file: str = field(metadata=URI)
    line: int = field(metadata=LINE)
    text: str
    check: str
    applied: int
    followed: int
    broken: int
    remedy: str
    breaches: list[BreachReport]


@dataclass(frozen=True, kw_only=True)
class AuditReport:
    """What past sessions say of the rules. `unchecked` counts the rules that nothing can check;
    `evidence` says of each transcript what shows what was told: "transcript", "log" or "replay".
    """

    transcripts: list[str]
    evidence: list[str]
    turns: int
    acts: int
    unchecked: int
    rules: list[AuditedRuleReport]


class AuditedSession(NamedTuple):
    """A session to be audited: where its transcript is, its steps, and what the log has of it, the
    oldest record first.
    """

    path: str
    steps: Sequence[ReplayStep]
    log: Sequence[Record]


class _Subject(NamedTuple):
    """What is audited: the rule that an agent is told, "" for none, and its check or boundary."""

    key: str
    told_key: str
    file: str
    line: int
    text: str
    said: str
    check: RuleCheck | None


class _Moment(NamedTuple):
    """An act of a session: the turn that it belongs to, who did it, and what stood in the window."""

    act: Act
    error: str
    turn: Turn
    number: int
    agent: str
    window: ToldWindow
    assembly: Assembly | None


class _Tally:
    def __init__(self, subject: _Subject) -> None:
        self.subject = subject
        self.applied = self.stopped = 0
        self.breaches: list[BreachReport] = []


def audit_sessions(tree: Tree, plan: Plan, sessions: Iterable[AuditedSession]) -> AuditReport:
    """Returns how the rules of ``tree`` fared in past sessions."""
    auditor = _Auditor(tree, plan)
    for session in sessions:
        auditor.add_session(session)
    return auditor.report()


class _Auditor:
    def __init__(self, tree: Tree, plan: Plan) -> None:
        self._tree = tree
        self._plan = plan
        self._texts = {
            row.key: row.text for domain in plan.domains() for row in domain.rows if row.key
        }
        checks = {subject.key: _Tally(subject) for subject in self._list_checks()}
        self._tallies = {**checks, **{s.key: _Tally(s) for s in self._list_boundaries()}}
        self._told_keys = {tally.subject.told_key for tally in self._tallies.values()}
        self._transcripts: list[str] = []
        self._evidence: list[str] = []
        self._turns = self._acts = 0

    def add_session(self, session: AuditedSession) -> None:
        """Counts a session, and judges what was done in it."""
        log = [*session.log]
        evidence = find_evidence([step.turn for step in session.steps], log)
        moments = list(self._list_moments(session, evidence, log))
        self._transcripts.append(session.path)
        self._evidence.append(evidence)
        self._turns += len(session.steps)
        self._acts += len(moments)
        done = [moment for moment in moments if not _was_prevented(moment.error)]
        self._judge_checks(session.path, done)
        for moment in moments:
            self._judge_boundary(session.path, moment)

    def report(self) -> AuditReport:
        """Returns the report of all sessions."""
        unchecked = sum(
            row.kind in INJECTED_KINDS and row.kind != "title" and row.key not in self._told_keys
            for domain in self._plan.domains()
            for row in domain.rows
        )
        return AuditReport(
            transcripts=self._transcripts,
            evidence=self._evidence,
            turns=self._turns,
            acts=self._acts,
            unchecked=unchecked,
            rules=[_rule_report(tally) for tally in self._tallies.values()],
        )

    def _list_checks(self) -> Iterator[_Subject]:
        for domain in self._tree.domains:
            facts = self._tree.snapshot.facts(domain.file) if domain.file else None
            rules = rules_in(facts.document) if facts else ()
            for rule in rules:
                check = parse_check(rule.text) if rule.kind == "check" else None
                if facts and check and parse_check_patterns(check):
                    checked = _checked_rule(rule, rules)
                    told = checked.key if checked else ""
                    text = checked.text if checked else ""
                    yield _Subject(
                        rule.key, told, facts.path, rule.line + 1, text, rule.text, check
                    )

    def _list_boundaries(self) -> Iterator[_Subject]:
        seen = set()
        for _, owner, said, action, machine, _, key, file, line in self._plan.boundaries:
            if said in ("deny", "exclusive") and (owner or machine) and key not in seen:
                seen.add(key)
                told = key if key in self._texts and not _is_for_guard(key) else ""
                yield _Subject(key, told, file, line + 1, self._texts.get(key, ""), action, None)

    def _list_moments(
        self, session: AuditedSession, evidence: str, log: list[Record]
    ) -> Iterator[_Moment]:
        window = ToldWindow()
        for step in session.steps:
            turn, made = step.turn, step.assembly
            agent = made.situation.agent if made else ""
            windows = windows_of_turn(step, window, evidence, log)
            for use, standing in zip(turn.uses, windows, strict=True):
                if use.tool:
                    act = _act_of(use, turn, self._plan.root)
                    yield _Moment(act, use.error, turn, step.number, agent, standing, made)

    def _judge_checks(self, path: str, moments: Sequence[_Moment]) -> None:
        acts = [moment.act for moment in moments]
        for tally in self._tallies.values():
            if tally.subject.check is None:
                continue
            found = find_breaches(tally.subject.check, acts, self._plan.root)
            tally.applied += found.applied
            for breach in found.breaches:
                self._add_breach(tally, path, moments[breach.position], breach.what)

    def _judge_boundary(self, path: str, moment: _Moment) -> None:
        """Asks the guard, as its hook would have, and counts what it says against a rule."""
        if moment.assembly is None:
            return
        verdict = judge_use(
            self._plan,
            moment.assembly.situation,
            moment.act.action,
            project_root=self._plan.root,
            mode="warn",
        )
        clause = verdict.clause
        tally = self._tallies.get(clause.key) if clause else None
        if tally is None:
            return
        tally.applied += 1
        if verdict.decision != DENY or _was_prevented(moment.error):
            return
        self._add_breach(tally, path, moment, verdict.subject or describe_act(moment.act))

    def _add_breach(self, tally: _Tally, path: str, moment: _Moment, what: str) -> None:
        standing, why, remedy = self._explain_breach(tally.subject, moment)
        here = [one for one in tally.breaches if one.transcript == path]
        last = here[-1] if here else None
        tally.breaches.append(
            BreachReport(
                transcript=path,
                line=find_line(path, moment.act, last.line if last else 0),
                turn=moment.number,
                time=format_time(moment.turn.time) if moment.turn.time is not None else None,
                agent=moment.agent or None,
                what=what,
                standing=standing,
                why=why,
                remedy=remedy,
            )
        )

    def _explain_breach(self, subject: _Subject, moment: _Moment) -> tuple[str, str, str]:
        """Returns whether the agent had a rule before it, why, and what would change that."""
        key = subject.told_key
        if not key:
            return NOT_FOR_AGENTS, *_SENTENCES[NOT_FOR_AGENTS]
        standing = moment.window.standing_of(key, self._texts.get(key, ""))
        if standing == UNTOLD:
            if self._is_younger(subject, moment.turn):
                return YOUNGER, *_SENTENCES[YOUNGER]
            if asleep := self._explain_absence(key, moment.assembly):
                return ASLEEP, *asleep
        return standing, *_SENTENCES[standing]

    def _is_younger(self, subject: _Subject, turn: Turn) -> bool:
        """Returns whether the rule's file was changed after the turn."""
        facts = self._tree.snapshot.facts(subject.file)
        return bool(facts and turn.time is not None and facts.mtime_ns / 1e9 > turn.time)

    def _explain_absence(self, key: str, assembly: Assembly | None) -> tuple[str, str] | None:
        """Returns why the engine leaves a rule out in that situation, and what would change that."""
        if assembly is None:
            return None
        for domain in account_for_domains(self._plan, assembly):
            for rule in domain.rules:
                if rule.key == key and not rule.is_rendered:
                    why = rule.explanation
                    return f"the rule was not told, since {why.reason}", _capitalize(why.remedy)
        return None


def find_line(path: str, act: Act, after: int = 0) -> int:
    """Returns the line of a transcript in which an act first stands behind line ``after``, from 1; 0
    where there is none.
    """
    named = act.action.command or next((path for _, path in act.action.files), act.action.tool)
    needles = {dumps(named, None, ascii=kind)[1:-1].encode() for kind in (False, True)}
    with open_stream(path) as stream:
        for number, line in enumerate(read_lines(stream), 1):
            if number > after and any(needle in line for needle in needles):
                return number
    return 0


_SENTENCES: Mapping[str, tuple[str, str]] = {
    TOLD: (
        "the rule stood in the agent's window",
        'Say it in fewer words, or let the guard stop it: a rule `DENY`, and `[guard] mode = "enforce"`.',
    ),
    CUT: (
        "the rule was cut, since the bracket's budget had no room for it",
        "Shorten the rules beside it, or mark its domain NON_NEGOTIABLE.",
    ),
    LOST: (
        "the rule was lost by a compaction, and not told again since",
        "`synapse doctor` says whether the client calls the hook after a compaction.",
    ),
    UNTOLD: (
        "nothing shows that the rule was told, though today's tree tells it in that situation",
        "`synapse doctor` says whether the client calls the hook.",
    ),
    YOUNGER: (
        "the rule's file was changed since, and nothing shows that the rule was told then",
        "Nothing is to be done if the rule is newer than the session.",
    ),
    NOT_FOR_AGENTS: (
        "no agent is told of it",
        'Set `[guard] mode = "enforce"` to have it stopped, or write the rule that it checks.',
    ),
}


def _rule_report(tally: _Tally) -> AuditedRuleReport:
    subject, broken = tally.subject, len(tally.breaches)
    return AuditedRuleReport(
        key=subject.key,
        told=subject.told_key or None,
        file=subject.file,
        line=subject.line,
        text=subject.text,
        check=subject.said,
        applied=tally.applied,
        followed=max(0, tally.applied - broken),
        broken=broken,
        remedy=_rule_remedy(tally),
        breaches=tally.breaches,
    )


def _rule_remedy(tally: _Tally) -> str:
    """Returns what to do about a rule: by the standing of most of its breaches."""
    if not tally.applied:
        return "Nothing in these sessions was about it."
    if not tally.breaches:
        return ""
    standings = [breach.standing for breach in tally.breaches]
    most = max(dict.fromkeys(standings), key=standings.count)
    return next(breach.remedy for breach in tally.breaches if breach.standing == most)


def _checked_rule(check: Rule, rules: Iterable[Rule]) -> Rule | None:
    """Returns the rule with the number of a check."""
    return next(
        (rule for rule in rules if rule.kind in INJECTED_KINDS and rule.index == check.index), None
    )


def _is_for_guard(key: str) -> bool:
    """Returns whether a key is that of a rule which only the guard reads."""
    return "_DENY_" in key or "_ALLOW_" in key


def _act_of(use: ToolStep, turn: Turn, root: str) -> Act:
    """Returns a use of a tool as the guard sees it."""
    tool = tool_files.normalise_tool_name(use.tool)
    is_reading = tool in tool_files.READING_TOOLS
    files = [
        (WRITE if path in turn.edited and not is_reading else READ, _relative(path, root))
        for path in use.files
    ]
    action = AgentAction(
        command=use.command, files=() if use.command and not use.written else files, tool=use.tool
    )
    return Act(action, use.written, use.is_whole)


def _relative(path: str, root: str) -> str:
    return os.path.relpath(path, root) if path.startswith(root + os.sep) else path


def _was_prevented(error: str) -> bool:
    """Returns whether a client says that a tool was not let happen."""
    return any(mark in error[:300] for mark in _PREVENTED)


def _capitalize(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""
