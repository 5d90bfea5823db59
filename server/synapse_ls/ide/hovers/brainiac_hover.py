"""This module answers hovers in the files of Brainiac and in files of sections: which part of them
stands in the block, and why.
"""

from __future__ import annotations

from synapse_ls.engine.plan_rows import PlanDomain, RuleRow
from synapse_ls.ide.hover_markdown import (
    block_preview,
    escape_markdown,
    inclusion_sentence,
    line_reference,
)
from synapse_ls.ide.tree_view import View
from synapse_ls.text.paragraphs import join_paragraphs
from synapse_ls.text.plural_counts import format_count
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Returns the hover for the part of a Brainiac file that a line belongs to; nothing for an
    empty line.
    """
    line = facts.lines.line_of(offset)
    span = facts.lines.line_span(line)
    if not span.cut(facts.text).strip():
        return None
    found = [
        (domain, row)
        for domain in view.plan.domains()
        if domain.file == facts.path and (row := _nearest_row(domain, line)) is not None
    ]
    told = [_row_markdown(view, domain, row) for domain, row in found]
    keys = {(domain.label, row.key) for domain, row in found}
    preview = block_preview(view.assembly, {}, lambda _, entry: (entry.domain, entry.key) in keys)
    return (span, join_paragraphs(*told, preview)) if told else None


def _nearest_row(domain: PlanDomain, line: int) -> RuleRow | None:
    """Returns the part that begins last before a line, or the first one."""
    above = [row for row in domain.rows if row.line <= line]
    if not above:
        return domain.rows[0] if domain.rows else None
    return max(above, key=lambda row: row.line)


def _row_markdown(view: View, domain: PlanDomain, row: RuleRow) -> str:
    account = view.accounts[domain.label]
    found = next((one for one in account.rules if one.key == row.key), None)
    if found is None:
        return ""
    name = (
        escape_markdown(row.key)
        if row.key == domain.label
        else f"{escape_markdown(row.key)} of {escape_markdown(domain.label)}"
    )
    head = f"**{name}** · {line_reference(domain.file, row.line + 1)} · {format_count(found.tokens, 'token')}"
    return join_paragraphs(head, inclusion_sentence(found.is_rendered, found.reason, found.remedy))
