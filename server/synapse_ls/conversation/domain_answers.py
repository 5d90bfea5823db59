"""This module answers ``*synapse domains`` and ``explain``: the domains of the tree, and what
becomes of their rules.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from synapse_ls.conversation.status_answers import block_line, note_lines, tree_line
from synapse_ls.engine.rule_account import Accountant, DomainAccount, account_for_domains
from synapse_ls.queries.domain_summary import describe_triggers, domain_tokens
from synapse_ls.queries.rule_lookup import explain_hit, find_rules, rule_place
from synapse_ls.storage.user_error import UserError
from synapse_ls.text.plural_counts import format_count

if TYPE_CHECKING:
    from synapse_ls.conversation.synapse_commands import CommandRequest
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.plan_rows import PlanDomain
    from synapse_ls.hooks.block_composition import ComposedBlock
    from synapse_ls.queries.rule_lookup import LookupHit

MAX_KEYWORDS = 3  # keywords that stand for all
MAX_NAMED = 3  # domains that are left out for one reason and named
MAX_REASONS = 2  # reasons for rules left out that a domain's line has room for


def answer_domains(request: CommandRequest) -> list[str]:
    """Answers ``*synapse domains``: lists every domain: what wakes it and what it costs; those in
    this prompt's block first.
    """
    found = request.composed
    taking_part = {
        domain.position
        for taken in found.assembly.selection.by_layer.values()
        for domain, _ in taken
    }
    every = sorted(found.plan.domains(), key=lambda domain: domain.position not in taking_part)
    return [f"{tree_line(found)}; * takes part in this prompt"] + [
        f"{'* ' if domain.position in taking_part else ''}{_domain_line(found.plan, domain)}"
        for domain in every
    ]


def answer_explain(request: CommandRequest) -> list[str]:
    """Answers ``*synapse explain``: lists what is in the block (or the window) and what is not,
    domain by domain, each with its reason; with a name only what goes by it.
    """
    unknown = []
    if request.argument:
        try:
            return answer_why(request)
        except UserError as error:
            unknown = [error.sentence]
    found = request.composed
    accounts = account_for_domains(found.plan, found.assembly)
    inside = [domain for domain in accounts if domain.rendered_count]
    outside: dict[str, list[DomainAccount]] = {}
    for domain in accounts:
        if not domain.rendered_count:
            outside.setdefault(domain.reason, []).append(domain)
    return [
        *unknown,
        block_line(found.assembly),
        tree_line(found),
        *(f"in: {_account_line(domain)}" for domain in inside),
        *(f"out: {_group_line(group)}" for group in outside.values()),
        *note_lines(found),
    ]


def answer_why(request: CommandRequest) -> list[str]:
    """Answers ``*synapse why``: says of a rule, a domain, a memory or a part of a text whether the
    agent has it, and why.
    """
    if not request.argument:
        return ["Name a rule, a domain, *command, file:line, or a part of the text."]
    found = request.composed
    wanted = request.argument.strip("\"'“”‘’` \t.,;!?")
    hits = _find_agent(found, wanted) or find_rules(
        found.plan, found.assembly, wanted, session=request.session
    )
    lines = []
    for domain, rule in hits:
        is_told, explanation = explain_hit((domain, rule))
        name = rule.key if rule else _account_name(domain)
        lines.append(f"{name} is {'in' if is_told else 'out'}: {explanation.reason}")
        if rule is not None:
            lines.append(f"{rule_place([rule])}: {rule.text}")
        if explanation.remedy and not is_told:
            lines.append(f"remedy: {explanation.remedy}")
    return lines


def _find_agent(found: ComposedBlock, wanted: str) -> list[LookupHit]:
    """Returns the domains that wait for an agent ``@id``."""
    accountant = Accountant(found.plan, found.assembly)
    return [
        (accountant.account_of(domain), None)
        for domain in found.plan.domains()
        if wanted[:1] == "@" and domain.agent == wanted[1:].lower()
    ]


def _account_name(domain: DomainAccount) -> str:
    inside, total = domain.rendered_count, len(domain.rules)
    return f"{domain.label} ({inside:,} of {format_count(total, 'rule')})"


def _domain_line(plan: Plan, domain: PlanDomain) -> str:
    if not domain.active:
        return f"{domain.label}: switched off"
    wakes = describe_triggers(plan, domain) or "nothing wakes it"
    if domain.recall:
        words = ", ".join(f'"{word}"' for word in domain.recall[:MAX_KEYWORDS])
        more = ", …" if len(domain.recall) > MAX_KEYWORDS else ""
        wakes = wakes.replace("keywords", f"keywords {words}{more}")
    if not domain.file:
        return f"{domain.label}: {wakes}; no rule file"
    cost = (
        f"{format_count(len(domain.rows), 'rule')}, {format_count(domain_tokens(domain), 'token')}"
    )
    return f"{domain.label}: {wakes}; {cost}"


def _group_line(group: list[DomainAccount]) -> str:
    """Returns one line for the domains that are left out for one reason."""
    if len(group) == 1:
        return _account_line(group[0])
    names = ", ".join(domain.label for domain in group[:MAX_NAMED])
    more = f" and {len(group) - MAX_NAMED:,} more" if len(group) > MAX_NAMED else ""
    rules = format_count(sum(len(domain.rules) for domain in group), "rule")
    return f"{names}{more}, {rules}: {group[0].reason}"


def _account_line(domain: DomainAccount) -> str:
    """Returns a domain's line: its reason, then the reasons for what is left out of it."""
    total = len(domain.rules)
    count = format_count(total, "rule")
    if 0 < domain.rendered_count < total:
        count = f"{domain.rendered_count:,} of {count}"
    out = Counter(rule.reason for rule in domain.rules if not rule.is_rendered)
    if not domain.layer or not out:
        return f"{domain.label}, {count}: {domain.reason}"
    told = [f"{number:,} out ({reason})" for reason, number in out.most_common(MAX_REASONS)]
    rest = sum(out.values()) - sum(number for _, number in out.most_common(MAX_REASONS))
    if rest:
        told.append(f"{rest:,} out for other reasons")
    return f"{domain.label}, {count}: {', '.join((domain.reason, *told))}"
