"""This module answers hovers in the files of Chati.dev: what of them stands in the block, and what
keeps the rest out.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.plan_rows import PlanDomain, RuleRow
from synapse_ls.engine.reason_phrases import Explanation
from synapse_ls.engine.rule_account import DomainAccount, RuleAccount
from synapse_ls.ide.hover_markdown import (
    EntryFilter,
    block_preview,
    escape_markdown,
    inclusion_sentence,
    line_reference,
)
from synapse_ls.ide.plan_lookup import file_domains, row_at
from synapse_ls.ide.tree_view import View
from synapse_ls.text.paragraphs import join_paragraphs
from synapse_ls.text.plural_counts import format_count
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Returns the hover for the row that a line of Chati.dev's files belongs to; on the first line
    that for the whole file.
    """
    line = facts.lines.line_of(offset)
    found = row_at(view, facts, offset)
    if found is not None:
        return facts.lines.line_span(line), _row_markdown(view, *found)
    domains = file_domains(view, facts)
    if line == 0 and domains:
        told = (_domain_markdown(view.accounts[domain.label]) for domain in domains)
        return facts.lines.line_span(0), join_paragraphs(*told, block_preview(view.assembly, {}))
    return None


def _row_markdown(view: View, domain: PlanDomain, row: RuleRow) -> str:
    account = view.accounts[domain.label]
    found = next((rule for rule in account.rules if rule.key == row.key), None)
    if found is None:
        return _domain_markdown(account)
    head = (
        f"**{escape_markdown(row.key)}** · {escape_markdown(row.group)} of {escape_markdown(domain.label)} · "
        f"{line_reference(domain.file, row.line + 1)} · {format_count(found.tokens, 'token')}"
    )
    situation, phrase = _waking_situation(view, domain, found)
    return join_paragraphs(
        head,
        inclusion_sentence(found.is_rendered, found.reason, found.remedy),
        block_preview(view.block(**situation), situation, _row_filter(row), phrase=phrase),
    )


def _waking_situation(
    view: View, domain: PlanDomain, found: RuleAccount
) -> tuple[dict[str, str], str]:
    """Returns the situation in whose block the row is, {} for the one now, and words for it."""
    if found.is_rendered:
        return {}, ""
    agent = domain.agent
    told: Explanation = found.explanation
    layer = next((p.values[0] for p in told.reasons if p.code.startswith("asleep")), "")
    waking = view.plan.profile.waking_bracket(layer) if layer else None
    bracket = waking.name if waking else ""
    phrase = " ".join(
        part
        for part in (
            f"with @{escape_markdown(agent)}" * bool(agent),
            f"in {bracket}" * bool(bracket),
        )
        if part
    )
    situation = {"agent": agent, "bracket": bracket}
    return {name: value for name, value in situation.items() if value}, phrase


def _domain_markdown(account: DomainAccount) -> str:
    rules = f"{account.rendered_count} of {format_count(len(account.rules), 'rule')}"
    return join_paragraphs(
        f"**{escape_markdown(account.label)}** · {rules} in the block",
        inclusion_sentence(account.rendered_count > 0, account.reason, account.remedy),
    )


def _row_filter(row: RuleRow) -> EntryFilter:
    """Returns a filter for the entry of a row; for the whole section where the heading has the row."""

    def own(section: Section, entry: Entry) -> bool:
        lead = section.lead
        return entry.key == row.key or (lead is not None and lead.key == row.key)

    return own
