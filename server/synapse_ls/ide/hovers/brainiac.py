"""Hovers in the files of Brainiac and in files of sections: what of them stands in the text, and why."""

from __future__ import annotations

from synapse_ls.engine.plan import Domain, Row
from synapse_ls.ide.markdown import fate, paragraphs, place, plain, preview
from synapse_ls.ide.view import View
from synapse_ls.text.counted import counted
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """The part of a file that a line belongs to; of an empty line nothing."""
    line = facts.lines.line_of(offset)
    span = facts.lines.line_span(line)
    if not span.cut(facts.text).strip():
        return None
    told = [
        _part(view, domain, row)
        for domain in view.plan.domains()
        if domain.file == facts.path and (row := _row_at(domain, line)) is not None
    ]
    return (span, paragraphs(*told, preview(view.assembly))) if told else None


def _row_at(domain: Domain, line: int) -> Row | None:
    """The part that begins last before a line, or the first one."""
    above = [row for row in domain.rows if row.line <= line]
    if not above:
        return domain.rows[0] if domain.rows else None
    return max(above, key=lambda row: row.line)


def _part(view: View, domain: Domain, row: Row) -> str:
    account = view.accounts[domain.label]
    found = next((one for one in account.rules if one.key == row.key), None)
    if found is None:
        return ""
    name = (
        plain(row.key) if row.key == domain.label else f"{plain(row.key)} of {plain(domain.label)}"
    )
    head = f"**{name}** · {place(domain.file, row.line + 1)} · {counted(found.tokens, 'token')}"
    return paragraphs(head, fate(found.rendered, found.reason, found.remedy))
