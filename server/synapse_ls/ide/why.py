"""What a place in a file is about, and what becomes of that: a rule, or a domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.engine.account import Accountant
from synapse_ls.formats.manifest import Manifest
from synapse_ls.ide.lookup import declared_label, rule_at
from synapse_ls.ide.rows import row_at
from synapse_ls.text.lines import LineIndex
from synapse_ls.workspace.systems import chati

if TYPE_CHECKING:
    from synapse_ls.engine.account import DomainAccount, RuleAccount
    from synapse_ls.engine.run import Assembly
    from synapse_ls.ide.view import View
    from synapse_ls.workspace.facts import FileFacts

    Found = tuple[DomainAccount, RuleAccount | None]


def why_at(view: View, assembly: Assembly, facts: FileFacts, offset: int) -> list[Found]:
    """The accounts of what stands at ``offset``, in the block of ``assembly``.

    A rule; a domain of the manifest; elsewhere in a file of rules the domains that it serves.
    """
    plan = view.plan
    accountant = Accountant(plan, assembly)
    if isinstance(facts.document, Manifest):
        entry = facts.document.entry_at(offset)
        label = declared_label(view.tree, facts.path, entry.domain) if entry else ""
        position = plan.labels.get(label)
        return [] if position is None else [(accountant.of(plan.domain(position)), None)]
    domains = [accountant.of(domain) for domain in plan.domains() if domain.file == facts.path]
    if facts.kind in chati.PLANNED:
        row = row_at(view, facts, offset)
        key = row[1].key if row else ""
        told = [(domain, rule) for domain in domains for rule in domain.rules if rule.key == key]
        return [*told] or [(domain, None) for domain in domains]
    rule = rule_at(facts, offset)
    if rule is None:
        return [(domain, None) for domain in domains]
    line = LineIndex(facts.text).line_of(rule.span.start) + 1
    return [(domain, found) for domain in domains for found in domain.rules if found.line == line]
