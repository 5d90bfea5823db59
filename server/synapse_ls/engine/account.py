"""An account of every rule of the tree: in the block, or left out because …

Never on the way of a prompt: this module asks the same ``decide`` about the whole tree and puts
its reasons into phrases.
"""

from __future__ import annotations

from dataclasses import dataclass
from marshal import loads

from synapse_ls.engine.layers.entries import INJECTED, INNER, OUTER
from synapse_ls.engine.layers.workflow import phase_of
from synapse_ls.engine.phrases import Phrase, Told, phrase, told
from synapse_ls.engine.plan import Domain, Plan, Row
from synapse_ls.engine.prompt import is_executed
from synapse_ls.engine.run import Assembly
from synapse_ls.engine.section import Entry, Section
from synapse_ls.engine.selection import Verdict, decide
from synapse_ls.engine.tokens import tokens_of
from synapse_ls.workspace.folders import CARL, TREE

LAYER_NAMES = {
    "L0": "constitution",
    "L1": "global",
    "L2": "agent",
    "L3": "workflow",
    "L4": "task",
    "L5": "squad",
    "L6": "keyword",
    "L7": "star-command",
    "IDENTITY": "core identity",
    "STM": "short-term memory",
    "LTM": "long-term memory",
    "EVENT": "new event",
    "LOG": "event log",
    "CANDIDATES": "promotion candidates",
    "ACCESS": "access patterns",
    "SECTIONS": "sections",
}


@dataclass(frozen=True, slots=True)
class RuleAccount:
    """One rule: ``rendered``, and why; without a remedy where it is rendered.

    ``line`` counts from 1; ``tokens`` is what its line costs in a block.
    """

    domain: str
    key: str
    text: str
    file: str
    line: int
    tokens: int
    rendered: bool
    told: Told

    @property
    def reason(self) -> str:
        """Why, in English."""
        return self.told.reason

    @property
    def remedy(self) -> str:
        """The smallest change, in English; "" where there is none."""
        return self.told.remedy


@dataclass(frozen=True, slots=True)
class DomainAccount:
    """One domain: ``layer`` that takes it ("" where none does), why, and its rules."""

    label: str
    layer: str
    told: Told
    file: str
    manifest: str
    line: int
    rules: tuple[RuleAccount, ...]

    @property
    def reason(self) -> str:
        """Why, in English."""
        return self.told.reason

    @property
    def remedy(self) -> str:
        """The smallest change, in English; "" where there is none."""
        return self.told.remedy

    @property
    def rendered(self) -> int:
        """How many of the rules are in the block."""
        return sum(rule.rendered for rule in self.rules)


def account(plan: Plan, assembly: Assembly) -> tuple[DomainAccount, ...]:
    """The account of every domain and rule, in tree order."""
    accountant = Accountant(plan, assembly)
    return tuple(accountant.of(domain) for domain in plan.domains())


def replaced(plan: Plan) -> tuple[DomainAccount, ...]:
    """The account of what files above the tree say and no prompt is told: a nearer one says it."""
    return tuple(
        _outdone(Domain(loads(packed)), by) for packed, by in plan.extra.get("replaced", ())
    )


def _outdone(domain: Domain, by: str) -> DomainAccount:
    why = told(phrase("nearer", by, domain.name), phrase("move-nearer", by, domain.name))
    return DomainAccount(
        domain.label,
        "",
        why,
        domain.file,
        domain.manifest,
        domain.line + 1,
        tuple(_account_of(domain, row, why) for row in domain.rows),
    )


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
        why = _explain(plan, domain, verdict, assembly)
        return DomainAccount(
            domain.label,
            verdict.layer,
            why,
            domain.file,
            domain.manifest,
            domain.line + 1,
            tuple(_rule(domain, row, verdict, why, assembly, self._fates) for row in domain.rows),
        )


