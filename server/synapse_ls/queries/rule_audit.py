"""Audit past sessions: how often each checkable rule applied, was followed and was broken.

Of each breach it reports the line in the transcript, and whether the rule was in context then.
Checkable are authority boundaries that the guard understands, and rules with ``{D}_CHECK_n``.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from synapse_ls.engine import block_assembly, rule_account
from synapse_ls.engine.block_sections import INJECTED_KINDS
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.formats.rule_syntax import NEVER_RUN, NEVER_WRITE, RuleCheck, parse_check
from synapse_ls.guard.agent_action import READ, WRITE, AgentAction
from synapse_ls.guard.boundary_patterns import ALLOW, ASK, DENY, EXCLUSIVE
from synapse_ls.guard.check_breaches import (
    Act,
    describe_act,
    find_breaches,
    parse_check_patterns,
    parse_prohibition,
)
from synapse_ls.hooks.boundary_verdict import judge_use
from synapse_ls.integrations import client_registry, tool_uses, transcript_formats, transcript_turns
from synapse_ls.queries import report_model, session_lookup
from synapse_ls.queries.session_replay import (
    CUT,
    LOG,
    LOST,
    REPLAY,
    TOLD,
    TRANSCRIPT,
    UNTOLD,
    ReplayStep,
    ToldWindow,
    recorded_session,
    replay_session,
    session_ids,
    windows_of_turn,
)
from synapse_ls.storage import editor_cache, injection_log
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.text.fast_json import dumps
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.regular_files import open_stream
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import rules_in
from synapse_ls.workspace.tree_loader import load_tree


def find_lines(path: str, acts: Sequence[Act]) -> list[int]:
    """Find the place in a transcript of each of ``acts``, which are in its order: the line in which
    it stands, from 1; 0 for one that stands nowhere.

    A command is looked for as a whole value, so that a prompt that mentions it is not taken for it.
    """
    with open_stream(path) as stream:
        lines = stream.readlines()
    places = []
    at = 0
    used: set[str] = set()  # what was found in the line `at`
    for act in acts:
        name = _name_of(act)
        start = at + (name in used)
        place = next(
            (n for needles in _needles(act, name) for n in _lines_with(lines, needles, start)), None
        )
        if place is None:
            places.append(0)
            continue
        used = {*used, name} if place == at else {name}
        at = place
        places.append(place + 1)
    return places


def _lines_with(lines: Sequence[bytes], needles: Sequence[bytes], start: int) -> Iterator[int]:
    for number in range(start, len(lines)):
        if any(needle in lines[number] for needle in needles):
            yield number


def _name_of(act: Act) -> str:
    """Return what an act stands in a transcript with: its command, its first file or its tool."""
    return act.action.command or next((path for _, path in act.action.files), act.action.tool)


def _needles(act: Act, name: str) -> Iterator[list[bytes]]:
    """Yield what to look for: the name as a value, also of JSON within a string, or the end of one;
    then the name anywhere.
    """
    try:
        words = shlex.split(name)
    except ValueError:
        words = []
    # A client may spell a list of words as a shell's command line.
    is_shell = len(words) == 3 and words[1] in ("-c", "-lc")
    names = (name, words[2]) if is_shell else (name,)
    spelled = {dumps(text, None, ascii=kind) for text in names for kind in (False, True)}
    quoted = [*spelled, *(dumps(spelling, None)[1:-1] for spelling in spelled)]
    if not act.action.command and act.action.files:
        quoted = [text.lstrip('\\"') for text in quoted]  # paths are relative to the project
    yield [text.encode() for text in quoted]
    yield [text[1:-1].encode() for text in spelled]


YOUNGER = "younger"
NOT_FOR_AGENTS = "not-for-agents"
ASLEEP = "asleep"

# Of the past, in which sessions count unless something else is said.
DEFAULT_DAYS = 7.0

# How clients say that a tool was not let happen.
_PREVENTED = ("PreToolUse", "hook error", "was denied", "has been denied", "rejected by")


@dataclass(frozen=True, kw_only=True)
class BreachReport:
    """A breach in the report of an audit, an act that broke a rule: its place in the transcript,
    who did it, and whether the rule stood in the agent's window (`standing`): "told", "cut", "lost"
    (by a compaction), "asleep", "untold", "younger" (the rule's file was changed since) or
    "not-for-agents" (a boundary of the guard alone). `time`: that of the prompt.
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
    """A rule in the report of an audit, by what it can be checked, and how it fared. `check` is a
    check as written, or the patterns of a boundary; `told` the key of the rule that agents are
    told, null where there is none. `undecided`: how often it applied, and a transcript cannot tell
    whether it was followed.
    """

    key: str
    told: str | None
    file: str = field(metadata=report_model.URI)
    line: int = field(metadata=report_model.LINE)
    text: str
    check: str
    applied: int
    followed: int
    broken: int
    undecided: int
    remedy: str
    breaches: list[BreachReport]


@dataclass(frozen=True, kw_only=True)
class AuditReport:
    """The report of an audit: what past sessions say of the rules. `unchecked` counts the rules
    that nothing can check; `evidence` says of each transcript what shows what was told:
    "transcript", "log" or "replay".
    """

    transcripts: list[str]
    evidence: list[str]
    turns: int
    acts: int
    unchecked: int
    rules: list[AuditedRuleReport]


@dataclass
class _AuditedRule:
    """What is audited: the rule that an agent is told, "" for none, with its check or boundary, and
    how it fared.
    """

    key: str
    told_key: str
    file: str
    line: int
    text: str
    condition: str
    check: RuleCheck | None
    applied: int = 0
    undecided: int = 0
    breaches: list[BreachReport] = field(default_factory=list)


class _Moment(NamedTuple):
    """An act of a session: its number among them, the step that it belongs to, what stood in the
    window, and what shows that.
    """

    position: int
    act: Act
    error: str
    step: ReplayStep
    window: ToldWindow
    evidence: str

    @property
    def agent(self) -> str:
        """Who did it, "" for nobody in particular."""
        return self.step.assembly.situation.agent if self.step.assembly else ""


def audit_tree(
    root: str,
    paths: Sequence[str] | None = None,
    *,
    since: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> AuditReport:
    """Audit past sessions, the transcripts ``paths`` or those of the sessions that the tree knows,
    and keep what became of each rule for editors.

    since: seconds since the epoch, after which such a session was used; a week ago unless given.
    progress: is called with how many of how many transcripts were read. A file that is no
    transcript counts for nothing. Raises OSError for one that cannot be read.
    """
    if paths is None:
        until = time.time() - DEFAULT_DAYS * 86400.0 if since is None else since
        # The transcripts of the past sessions of the tree that were used since then and that
        # there still are, the latest first.
        transcript_paths = (
            window.transcript[0]
            for info, session in session_lookup.load_answered_sessions(root)
            if info.last_activity >= until
            for _, window in session.windows()
        )
        paths = [path for path in dict.fromkeys(transcript_paths) if path and os.path.isfile(path)]
    auditor = Auditor(load_tree(root, LoadScope.ALL).tree, load_plan(root).with_all_files().plan)
    for number, path in enumerate(paths):
        if progress:
            progress(number, len(paths))
        with open_stream(path) as stream:
            reader = transcript_formats.find_reader(stream.read(transcript_formats.HEAD_BYTES))
        host = client_registry.load_client(reader.client) if reader else None
        if reader is None or host is None:
            continue
        ids = session_ids(path)
        with open_stream(path) as stream:
            turns = reader.read_turns(transcript_turns.read_lines(stream))
            steps = list(replay_session(root, turns, host, recorded_session(root, ids)))
        log = [reply for reply in injection_log.read_replies(root) if reply.get("session") in ids]
        auditor.add_session(path, steps, sorted(log, key=lambda record: float(record["time"])))
    report = auditor.report()
    histories = []
    for rule in report.rules:
        times = [breach.time for breach in rule.breaches if breach.time]
        history = editor_cache.RuleHistory(rule.applied, rule.broken, max(times, default=""))
        # Under the key of its check and of what agents are told.
        histories += [(rule.file, key, history) for key in {rule.key, rule.told or rule.key}]
    editor_cache.write_histories(root, histories)
    return report


# What broke a rule, when, and with what.
_Breach = tuple[_AuditedRule, _Moment, str]


class Auditor:
    """An audit of how the rules of a tree fared in past sessions."""

    def __init__(self, tree: Tree, plan: Plan) -> None:
        self._tree = tree
        self._plan = plan
        self._texts = {
            row.key: row.text for domain in plan.domains() for row in domain.rules if row.key
        }
        checks = {rule.key: rule for rule in self._list_checks()}
        self._rules = {**checks, **self._list_boundaries()}
        self._told_keys = {rule.told_key for rule in self._rules.values()}
        prohibitions = (
            parse_prohibition(row, domain.agent)
            for domain in plan.domains()
            for row in domain.rules
            if row.kind in INJECTED_KINDS
        )
        self._prohibitions = [prohibition for prohibition in prohibitions if prohibition]
        self._transcripts: list[str] = []
        self._evidence: list[str] = []
        self._turns = self._acts = 0

    def add_session(
        self, path: str, steps: Sequence[ReplayStep], log: Sequence[injection_log.Record]
    ) -> None:
        """Count a session, and judge what was done in it: where its transcript is, its steps, and
        what the log has of it, the oldest record first.
        """
        # What says best what was told: the transcript, the log, or else a replay.
        evidence = LOG if log else REPLAY
        if any(step.turn.injected for step in steps):
            evidence = TRANSCRIPT
        moments = list(self._list_moments(steps, evidence, [*log]))
        self._transcripts.append(path)
        self._evidence.append(evidence)
        self._turns += len(steps)
        self._acts += len(moments)
        done = [m for m in moments if not any(mark in m.error[:300] for mark in _PREVENTED)]
        breaches = [*self._judge_checks(done), *self._judge_boundaries(done)]
        last = max((moment.position for _, moment, _ in breaches), default=-1)
        lines = find_lines(path, [m.act for m in moments[: last + 1]]) if breaches else []
        for rule, moment, what in breaches:
            standing, why, remedy = self._explain_breach(rule, moment)
            moment_time = moment.step.turn.time
            rule.breaches.append(
                BreachReport(
                    transcript=path,
                    line=lines[moment.position],
                    turn=moment.step.number,
                    time=None if moment_time is None else session_lookup.format_time(moment_time),
                    agent=moment.agent or None,
                    what=what,
                    standing=standing,
                    why=why,
                    remedy=remedy,
                )
            )

    def report(self) -> AuditReport:
        """Return the report of all sessions."""
        unchecked = sum(
            row.kind in INJECTED_KINDS and row.kind != "title" and row.key not in self._told_keys
            for domain in self._plan.domains()
            for row in domain.rules
        )
        return AuditReport(
            transcripts=self._transcripts,
            evidence=self._evidence,
            turns=self._turns,
            acts=self._acts,
            unchecked=unchecked,
            rules=[_rule_report(rule) for rule in self._rules.values()],
        )

    def _list_checks(self) -> Iterator[_AuditedRule]:
        for domain in self._tree.domains:
            facts = self._tree.snapshot.facts(domain.file) if domain.file else None
            rules = rules_in(facts.document) if facts else ()
            injected = {rule.index: rule for rule in reversed(rules) if rule.kind in INJECTED_KINDS}
            for rule in rules:
                check = parse_check(rule.text) if rule.kind == "check" else None
                if facts and check and parse_check_patterns(check):
                    checked = injected.get(rule.index)
                    yield _AuditedRule(
                        rule.key,
                        checked.key if checked else "",
                        facts.path,
                        rule.line + 1,
                        checked.text if checked else "",
                        rule.text,
                        check,
                    )

    def _list_boundaries(self) -> dict[str, _AuditedRule]:
        rules: dict[str, _AuditedRule] = {}
        for _, owner, wording, action, machine, _, key, file, line in self._plan.boundaries:
            if wording not in (DENY, EXCLUSIVE) or not (owner or machine):
                continue
            if key in rules:
                rules[key].condition += f", {action}"
                continue
            is_told = key in self._texts and not ("_DENY_" in key or "_ALLOW_" in key)
            rules[key] = _AuditedRule(
                key, key if is_told else "", file, line + 1, self._texts.get(key, ""), action, None
            )
        return rules

    def _list_moments(
        self, steps: Sequence[ReplayStep], evidence: str, log: list[injection_log.Record]
    ) -> Iterator[_Moment]:
        window = ToldWindow()
        numbers = count()
        for step in steps:
            turn = step.turn
            windows = windows_of_turn(step, window, evidence, log)
            for use, standing in zip(turn.uses, windows, strict=True):
                if use.tool:
                    # A use of a tool as the guard sees it.
                    root = self._plan.root
                    tool = tool_uses.normalise_tool_name(use.tool)
                    edited = () if tool in tool_uses.READING_TOOLS else turn.edited
                    files = [
                        (WRITE if path in edited else READ, _relative(path, root))
                        for path in use.files
                    ]
                    action = AgentAction(
                        command=use.command,
                        files=() if use.command and not use.written else files,
                        tool=use.tool,
                    )
                    act = Act(action, use.written, use.is_whole)
                    yield _Moment(next(numbers), act, use.error, step, standing, evidence)

    def _judge_checks(self, moments: Sequence[_Moment]) -> Iterator[_Breach]:
        acts = [moment.act for moment in moments]
        for rule in self._rules.values():
            if rule.check is not None:
                breaches = find_breaches(rule.check, acts, self._plan.root)
                rule.applied += breaches.applied
                yield from ((rule, moments[b.position], b.what) for b in breaches.breaches)

    def _judge_boundaries(self, moments: Sequence[_Moment]) -> Iterator[_Breach]:
        """Ask the guard, as its hook would have, and yield what breaks a rule. Of what belongs to
        another agent that is only what no rule of the agent's own forbids.
        """
        for moment in moments:
            judged: set[str] = set()
            while moment.step.assembly is not None:
                verdict = judge_use(
                    self._plan,
                    moment.step.assembly.situation,
                    moment.act.action,
                    project_root=self._plan.root,
                    mode="warn",
                    without=judged,
                )
                clause = verdict.clause
                rule = self._rules.get(clause.key) if clause else None
                if clause is None or rule is None:
                    break
                is_first = not judged
                judged.add(clause.key)
                if is_first or (verdict.decision != ALLOW and clause.effect != EXCLUSIVE):
                    rule.applied += 1
                    rule.undecided += verdict.decision == ASK
                    if verdict.decision == DENY:
                        yield rule, moment, verdict.subject or describe_act(moment.act)
                if verdict.decision == ALLOW:
                    break

    def _explain_breach(self, rule: _AuditedRule, moment: _Moment) -> tuple[str, str, str]:
        """Return whether the agent had a rule before it, why, and what would change that."""
        key = rule.told_key
        is_shown = moment.evidence != REPLAY
        standing = moment.window.standing_of(key, self._texts.get(key, "")) if key else UNTOLD
        if standing != TOLD and is_shown and (other := self._find_prohibition(rule, moment)):
            return TOLD, f"{other} forbids it too, and was in context", _stopping_remedy(rule)
        if not key:
            remedy = f"Write the rule that it checks: `{rule.key.replace('_CHECK_', '_RULE_')}`."
            if rule.check is None:
                remedy = (
                    'Set `[guard] mode = "enforce"` to have it stopped, or write a rule that says '
                    "it."
                )
            return NOT_FOR_AGENTS, "no agent gets it", remedy
        if standing == UNTOLD or (standing in (TOLD, LOST) and not is_shown):
            # Whether the rule's file was changed after the turn.
            turn = moment.step.turn
            facts = self._tree.snapshot.facts(rule.file)
            if facts and turn.time is not None and facts.mtime_ns / 1e9 > turn.time:
                return YOUNGER, *_SENTENCES[YOUNGER]
            asleep = self._explain_absence(key, moment.step.assembly, is_shown=is_shown)
            if standing == UNTOLD and asleep:
                return ASLEEP, *asleep
            standing = UNTOLD
        if standing == TOLD:
            return TOLD, "the rule was in context", _stopping_remedy(rule)
        why, remedy = _SENTENCES[standing]
        if standing == CUT and not is_shown:
            why = "nothing shows what was injected, and today's tree has no room for the rule there"
        return standing, why, remedy

    def _find_prohibition(self, rule: _AuditedRule, moment: _Moment) -> str:
        """Return the name of another rule that forbids the act of a breach and stood in the window;
        "" for none. The rule that was broken forbids one as well: a check may only say when.
        """
        if rule.check is not None and rule.check.kind not in (NEVER_RUN, NEVER_WRITE):
            return ""
        return next(
            (
                other.key or f"“{other.text}”"
                for other in self._prohibitions
                if other.forbids(moment.act, moment.agent, self._plan.root)
                and moment.window.standing_of(other.key or other.text, other.text) == TOLD
            ),
            "",
        )

    def _explain_absence(
        self, key: str, assembly: block_assembly.Assembly | None, *, is_shown: bool
    ) -> tuple[str, str] | None:
        """Return why the engine leaves a rule out in that situation, and what would change that.

        is_shown: whether something shows that the rule was not told.
        """
        absent = "today's tree does not inject the rule there"
        left_out = "the rule was not injected" if is_shown else absent
        accounts = rule_account.account_for_domains(self._plan, assembly) if assembly else ()
        for domain in accounts:
            for rule in domain.rules:
                if rule.key == key and not rule.is_rendered:
                    why = rule.explanation
                    return f"{left_out}, since {why.reason}", _capitalize(why.remedy)
        return None


def _stopping_remedy(rule: _AuditedRule) -> str:
    """Return what to do about a rule that was broken although it was told."""
    if (check := rule.check) is None:
        return 'Say it in fewer words, or have the guard stop it: `[guard] mode = "enforce"`.'
    if check.kind not in (NEVER_RUN, NEVER_WRITE):
        return "Say it in fewer words; a hook of git or a job in CI can see to it, too."
    domain = rule.key.rpartition("_CHECK_")[0]
    action = check.command if check.kind == NEVER_RUN else f"write {check.glob}"
    return (
        f"Say it in fewer words, or have the guard stop it: `{domain}_DENY_0={action}` and "
        '`[guard] mode = "enforce"`.'
    )


_SENTENCES: Mapping[str, tuple[str, str]] = {
    CUT: (
        "the rule was cut, since the bracket's budget had no room for it",
        "Shorten the rules beside it, or mark its domain NON_NEGOTIABLE.",
    ),
    LOST: (
        "the rule was lost by a compaction, and not injected again since",
        "`synapse doctor` says whether the client calls the hook after a compaction.",
    ),
    UNTOLD: (
        "nothing shows that the rule was injected, though today's tree injects it in that "
        "situation",
        "`synapse doctor` says whether the client calls the hook.",
    ),
    YOUNGER: (
        "the rule's file was changed after this prompt, and nothing shows that the rule was "
        "injected",
        "Nothing is to be done if the rule is newer than the session.",
    ),
}


def _rule_report(rule: _AuditedRule) -> AuditedRuleReport:
    # What to do about a rule goes by the standing of most of its breaches.
    remedy = "" if rule.applied else "Nothing in these sessions was about it."
    if rule.applied and rule.breaches:
        standings = [breach.standing for breach in rule.breaches]
        most = max(dict.fromkeys(standings), key=standings.count)
        remedy = rule.breaches[standings.index(most)].remedy
    broken = len(rule.breaches)
    return report_model.report_of(
        AuditedRuleReport,
        rule,
        told=rule.told_key or None,
        check=rule.condition,
        followed=max(0, rule.applied - broken - rule.undecided),
        broken=broken,
        remedy=remedy,
    )


def _relative(path: str, root: str) -> str:
    return os.path.relpath(path, root) if path.startswith(root + os.sep) else path


def _capitalize(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""
