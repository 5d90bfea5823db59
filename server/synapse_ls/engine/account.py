"""An account of every rule of the tree: in the block, or left out because …

Never on the way of a prompt: this module asks the same ``decide`` about the whole tree and puts
its reasons into sentences.
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.engine.layers.entries import INJECTED, INNER, OUTER
from synapse_ls.engine.layers.workflow import phase_of
from synapse_ls.engine.plan import Domain, Plan, Row
from synapse_ls.engine.prompt import is_executed
from synapse_ls.engine.run import Assembly
from synapse_ls.engine.section import Entry
from synapse_ls.engine.selection import Verdict, decide
from synapse_ls.engine.tokens import tokens_of

LAYER_NAMES = {
    "L0": "constitution",
    "L1": "global",
    "L2": "agent",
    "L3": "workflow",
    "L4": "task",
    "L5": "squad",
    "L6": "keyword",
    "L7": "star-command",
}
ALWAYS = {
    "constitution": "the constitution holds always",
    "global": "it holds for every prompt",
    "context": "it is for the current bracket",
}


@dataclass(frozen=True, slots=True)
class RuleAccount:
    """One rule: ``rendered``, why, and the smallest remedy ("" where it is rendered).

    ``line`` counts from 1; ``tokens`` is what its line costs in a block.
    """

    domain: str
    key: str
    text: str
    file: str
    line: int
    tokens: int
    rendered: bool
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class DomainAccount:
    """One domain: ``layer`` that takes it ("" where none does), why, and its rules."""

    label: str
    layer: str
    reason: str
    remedy: str
    file: str
    manifest: str
    line: int
    rules: tuple[RuleAccount, ...]

    @property
    def rendered(self) -> int:
        """How many of the rules are in the block."""
        return sum(rule.rendered for rule in self.rules)


def account(plan: Plan, assembly: Assembly) -> tuple[DomainAccount, ...]:
    """The account of every domain and rule, in tree order."""
    accountant = Accountant(plan, assembly)
    return tuple(accountant.of(domain) for domain in plan.domains())


class Accountant:
    """Accounts for the domains of a plan one by one, as they are asked for."""

    def __init__(self, plan: Plan, assembly: Assembly) -> None:
        self._plan = plan
        self._assembly = assembly
        self._fates = _Fates(assembly)
        self._verdicts = {
            domain.position: verdict
            for taken in assembly.selection.by_layer.values()
            for domain, verdict in taken
        }

    def of(self, domain: Domain) -> DomainAccount:
        """The account of one domain and its rules."""
        plan, assembly = self._plan, self._assembly
        verdict = self._verdicts.get(domain.position) or decide(
            plan, domain, assembly.situation, assembly.selection
        )
        reason, remedy = explain(plan, domain, verdict, assembly)
        return DomainAccount(
            domain.label,
            verdict.layer,
            reason,
            remedy,
            domain.file,
            domain.manifest,
            domain.line + 1,
            tuple(
                _rule(domain, row, verdict, (reason, remedy), assembly, self._fates)
                for row in domain.rows
            ),
        )


class _Fates:
    """Entries by their place in the tree, and what became of them."""

    def __init__(self, assembly: Assembly) -> None:
        def place(entry: Entry) -> tuple[str, str, int]:
            return entry.domain, entry.file, entry.line

        self.sent = {place(e): e for s in assembly.sent for e in s.entries}
        self.wanted = {place(e): e for s in assembly.wanted for e in s.entries}
        self.cut = {place(e) for e in assembly.cut}
        self.limited = {place(e) for e in assembly.limited}
        self.duplicates = {place(loser): winner for loser, winner in assembly.duplicates}


def _rule(
    domain: Domain,
    row: Row,
    verdict: Verdict,
    domain_reason: tuple[str, str],
    assembly: Assembly,
    fates: _Fates,
) -> RuleAccount:
    place = (domain.label, domain.file, row.line)
    entry = fates.sent.get(place)
    if entry is not None:
        reason, remedy = _because(domain, verdict), ""
    elif place in fates.duplicates:
        winner = fates.duplicates[place]
        reason = f"the same text stands as {winner.name} in {winner.file}"
        remedy = f"remove one of the two ({winner.file}:{winner.line + 1})"
    elif place in fates.limited:
        reason = "cut: the block is larger than the client accepts"
        remedy = "shorten or split the rules of this state"
    elif place in fates.cut:
        budget = assembly.budget
        reason = f"cut: {assembly.situation.bracket.name} has a budget of {budget} tokens"
        remedy = "shorten rules that are kept, or mark the domain _NON_NEGOTIABLE=true"
    elif place in fates.wanted:
        reason, remedy = "stands in the agent's window already", ""
    elif not verdict.layer:
        reason, remedy = domain_reason
    else:
        reason, remedy = _not_taken(domain, row, assembly)
    told = entry or fates.wanted.get(place)
    prefix = told.prefix if told else _prefix(domain, row)
    return RuleAccount(
        domain.label,
        row.key or f"{domain.label} line {row.line + 1}",
        row.text,
        domain.file,
        row.line + 1,
        tokens_of(len(prefix) + len(row.text) + 1),
        entry is not None,
        reason,
        remedy,
    )


def _prefix(domain: Domain, row: Row) -> str:
    """What would stand before a rule that no layer has made an entry of."""
    if row.kind == "auth" and not domain.always_on and domain.squad < 0:
        return f"{INNER}- "
    if domain.role == "constitution" and row.qualifier:
        return (
            OUTER
            if row.kind == "title"
            else f"{INNER}{'-' if row.index is None else f'{row.index}.'} "
        )
    is_outer = domain.role in ("constitution", "global", "context") and not row.group
    return f"{OUTER if is_outer else INNER}{row.number} "


def _not_taken(domain: Domain, row: Row, assembly: Assembly) -> tuple[str, str]:
    """Why a domain that takes part leaves one of its rules out."""
    s = assembly.situation
    if row.kind not in INJECTED:
        return "read by the guard, not told to the agent", ""
    if row.kind == "bracket":
        return (
            f"it is for {row.qualifier}; the bracket is {s.bracket.name}",
            f"try --bracket {row.qualifier}",
        )
    if row.kind == "command" or domain.role == "commands":
        name = row.qualifier
        if is_executed(name):
            return "superseded: Synapse LS itself carries out *synapse …", "delete it from the tree"
        return f"the prompt does not say *{name}", f"write *{name} in the prompt"
    if row.phase:
        return (
            f"it is for phase {row.phase}; the phase is {phase_of(domain, s)}",
            f"move the workflow on to {row.phase}",
        )
    if assembly.degraded:
        layers = ", ".join(f"{layer}: {why}" for layer, why in assembly.degraded.items())
        return f"its layer could not be assembled ({layers})", "report this as a bug"
    return "its section was not assembled", "report this as a bug"


def _because(domain: Domain, verdict: Verdict) -> str:
    words = ", ".join(f'"{word}"' for word in verdict.detail)
    return {
        "always": ALWAYS.get(domain.role, ""),
        "always-on": "always on",
        "agent": f"agent @{words.strip(chr(34))} is active",
        "workflow": f"workflow {words.strip(chr(34))} is active",
        "recall": f"the prompt says {words}",
        "recalled": f"a recent prompt said {words}",
        "turns": f"every {words.strip(chr(34))} prompts",
        "tokens": f"more than {words.strip(chr(34))} tokens are used",
        "paths": f"{words} was touched or mentioned",
        "squad-active": f"squad {words.strip(chr(34))} is active",
        "on-command": "the prompt asks for the command",
    }[verdict.code]


def explain(plan: Plan, domain: Domain, verdict: Verdict, assembly: Assembly) -> tuple[str, str]:
    """(reason, remedy) for a domain: a sentence each, the remedy "" where it takes part."""
    if verdict.layer:
        if domain.role == "commands":
            return "its commands are told when a prompt asks for them", ""
        return _because(domain, verdict), ""
    detail = verdict.detail
    match verdict.code:
        case "inactive" if detail[0] == "session":
            return (
                "switched off for this session",
                f"drop the session's override {domain.label}_STATE",
            )
        case "inactive":
            return (
                f"{domain.name}_STATE is not active",
                f"set {domain.name}_STATE=active in {domain.manifest}:{domain.line + 1}",
            )
        case "no-file":
            return "it has no rule file", f"create {_expected(domain)}"
        case "overridden":
            return (
                f"squad domain {detail[0]} overrides it while that one is active",
                f"set extends to extend, or mark {domain.name}_NON_NEGOTIABLE=true",
            )
        case "independent":
            return (
                f"squad {detail[0]} is independent (extends: none) and not active",
                f"activate the squad, for example with --squad {plan.squads[domain.squad].folder}",
            )
        case "asleep":
            return _asleep(plan, assembly, detail)
        case "excluded":
            return (
                f'the prompt says "{detail[0]}", which excludes it',
                "take the word out of _EXCLUDE",
            )
        case "excluded-global":
            return (
                f'the prompt says "{detail[0]}", which stops all recall',
                "take the word out of GLOBAL_EXCLUDE",
            )
        case _:
            return _waiting(domain, assembly)


def _asleep(plan: Plan, assembly: Assembly, detail: tuple[str, ...]) -> tuple[str, str]:
    layer, code, *words = detail
    bracket = assembly.situation.bracket
    waking = plan.profile.waking_bracket(layer)
    executor = assembly.situation.executor
    if layer in bracket.layers:
        return f"{layer} is not for an executor of type {executor}", "change the executor's type"
    trigger = f' ("{words[0]}" matches)' if code in ("recall", "recalled") and words else ""
    until = f" until {waking.name} ({waking.label} left)" if waking else ""
    return (
        f"{layer} sleeps in {bracket.name}{until}{trigger}",
        'set profile = "synapse-live" in .synapse/config.toml',
    )


def _waiting(domain: Domain, assembly: Assembly) -> tuple[str, str]:
    """What a domain with triggers waits for."""
    s = assembly.situation
    waits: list[tuple[str, str]] = []
    if domain.agent:
        now = f"@{s.agent} is" if s.agent else "no agent is"
        waits.append((f"{now} active, not @{domain.agent}", f"activate @{domain.agent}"))
    if domain.workflow:
        now = f"{s.workflow_written} is" if s.workflow else "no workflow is"
        waits.append((f"{now} active, not {domain.workflow}", f"start workflow {domain.workflow}"))
    if domain.recall:
        shown = ", ".join(f'"{word}"' for word in domain.recall[:3])
        waits.append(
            (
                f"the prompt has none of its keywords ({shown}{', …' * (len(domain.recall) > 3)})",
                f"say {shown.split(', ')[0]} in the prompt",
            )
        )
    if domain.every_n_turns:
        waits.append((f"it is told every {domain.every_n_turns} prompts", ""))
    if domain.on_tokens:
        waits.append((f"fewer than {domain.on_tokens} tokens are known to be used", ""))
    if domain.paths:
        waits.append((f"no file of {', '.join(domain.paths)} was touched or mentioned", ""))
    if not waits:
        return (
            "nothing can wake it: it has no trigger, no keywords and is not always on",
            f"give it {domain.name}_RECALL, a trigger, or {domain.name}_ALWAYS_ON=true",
        )
    return "; ".join(reason for reason, _ in waits), next((r for _, r in waits if r), "")


def _expected(domain: Domain) -> str:
    folder = domain.manifest.rpartition("/")[0] or ".synapse"
    return f"{folder}/{domain.name.lower().replace('_', '-')}"