class _Fates:
    """Entries by their place in the tree, and what became of them."""

    def __init__(self, assembly: Assembly) -> None:
        def place(entry: Entry) -> tuple[str, str, int]:
            return entry.domain, entry.file, entry.line

        def told(section: Section) -> list[Entry]:
            return [section.lead, *section.entries] if section.lead else section.entries

        self.sent = {place(e): e for s in assembly.sent for e in told(s)}
        self.wanted = {place(e): e for s in assembly.wanted for e in told(s)}
        self.cut = {place(e) for e in assembly.cut}
        self.limited = {place(e) for e in assembly.limited}
        self.duplicates = {place(loser): winner for loser, winner in assembly.duplicates}


def _rule(
    domain: Domain,
    row: Row,
    verdict: Verdict,
    of_domain: Told,
    assembly: Assembly,
    fates: _Fates,
) -> RuleAccount:
    place = (domain.label, domain.file, row.line)
    entry = fates.sent.get(place)
    if entry is not None:
        why = told(_because(domain, verdict))
    elif place in fates.duplicates:
        winner = fates.duplicates[place]
        why = told(
            phrase("duplicate", winner.name, winner.file),
            phrase("remove-duplicate", f"{winner.file}:{winner.line + 1}"),
        )
    elif place in fates.limited:
        why = told(phrase("too-large"), phrase("shorten-state"))
    elif place in fates.cut:
        bracket = assembly.situation.bracket.name
        why = told(phrase("over-budget", bracket, assembly.budget), phrase("shorten-kept"))
    elif place in fates.wanted:
        why = told(phrase("in-window"))
    elif not verdict.layer:
        why = of_domain
    else:
        why = _not_taken(domain, row, assembly)
    return _account_of(domain, row, why, entry or fates.wanted.get(place), entry is not None)


