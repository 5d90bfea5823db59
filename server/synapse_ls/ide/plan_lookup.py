"""This module finds what the plan has for a place in a file: the row at a line of a Chati file, and
the accounts that say why a rule or domain is in the block or left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.engine.plan_rows import PlanDomain, RuleRow
from synapse_ls.engine.rule_account import Accountant
from synapse_ls.formats.manifest import Manifest
from synapse_ls.ide.file_languages import MARKDOWN_KINDS
from synapse_ls.ide.position_lookup import domain_label, rule_at
from synapse_ls.ide.tree_view import View
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.systems import chati_places

if TYPE_CHECKING:
    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.rule_account import DomainAccount, RuleAccount

    AccountPair = tuple[DomainAccount, RuleAccount | None]


_ITEM_GROUPS = ("rule", "item", "handoff", "summary", "article")
"""Groups of rows of which each item of a list is one; those of the others take in the whole list."""


def file_domains(view: View, facts: FileFacts) -> tuple[PlanDomain, ...]:
    """Looks up the domains of the plan that have a file as their source."""
    plan, path = view.plan, facts.path
    return plan.keep(
        ("domains of a file", path),
        lambda: tuple(domain for domain in plan.domains() if domain.file == path),
    )


def row_at(view: View, facts: FileFacts, offset: int) -> tuple[PlanDomain, RuleRow] | None:
    """Looks up the row of the plan that the line of ``offset`` belongs to, with its domain, or
    None.
    """
    line = facts.lines.line_of(offset)
    for domain in file_domains(view, facts):
        row = _row_at(facts, domain, line)
        if row is not None:
            return domain, row
    return None


def _row_at(facts: FileFacts, domain: PlanDomain, line: int) -> RuleRow | None:
    """Returns the row whose place in the file includes a line."""
    rows = sorted(domain.rows, key=lambda row: row.line)
    above = [row for row in rows if row.line <= line]
    if facts.kind in MARKDOWN_KINDS:
        return _under_heading(facts, rows, above, line)
    if not above:
        return None
    row = above[-1]
    return row if _is_below(facts, row, line) else None


def _under_heading(
    facts: FileFacts, rows: list[RuleRow], above: list[RuleRow], line: int
) -> RuleRow | None:
    """Returns the row of a line in Markdown, where a row reaches from the heading above it to the
    next one.
    """
    if _line_text(facts, line).startswith("#"):
        below = next((row for row in rows if row.line >= line), None)
        reached = below is not None and not any(
            _line_text(facts, number).startswith("#") for number in range(line + 1, below.line)
        )
        return below if reached else None
    if not above or any(
        _line_text(facts, number).startswith("#") for number in range(above[-1].line + 1, line + 1)
    ):
        return None
    return above[-1]


def _is_below(facts: FileFacts, row: RuleRow, line: int) -> bool:
    """Returns whether a line of YAML belongs to what begins with a row's first line."""
    first = _line_text(facts, row.line)
    depth = _indent_width(first)
    for number in range(row.line + 1, line + 1):
        text = _line_text(facts, number)
        if not text.strip():
            continue
        continues = row.group not in _ITEM_GROUPS and first.lstrip().startswith("- ")
        continues = continues and text.lstrip().startswith("- ")
        if _indent_width(text) < depth or (_indent_width(text) == depth and not continues):
            return False
    return True


def _line_text(facts: FileFacts, line: int) -> str:
    return facts.lines.line_span(line).cut(facts.text)


def _indent_width(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def accounts_at(view: View, assembly: Assembly, facts: FileFacts, offset: int) -> list[AccountPair]:
    """Looks up in the plan the accounts of what stands at ``offset``, in the block of ``assembly``.

    These are the account of a rule, that of a domain of the manifest, or elsewhere in a rule file
    those of the domains that the file serves.
    """
    plan = view.plan
    accountant = Accountant(plan, assembly)
    if isinstance(facts.document, Manifest):
        entry = facts.document.entry_at(offset)
        label = domain_label(view.tree, facts.path, entry.domain) if entry else ""
        position = plan.labels.get(label)
        return [] if position is None else [(accountant.account_of(plan.domain(position)), None)]
    domains = [
        accountant.account_of(domain) for domain in plan.domains() if domain.file == facts.path
    ]
    if facts.kind in chati_places.PLAN_KINDS:
        row = row_at(view, facts, offset)
        key = row[1].key if row else ""
        told = [(domain, rule) for domain in domains for rule in domain.rules if rule.key == key]
        return [*told] or [(domain, None) for domain in domains]
    rule = rule_at(facts, offset)
    if rule is None:
        return [(domain, None) for domain in domains]
    line = LineIndex(facts.text).line_of(rule.span.start) + 1
    return [(domain, found) for domain in domains for found in domain.rules if found.line == line]
