"""Account for every rule of a tree: in the block or not, why, and what would change that.

It asks the ``decide_domain`` of a prompt about the whole tree; never on the path of a prompt.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from marshal import loads
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.engine import context_usage, delivery_difference, prompt_parser
from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.block_sections import INJECTED_KINDS, INNER, OUTER, Entry, Section
from synapse_ls.engine.compiled_plan import DOMAIN_FIELDS, Plan, PlanDomain
from synapse_ls.engine.domain_selection import Verdict, decide_domain
from synapse_ls.engine.profiles import DEFAULT_PROFILE, PROFILE_TABLES
from synapse_ls.engine.reason_phrases import Explanation, Phrase, explain, make_phrase
from synapse_ls.engine.situation import Situation, current_phase
from synapse_ls.formats.rule import Rule
from synapse_ls.text.phrases import join_names
from synapse_ls.workspace.naming_conventions import file_to_create
from synapse_ls.workspace.tree_folders import TREE


class _Explained:
    if TYPE_CHECKING:
        explanation: Explanation

    @property
    def reason(self) -> str:
        """Why, in English."""
        return self.explanation.reason

    @property
    def remedy(self) -> str:
        """The smallest change that would help, in English; "" where there is none."""
        return self.explanation.remedy


@dataclass(frozen=True, slots=True)
class RuleAccount(_Explained):
    """The account of one rule: whether the agent has it (it is in the block, or stands in the
    window that the block is for), and why; without a remedy where it has.

    ``line`` counts from 1; ``tokens`` is what its line costs in a block.
    """

    domain: str
    key: str
    text: str
    file: str
    line: int
    tokens: int
    is_rendered: bool
    explanation: Explanation


@dataclass(frozen=True, slots=True)
class DomainAccount(_Explained):
    """The account of one domain: which layer takes it ("" where none does), why, and what of its
    rules. ``read_by``: the clients that read its file by themselves.
    """

    label: str
    layer: str
    explanation: Explanation
    file: str
    manifest: str
    line: int
    rules: tuple[RuleAccount, ...]
    read_by: tuple[str, ...] = ()

    @property
    def rendered_count(self) -> int:
        """How many of the rules are in the block, or stand in the window."""
        return sum(rule.is_rendered for rule in self.rules)


def account_for_domains(plan: Plan, assembly: Assembly) -> tuple[DomainAccount, ...]:
    """Return the account of every domain and rule, in tree order."""
    return tuple(map(Accountant(plan, assembly).account_of, plan.domains()))


class BlockCounts(NamedTuple):
    """How many domains and rules a tree has, and how many of them the agent has: in the block, or
    standing in the window that the block is for.
    """

    domains: int
    rules: int
    held_domains: int
    held_rules: int


def count_in_block(plan: Plan, assembly: Assembly) -> BlockCounts:
    """Return the counts of what `account_for_domains` accounts for, without the reasons: only
    domains of which something is in the block or in context are looked into.
    """
    fates = _EntryFates(plan, assembly)
    labels = {entry.domain for entry in (*fates.sent.values(), *fates.standing.values())}
    rules, held = 0, []
    for packed in plan.packed:
        fields = loads(packed)
        rules += len(fields[-1])
        if fields[_LABEL] in labels:
            domain = PlanDomain(fields)
            held.append(
                sum(
                    (domain.label, domain.file, rule.line) in fates.sent
                    or fates.standing_entry(domain, rule) is not None
                    for rule in domain.rules
                )
            )
    return BlockCounts(len(plan.packed), rules, sum(count > 0 for count in held), sum(held))


_LABEL = DOMAIN_FIELDS.index("label")


def replaced_domain_accounts(plan: Plan) -> tuple[DomainAccount, ...]:
    """Return the account of what files above the tree say and no prompt gets, because a nearer file
    says it.
    """
    accounts = []
    for packed, by in plan.extra.get("replaced", ()):
        domain = PlanDomain(loads(packed))
        why = explain("nearer", by, domain.name, remedy=make_phrase("move-nearer", by, domain.name))
        rules = tuple(_make_rule_account(domain, rule, why) for rule in domain.rules)
        accounts.append(
            DomainAccount(
                domain.label, "", why, domain.file, domain.manifest, domain.line + 1, rules
            )
        )
    return tuple(accounts)


class Accountant:
    """The accounts of the domains of a plan, each made when it is asked for."""

    def __init__(self, plan: Plan, assembly: Assembly) -> None:
        self._plan = plan
        self._assembly = assembly
        self._fates = _EntryFates(plan, assembly)
        self._verdicts = {
            domain.position: verdict
            for layer_domains in assembly.selection.by_layer.values()
            for domain, verdict in layer_domains
        }

    def account_of(self, domain: PlanDomain) -> DomainAccount:
        """Return the account of one domain and its rules."""
        plan, assembly = self._plan, self._assembly
        verdict = self._verdicts.get(domain.position) or decide_domain(
            plan, domain, assembly.situation, assembly.selection
        )
        why = _explain_domain(plan, domain, verdict, assembly)
        rules = tuple(
            _rule_account(domain, rule, verdict, why, assembly, self._fates)
            for rule in domain.rules
        )
        if not verdict.layer:
            # What is not asked for any more still holds.
            why = next((rule.explanation for rule in rules if rule.is_rendered), why)
        return DomainAccount(
            domain.label,
            verdict.layer,
            why,
            domain.file,
            domain.manifest,
            domain.line + 1,
            rules,
            domain.read_by,
        )


class _EntryFates:
    """The entries by their place in the tree, and what became of them: sent,
    wanted, cut, limited, duplicate. standing: hash -> entry of what stands in the window.
    """

    def __init__(self, plan: Plan, assembly: Assembly) -> None:
        def place(entry: Entry) -> tuple[str, str, int]:
            return entry.domain, entry.file, entry.line

        def all_entries(section: Section) -> list[Entry]:
            return [section.lead, *section.entries] if section.lead else section.entries

        self.sent = {place(e): e for s in assembly.sent_sections for e in all_entries(s)}
        self.wanted = {place(e): e for s in assembly.wanted_sections for e in all_entries(s)}
        self.cut = {place(e) for e in assembly.cut_entries}
        self.cut_explanation = explain_cut(plan, assembly)
        self.limited = {place(e) for e in assembly.limited_entries}
        self.standing = delivery_difference.find_holding_entries(assembly)
        self.duplicates = {place(loser): winner for loser, winner in assembly.duplicates}

    def standing_entry(self, domain: PlanDomain, rule: Rule) -> Entry | None:
        """Return the entry by which a rule stands in the window, None if it does not."""
        entry = self.standing.get(rule.hash)
        return entry if entry is not None and entry.domain == domain.label else None


def _rule_account(
    domain: PlanDomain,
    rule: Rule,
    verdict: Verdict,
    of_domain: Explanation,
    assembly: Assembly,
    fates: _EntryFates,
) -> RuleAccount:
    place = (domain.label, domain.file, rule.line)
    entry = fates.sent.get(place)
    stands = fates.standing_entry(domain, rule)
    if entry is not None:
        why = _explain_participation(domain, verdict, assembly.situation)
    elif place in fates.duplicates:
        winner = fates.duplicates[place]
        why = explain(
            "duplicate",
            winner.name,
            winner.file,
            remedy=make_phrase("remove-duplicate", f"{winner.file}:{winner.line + 1}"),
        )
    elif stands is not None:
        why = explain("told", max(stands.turn, 1))
    elif place in fates.limited and not assembly.follows:
        why = explain("too-large", remedy=make_phrase("shorten-state"))
    elif place in fates.limited or place in fates.cut:
        why = fates.cut_explanation
    elif place in fates.wanted:
        why = explain("in-window")
    elif not verdict.layer:
        why = of_domain
    else:
        why = _explain_missing_rule(domain, rule, assembly)
    has_it = entry is not None or stands is not None
    return _make_rule_account(domain, rule, why, entry or fates.wanted.get(place), has_it)


def _make_rule_account(
    domain: PlanDomain,
    rule: Rule,
    why: Explanation,
    line: Entry | None = None,
    rendered: bool = False,
) -> RuleAccount:
    """Return the account of a rule; ``line`` is what a layer has made of it, if one has."""
    prefix = line.prefix if line else _default_prefix(domain, rule)
    return RuleAccount(
        domain.label,
        rule.key or f"{domain.label} line {rule.line + 1}",
        rule.text,
        domain.file,
        rule.line + 1,
        context_usage.tokens_of_length(len(prefix) + len(rule.text) + 1),
        rendered,
        why,
    )


def _default_prefix(domain: PlanDomain, rule: Rule) -> str:
    """Return what would stand before a rule that no layer has made an entry of."""
    if rule.kind == "auth" and not domain.always_on and domain.squad < 0:
        return f"{INNER}- "
    if domain.role == "constitution":
        indent = INNER if rule.qualifier else OUTER
        return OUTER if rule.kind == "title" else f"{indent}{rule.number_as_written} "
    is_outer = domain.role in ("global", "context") and not rule.group
    return f"{OUTER if is_outer else INNER}{rule.number} "


def _explain_missing_rule(domain: PlanDomain, rule: Rule, assembly: Assembly) -> Explanation:
    """Explain why a domain that takes part leaves one of its rules out."""
    s = assembly.situation
    if rule.kind == "replaced":
        return explain("replaced", rule.qualifier)
    if rule.kind == "other-mode":
        return explain("other-mode", rule.phase, rule.qualifier)
    if rule.kind not in INJECTED_KINDS:
        return explain("for-guard")
    if rule.kind == "bracket":
        return explain(
            "other-bracket",
            rule.qualifier,
            s.bracket.name,
            remedy=make_phrase("try-bracket", rule.qualifier),
        )
    if rule.kind == "command" or domain.role == "commands":
        command = f"*{rule.qualifier}"
        if prompt_parser.is_executed_command(rule.qualifier):
            return explain("superseded", remedy=make_phrase("delete-command"))
        return explain("no-command", command, remedy=make_phrase("write-command", command))
    if rule.phase:
        return explain(
            "other-phase",
            rule.phase,
            current_phase(domain, s),
            remedy=make_phrase("move-phase", rule.phase),
        )
    if domain.role in ("identity", "short-term", "memory"):
        return explain("other-part")
    if assembly.degraded_layers:
        layers = ", ".join(f"{layer}: {why}" for layer, why in assembly.degraded_layers.items())
        return explain("degraded", layers, remedy=make_phrase("report-bug"))
    return explain("not-assembled", remedy=make_phrase("report-bug"))


def _explain_participation(
    domain: PlanDomain, verdict: Verdict, situation: Situation
) -> Explanation:
    """Explain why a domain takes part; where nobody says in whose window, who would not get it."""
    match verdict.code:
        case "always":
            phrase = make_phrase(domain.role)
        case "recall" | "recalled" | "paths" | "recalled-paths" as code:
            phrase = make_phrase(code, ", ".join(f'"{word}"' for word in verdict.detail))
        case code:
            phrase = make_phrase(code, *verdict.detail)
    return Explanation((phrase, *_excepted_clients(domain, situation)))


def _excepted_clients(domain: PlanDomain, situation: Situation) -> Iterator[Phrase]:
    """Yield who would not get the rules of a domain, where nobody says in whose window."""
    if not situation.reader and domain.read_by:
        yield make_phrase("read-by", ", ".join(domain.read_by), domain.file)
    if not situation.reader and domain.elsewhere:
        yield make_phrase("own-by", ", ".join(client for client, _ in domain.elsewhere))


# Why a domain takes no part -> how many details are told of it, and what would change it.
_PLAIN_REASONS = {
    "not-in-process": (None, ""), "on-request": (1, ""), "elsewhere": (2, ""), "nobody": (0, ""),
    "weak-memory": (1, "say-words"), "memory-too-many": (None, "more-memories"),
    "no-words": (0, "say-words"), "excluded": (1, "drop-exclude"),
    "excluded-global": (1, "drop-global-exclude"),
}  # fmt: skip


def _explain_domain(
    plan: Plan, domain: PlanDomain, verdict: Verdict, assembly: Assembly
) -> Explanation:
    """Explain why a domain takes part, or why not and what would change that."""
    if verdict.layer:
        if domain.role == "commands":
            return explain("has-commands")
        return _explain_participation(domain, verdict, assembly.situation)
    refusal = _explain_refusal(plan, domain, verdict, assembly)
    if not domain.on_request:
        excepted = _excepted_clients(domain, assembly.situation)
        refusal = Explanation((*refusal.reasons, *excepted), refusal.remedy_phrase)
    if verdict.code not in ("inactive", "excluded", "excluded-global"):
        return refusal
    is_triggered = not domain.always_on and any(_waiting_triggers(domain, assembly.situation))
    if domain.role or not is_triggered:
        return refusal
    # A person who mends one thing wants to know what is in the way then.
    woken = domain.position in assembly.situation.matches.recall
    later = (
        reason
        for reason in _explain_waiting_triggers(plan, domain, assembly).reasons
        if not (woken and reason.code == "no-keyword")
    )
    return Explanation((*refusal.reasons, *later), refusal.remedy_phrase)


def _explain_refusal(
    plan: Plan, domain: PlanDomain, verdict: Verdict, assembly: Assembly
) -> Explanation:
    code, detail = verdict.code, verdict.detail
    if code == "asleep":
        return _explain_sleeping_layer(plan, assembly, detail)
    if code in _PLAIN_REASONS:
        count, remedy = _PLAIN_REASONS[code]
        reason = make_phrase(code, *detail[:count])
        return Explanation((reason,), make_phrase(remedy) if remedy else None)
    match code:
        case "inactive" if detail[0] == "session":
            return explain("session-off", remedy=make_phrase("drop-override", domain.label))
        case "inactive":
            place = f"{domain.manifest}:{domain.line + 1}"
            return explain(code, domain.name, remedy=make_phrase("set-active", domain.name, place))
        case "native":
            mark = f"!{detail[0]}:"
            agents = [name.removeprefix(mark) for name in domain.native if name.startswith(mark)]
            names = (join_names(agents),) if agents else ()
            phrase = make_phrase(f"{code}-main" if agents else code, detail[0], domain.file, *names)
            return Explanation((phrase,))
        case "no-file":
            folder = domain.manifest.rpartition("/")[0] or TREE
            name = file_to_create(domain.name, folder, in_squad=domain.squad >= 0)
            return explain(code, remedy=make_phrase("create-file", f"{folder}/{name}"))
        case "overridden":
            return explain(code, detail[0], remedy=make_phrase("extend", domain.name))
        case "independent":
            folder = plan.squads[domain.squad].folder
            return explain(code, detail[0], remedy=make_phrase("activate-squad", folder))
        case _:
            return _explain_waiting_triggers(plan, domain, assembly)


def describe_size(assembly: Assembly, tokens: int, grouping: str = ",") -> str:
    """Return how many tokens of how many a block has; grouping: between thousands."""
    if assembly.is_unbounded:
        return f"{tokens:{grouping}} tokens (no limit)"
    return f"{tokens:{grouping}} of {assembly.budget:{grouping}} tokens"


def entry_tokens(entry: Entry) -> int:
    """Return the tokens that the line of an entry takes."""
    return context_usage.tokens_of_length(len(entry.prefix) + len(entry.text) + 1)


def explain_cut(plan: Plan, assembly: Assembly) -> Explanation:
    """Account for a rule that is wanted and cut: why the budget leaves it out, and when it
    comes.
    """
    if assembly.follows:
        return explain("follows")
    is_late = not assembly.has_window and plan.settings.get("injection") != "always"
    code, bracket = "late" if is_late else "over-budget", assembly.situation.bracket.name
    reason = make_phrase(code, bracket, assembly.budget)
    sizes = {
        section.id: sum(map(entry_tokens, section.entries))
        for section in assembly.sent_sections
        if section.id not in plan.profile.unbudgeted
    }
    if not sizes:
        return Explanation((reason,), make_phrase("shorten-state"))
    name, size = max(sizes.items(), key=itemgetter(1))
    remedy = "whole-block" if is_late and plan.profile.name == DEFAULT_PROFILE else "shorten-kept"
    return Explanation((reason,), make_phrase(remedy, name, size, assembly.budget))


def describe_sleeping_layer(plan: Plan, assembly: Assembly, layer: str) -> str:
    """Return, to account for its rules, why a layer gives nothing, and from which bracket on it
    does; "" where it is awake.
    """
    if layer in assembly.selection.awake:
        return ""
    bracket = assembly.situation.bracket
    if layer in bracket.layers:
        return f"not for an executor of type {assembly.situation.executor}"
    waking = plan.profile.waking_bracket(layer, bracket.name)
    until = f" until {waking.name} ({waking.label} left)" if waking else ""
    return f"inactive in {bracket.name}{until}"


def explain_untold_task(plan: Plan, assembly: Assembly) -> Explanation | None:
    """Account for a block that says nothing of the task at work; None where none is, or its layer
    is awake.
    """
    sleeps = "L4" in dict(plan.profile.layers) and "L4" not in assembly.selection.awake
    if assembly.situation.task_facts is None or not sleeps:
        return None
    return _explain_sleeping_layer(plan, assembly, ("L4", "task"))


def _explain_sleeping_layer(plan: Plan, assembly: Assembly, detail: tuple[str, ...]) -> Explanation:
    layer, code, *words = detail
    situation = assembly.situation
    if layer in situation.bracket.layers:
        return explain(
            "other-executor", layer, situation.executor, remedy=make_phrase("change-executor")
        )
    profile = plan.profile
    waking = profile.waking_bracket(layer, situation.bracket.name)
    until = (waking.name, waking.label) if waking else ()
    matched = words[:1] if code in ("recall", "recalled") else ()
    code = f"asleep{'-until' * bool(until)}{'-matched' * bool(matched)}"
    change = make_phrase("try-bracket", waking.name) if waking else None
    if profile.name == "synapse":
        change = make_phrase("use-live")
    elif profile.name not in PROFILE_TABLES:
        change = make_phrase("wake-layer", layer, profile.name, situation.bracket.name)
    return explain(code, layer, situation.bracket.name, *until, *matched, remedy=change)


class _Wait(NamedTuple):
    """What a trigger of a domain waits for, the layer that it would wake it in, and the change that
    a person can make.
    """

    layer: str
    reason: Phrase
    change: Phrase | None = None


def _explain_waiting_triggers(plan: Plan, domain: PlanDomain, assembly: Assembly) -> Explanation:
    """Explain what a domain with triggers waits for, and which layers of these sleep; the first
    change that helps is the remedy.
    """
    waits = list(_waiting_triggers(domain, assembly.situation))
    if domain.squad >= 0:
        waits = [wait._replace(layer="L5") for wait in waits]
    if not waits:
        return explain("untriggered", remedy=make_phrase("give-trigger", domain.name))
    layers = {layer for layer, _ in plan.profile.layers}
    sleeping = {
        layer: _explain_sleeping_layer(plan, assembly, (layer, ""))
        for layer in dict.fromkeys(wait.layer for wait in waits)
        if layer in layers and layer not in assembly.selection.awake
    }
    awake = (wait.change for wait in waits if wait.change and wait.layer not in sleeping)
    asleep = (
        _wake_too(wait.change, sleeping[wait.layer].remedy_phrase)
        for wait in waits
        if wait.change and wait.layer in sleeping
    )
    return Explanation(
        (
            *(wait.reason for wait in waits),
            *(reason for trigger in sleeping.values() for reason in trigger.reasons),
        ),
        next(awake, None) or next(asleep, None),
    )


def _wake_too(change: Phrase, waking: Phrase | None) -> Phrase:
    """Return the change that fires a trigger, joined with the one that wakes its layer."""
    if waking is None or change.code not in ("say-keyword", "start-workflow"):
        return waking or change
    ending = {"try-bracket": "in", "use-live": "live"}.get(waking.code)
    return Phrase(f"{change.code}-{ending}", change.values + waking.values) if ending else waking


def _waiting_triggers(domain: PlanDomain, s: Situation) -> Iterator[_Wait]:
    if domain.agent:
        now = (
            make_phrase("other-agent", s.agent, domain.agent)
            if s.agent
            else make_phrase("no-agent", domain.agent)
        )
        yield _Wait("L2", now, make_phrase("activate-agent", domain.agent))
    if domain.workflow:
        now = (
            make_phrase("other-workflow", s.workflow_written, domain.workflow)
            if s.workflow
            else make_phrase("no-workflow", domain.workflow)
        )
        yield _Wait("L3", now, make_phrase("start-workflow", domain.workflow))
    if domain.recall:
        words = [f'"{word}"' for word in domain.recall[:3]] + ["…"] * (len(domain.recall) > 3)
        change = make_phrase("say-keyword", domain.recall[0])
        yield _Wait("L6", make_phrase("no-keyword", ", ".join(words)), change)
    if domain.every_n_turns:
        yield _Wait("L6", make_phrase("waits-turns", domain.every_n_turns))
    if domain.on_tokens:
        yield _Wait("L6", make_phrase("waits-tokens", domain.on_tokens))
    if domain.paths:
        yield _Wait("L6", make_phrase("waits-paths", ", ".join(domain.paths)))