def _account_of(
    domain: Domain, row: Row, why: Told, line: Entry | None = None, rendered: bool = False
) -> RuleAccount:
    """The account of a rule; ``line`` is what a layer has made of it, if one has."""
    prefix = line.prefix if line else _prefix(domain, row)
    return RuleAccount(
        domain.label,
        row.key or f"{domain.label} line {row.line + 1}",
        row.text,
        domain.file,
        row.line + 1,
        tokens_of(len(prefix) + len(row.text) + 1),
        rendered,
        why,
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


def _not_taken(domain: Domain, row: Row, assembly: Assembly) -> Told:
    """Why a domain that takes part leaves one of its rules out."""
    s = assembly.situation
    if row.kind == "replaced":
        return told(phrase("replaced", row.qualifier))
    if row.kind == "other-mode":
        return told(phrase("other-mode", row.phase, row.qualifier))
    if row.kind not in INJECTED:
        return told(phrase("for-guard"))
    if row.kind == "bracket":
        return told(
            phrase("other-bracket", row.qualifier, s.bracket.name),
            phrase("try-bracket", row.qualifier),
        )
    if row.kind == "command" or domain.role == "commands":
        command = f"*{row.qualifier}"
        if is_executed(row.qualifier):
            return told(phrase("superseded"), phrase("delete-command"))
        return told(phrase("no-command", command), phrase("write-command", command))
    if row.phase:
        return told(
            phrase("other-phase", row.phase, phase_of(domain, s)), phrase("move-phase", row.phase)
        )
    if domain.role in ("identity", "short-term", "memory"):
        return told(phrase("other-part"))
    if assembly.degraded:
        layers = ", ".join(f"{layer}: {why}" for layer, why in assembly.degraded.items())
        return told(phrase("degraded", layers), phrase("report-bug"))
    return told(phrase("not-assembled"), phrase("report-bug"))


def _because(domain: Domain, verdict: Verdict) -> Phrase:
    """Why a domain takes part."""
    match verdict.code:
        case "always":
            return phrase(domain.role)
        case "recall" | "recalled" | "paths" | "recalled-paths" as code:
            return phrase(code, ", ".join(f'"{word}"' for word in verdict.detail))
        case code:
            return phrase(code, *verdict.detail)


def _explain(plan: Plan, domain: Domain, verdict: Verdict, assembly: Assembly) -> Told:
    """Why a domain takes part, or why not and what would change that."""
    if verdict.layer:
        return told(
            phrase("has-commands") if domain.role == "commands" else _because(domain, verdict)
        )
    detail = verdict.detail
    match verdict.code:
        case "inactive" if detail[0] == "session":
            return told(phrase("session-off"), phrase("drop-override", domain.label))
        case "inactive":
            place = f"{domain.manifest}:{domain.line + 1}"
            return told(phrase("inactive", domain.name), phrase("set-active", domain.name, place))
        case "no-file":
            return told(phrase("no-file"), phrase("create-file", _expected(domain)))
        case "overridden":
            return told(phrase("overridden", detail[0]), phrase("extend", domain.name))
        case "independent":
            folder = plan.squads[domain.squad].folder
            return told(phrase("independent", detail[0]), phrase("activate-squad", folder))
        case "asleep":
            return _asleep(plan, assembly, detail)
        case "not-in-process":
            return told(phrase("not-in-process", *detail))
        case "weak-memory":
            return told(phrase("weak-memory", detail[0]), phrase("say-words"))
        case "memory-too-many":
            return told(phrase("memory-too-many", *detail), phrase("more-memories"))
        case "no-words":
            return told(phrase("no-words"), phrase("say-words"))
        case "nobody":
            return told(phrase("nobody"))
        case "excluded":
            return told(phrase("excluded", detail[0]), phrase("drop-exclude"))
        case "excluded-global":
            return told(phrase("excluded-global", detail[0]), phrase("drop-global-exclude"))
        case _:
            return _waiting(domain, assembly)


def _asleep(plan: Plan, assembly: Assembly, detail: tuple[str, ...]) -> Told:
    layer, code, *words = detail
    situation = assembly.situation
    if layer in situation.bracket.layers:
        return told(phrase("other-executor", layer, situation.executor), phrase("change-executor"))
    waking = plan.profile.waking_bracket(layer)
    until = (waking.name, waking.label) if waking else ()
    matched = words[:1] if code in ("recall", "recalled") else ()
    code = f"asleep{'-until' * bool(until)}{'-matched' * bool(matched)}"
    change = phrase("try-bracket", waking.name) if waking else None
    if plan.profile.source == "synapse":
        change = phrase("use-live")
    return told(phrase(code, layer, situation.bracket.name, *until, *matched), change)


def _waiting(domain: Domain, assembly: Assembly) -> Told:
    """What a domain with triggers waits for; the first of them that a person can do is the remedy."""
    s = assembly.situation
    waits: list[tuple[Phrase, Phrase | None]] = []
    if domain.agent:
        now = (
            phrase("other-agent", s.agent, domain.agent)
            if s.agent
            else phrase("no-agent", domain.agent)
        )
        waits.append((now, phrase("activate-agent", domain.agent)))
    if domain.workflow:
        now = (
            phrase("other-workflow", s.workflow_written, domain.workflow)
            if s.workflow
            else phrase("no-workflow", domain.workflow)
        )
        waits.append((now, phrase("start-workflow", domain.workflow)))
    if domain.recall:
        shown = [f'"{word}"' for word in domain.recall[:3]] + ["…"] * (len(domain.recall) > 3)
        waits.append(
            (phrase("no-keyword", ", ".join(shown)), phrase("say-keyword", domain.recall[0]))
        )
    if domain.every_n_turns:
        waits.append((phrase("waits-turns", domain.every_n_turns), None))
    if domain.on_tokens:
        waits.append((phrase("waits-tokens", domain.on_tokens), None))
    if domain.paths:
        waits.append((phrase("waits-paths", ", ".join(domain.paths)), None))
    if not waits:
        return told(phrase("untriggered"), phrase("give-trigger", domain.name))
    return Told(
        tuple(reason for reason, _ in waits), next((change for _, change in waits if change), None)
    )


def _expected(domain: Domain) -> str:
    folder = domain.manifest.rpartition("/")[0] or TREE
    lower = domain.name.lower()
    return f"{folder}/{lower if folder == CARL else lower.replace('_', '-')}"
