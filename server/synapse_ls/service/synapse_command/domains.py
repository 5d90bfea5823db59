"""``*synapse domains`` and ``explain``: the domains of the tree, and what becomes of their rules."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from synapse_ls.engine.account import DomainAccount, account
from synapse_ls.service.inventory import tokens_in, wakes_by
from synapse_ls.service.synapse_command.state import block, in_tree, notes
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from synapse_ls.engine.plan import Domain, Plan
    from synapse_ls.service.synapse_command.run import Asked

WORDS = 3  # keywords that stand for all
NAMED = 3  # domains that are left out for one reason and named
REASONS = 2  # reasons for rules left out that a domain's line has room for


def domains(asked: Asked) -> list[str]:
    """Every domain: what wakes it and what it costs; those in this prompt's block first."""
    found = asked.found
    taking_part = {
        domain.position
        for taken in found.assembly.selection.by_layer.values()
        for domain, _ in taken
    }
    every = sorted(found.plan.domains(), key=lambda domain: domain.position not in taking_part)
    return [f"{in_tree(found)}; * takes part in this prompt"] + [
        f"{'* ' if domain.position in taking_part else ''}{_domain(found.plan, domain)}"
        for domain in every
    ]


def explain(asked: Asked) -> list[str]:
    """What is in the block and what is not, domain by domain, each with its reason."""
    found = asked.found
    accounts = account(found.plan, found.assembly)
    inside = [domain for domain in accounts if domain.rendered]
    outside: dict[str, list[DomainAccount]] = {}
    for domain in accounts:
        if not domain.rendered:
            outside.setdefault(domain.reason, []).append(domain)
    return [
        block(found.assembly),
        in_tree(found),
        *(f"in: {_fate(domain)}" for domain in inside),
        *(f"out: {_alike(group)}" for group in outside.values()),
        *notes(found),
    ]


def _domain(plan: Plan, domain: Domain) -> str:
    if not domain.active:
        return f"{domain.label}: switched off"
    wakes = wakes_by(plan, domain) or "nothing wakes it"
    if domain.recall:
        words = ", ".join(f'"{word}"' for word in domain.recall[:WORDS])
        more = ", …" if len(domain.recall) > WORDS else ""
        wakes = wakes.replace("keywords", f"keywords {words}{more}")
    if not domain.file:
        return f"{domain.label}: {wakes}; no rule file"
    cost = f"{counted(len(domain.rows), 'rule')}, {counted(tokens_in(domain), 'token')}"
    return f"{domain.label}: {wakes}; {cost}"


def _alike(group: list[DomainAccount]) -> str:
    """Domains that are left out for one reason."""
    if len(group) == 1:
        return _fate(group[0])
    names = ", ".join(domain.label for domain in group[:NAMED])
    more = f" and {len(group) - NAMED:,} more" if len(group) > NAMED else ""
    rules = counted(sum(len(domain.rules) for domain in group), "rule")
    return f"{names}{more}, {rules}: {group[0].reason}"


def _fate(domain: DomainAccount) -> str:
    """A domain's line: its reason, then the reasons for what is left out of it."""
    total = len(domain.rules)
    count = counted(total, "rule")
    if 0 < domain.rendered < total:
        count = f"{domain.rendered:,} of {count}"
    out = Counter(rule.reason for rule in domain.rules if not rule.rendered)
    if not domain.layer or not out:
        return f"{domain.label}, {count}: {domain.reason}"
    told = [f"{number:,} out ({reason})" for reason, number in out.most_common(REASONS)]
    rest = sum(out.values()) - sum(number for _, number in out.most_common(REASONS))
    if rest:
        told.append(f"{rest:,} out for other reasons")
    return f"{domain.label}, {count}: {', '.join((domain.reason, *told))}"
