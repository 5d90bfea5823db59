"""Find the acts of a session that break a rule's check, and count how often the check applied.

Commands are recognised as by the guard, also nested and spelled differently. A failed act counts as
done, a prevented one not.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from synapse_ls.formats import authority_boundary, rule_syntax
from synapse_ls.formats.rule import Rule
from synapse_ls.guard.action_verdict import judge_action
from synapse_ls.guard.agent_action import WRITE, AgentAction
from synapse_ls.guard.boundary_patterns import (
    DENY,
    Clause,
    Pattern,
    Policy,
    parse_clause,
    parse_pattern,
)
from synapse_ls.text.span import Span


class Act(NamedTuple):
    """What an agent did with a tool, which can be a breach of a check. written: the text that it
    wrote, is_whole: as that of a whole file.
    """

    action: AgentAction
    written: str = ""
    is_whole: bool = False


class Breach(NamedTuple):
    """The position of the act that breaks a check, and what it did."""

    position: int
    what: str


class CheckResult(NamedTuple):
    """How often a check applied, and where its breaches are."""

    applied: int
    breaches: tuple[Breach, ...]


def parse_check_patterns(check: rule_syntax.RuleCheck) -> list[Pattern] | None:
    """Return the patterns of what a check names, to find breaches of it by; None where one of them
    says nothing.
    """
    texts = [text for text in (check.command, check.other) if text]
    if check.glob:
        texts.append(f"write {check.glob}")
    parsed = [parse_pattern(text) for text in texts]
    patterns = [pattern for pattern in parsed if pattern is not None]
    return patterns if patterns and len(patterns) == len(parsed) else None


def find_breaches(check: rule_syntax.RuleCheck, acts: Sequence[Act], root: str) -> CheckResult:
    """Return the breaches of ``check``, where ``acts``, in their order, break it; globs are
    relative to ``root``.
    """
    if (patterns := parse_check_patterns(check)) is None:
        return CheckResult(0, ())
    is_breach, *others = (_matcher(pattern, root) for pattern in patterns)
    if check.kind == rule_syntax.NEVER_RUN:
        # Applied to each command of the same program.
        program = parse_pattern(check.command.split()[0])
        is_of_program = _matcher(program or patterns[0], root)
        runs = [i for i, act in enumerate(acts) if act.action.command and is_of_program(act)]
        applied, broken = len(runs), [i for i in runs if is_breach(acts[i])]
    elif check.kind == rule_syntax.RUN_BEFORE:
        applied, broken = _run_before(acts, is_breach, *others)
    elif check.kind in (rule_syntax.RUN_AFTER, rule_syntax.RUN_AFTER_CHANGES):
        applied, broken = _run_after(acts, is_breach, *others)
    elif check.kind == rule_syntax.NEVER_WRITE:
        # Applied to each act that writes a file.
        broken = [i for i, act in enumerate(acts) if is_breach(act)]
        writes = {i for i, act in enumerate(acts) if WRITE in dict(act.action.files)}
        applied = len(writes.union(broken))
    else:
        # Applied to each file that is written as a whole.
        files = [i for i, act in enumerate(acts) if act.is_whole and is_breach(act)]
        applied, broken = len(files), [i for i in files if check.text not in acts[i].written]
    return CheckResult(applied, tuple(Breach(i, describe_act(acts[i])) for i in broken))


class Prohibition(NamedTuple):
    """A rule that forbids acts in its words. agents: whom it binds, everybody where it is empty;
    free: who may do it all the same.
    """

    key: str
    text: str
    agents: tuple[str, ...]
    free: tuple[str, ...]
    clauses: tuple[Clause, ...]

    def forbids(self, act: Act, agent: str, root: str) -> bool:
        """Return whether it forbids ``agent`` that act."""
        if agent in self.free or (self.agents and agent not in self.agents):
            return False
        return judge_action(Policy("", [*self.clauses]), act.action, root=root).decision == DENY


def parse_prohibition(rule: Rule, owner: str) -> Prohibition | None:
    """Parse what a rule forbids in its words; None where it names no act that can be recognised.

    owner: the agent whose rule it is, "" for everybody's. "Never push" forbids it to these, "Only
    @devops may push" to all others.
    """
    text = rule.text
    kind = "auth" if rule.kind == "auth" else "rule"
    said = Rule(rule.key, kind, None, text, text_span=Span(0, len(text)))
    free, act, patterns = authority_boundary.reserved_acts(text)
    acts = [(act, patterns)] if act else []
    for action in () if act else authority_boundary.boundary_actions(text, said):
        name = action.action.value
        if action.effect == authority_boundary.EXCLUSIVE and owner:
            free = (owner,)
        elif action.effect != authority_boundary.BLOCKED:
            continue
        acts.append((name, authority_boundary.act_patterns(name)))
    clauses = [
        parse_clause(DENY, action, is_pattern=bool(found))
        for name, found in acts
        for action in found or (name,)
    ]
    recognised = tuple(clause for clause in clauses if clause is not None)
    agents = (owner,) if owner and not free else ()
    return Prohibition(rule.key, text, agents, free, recognised) if recognised else None


Matcher = Callable[[Act], bool]


def _matcher(pattern: Pattern, root: str) -> Matcher:
    """Return what tells whether an act is for certain what a pattern names."""
    policy = Policy("", [Clause(DENY, pattern)])
    return lambda act: judge_action(policy, act.action, root=root).decision == DENY


def _run_before(
    acts: Sequence[Act], is_wanted: Matcher, is_other: Matcher
) -> tuple[int, list[int]]:
    """Apply to each run of the other command; what was run before the one before it is used up."""
    applied, broken, has_run = 0, [], False
    for i, act in enumerate(acts):
        has_run = has_run or is_wanted(act)
        if is_other(act):
            applied += 1
            if not has_run:
                broken.append(i)
            has_run = False
    return applied, broken


def _run_after(acts: Sequence[Act], is_wanted: Matcher, is_cause: Matcher) -> tuple[int, list[int]]:
    """Apply to each run of the other command, or change of a file, that nothing is due from."""
    applied, due = 0, -1
    for i, act in enumerate(acts):
        if is_cause(act):
            applied += due < 0
            due = i
        if is_wanted(act):
            due = -1
    return applied, [due] if due >= 0 else []


def describe_act(act: Act) -> str:
    """Describe the act behind a breach: its command, else the files that it wrote, else its
    tool.
    """
    action = act.action
    if action.command:
        return action.command
    written = [path for verb, path in action.files if verb == WRITE]
    return f"write {', '.join(written)}" if written else action.tool
