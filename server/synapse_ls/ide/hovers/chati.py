"""Hovers in the files of Chati.dev: what of them stands in the block, and what keeps the rest out."""

from __future__ import annotations

from synapse_ls.engine.account import DomainAccount, RuleAccount
from synapse_ls.engine.phrases import Told
from synapse_ls.engine.plan import Domain, Row
from synapse_ls.engine.run import Assembly
from synapse_ls.engine.section import Entry, Section
from synapse_ls.ide.markdown import Own, fate, paragraphs, place, plain, preview
from synapse_ls.ide.rows import domains_of, row_at
from synapse_ls.ide.view import View
from synapse_ls.text.counted import counted
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """The row that a line belongs to; on the first line what becomes of the whole file."""
    line = facts.lines.line_of(offset)
    found = row_at(view, facts, offset)
    if found is not None:
        return facts.lines.line_span(line), _row(view, *found)
    domains = domains_of(view, facts)
    if line == 0 and domains:
        told = (_domain(view.accounts[domain.label]) for domain in domains)
        return facts.lines.line_span(0), paragraphs(*told, preview(view.assembly))
    return None


def _row(view: View, domain: Domain, row: Row) -> str:
    account = view.accounts[domain.label]
    found = next((rule for rule in account.rules if rule.key == row.key), None)
    if found is None:
        return _domain(account)
    head = (
        f"**{plain(row.key)}** · {plain(row.group)} of {plain(domain.label)} · "
        f"{place(domain.file, row.line + 1)} · {counted(found.tokens, 'token')}"
    )
    assembly, inputs = _shown(view, domain, found)
    return paragraphs(
        head,
        fate(found.rendered, found.reason, found.remedy),
        preview(assembly, inputs, _of(row)),
    )


def _shown(view: View, domain: Domain, found: RuleAccount) -> tuple[Assembly, str]:
    """The block now, or the one that would have the row in it."""
    if found.rendered:
        return view.assembly, ""
    agent = domain.agent
    told: Told = found.told
    layer = next((p.values[0] for p in told.because if p.code.startswith("asleep")), "")
    waking = view.plan.profile.waking_bracket(layer) if layer else None
    bracket = waking.name if waking else ""
    if not agent and not bracket:
        return view.assembly, ""
    inputs = " ".join(
        part
        for part in (f"with @{plain(agent)}" * bool(agent), f"in {bracket}" * bool(bracket))
        if part
    )
    return view.block(bracket, agent=agent), inputs


def _domain(account: DomainAccount) -> str:
    rules = f"{account.rendered} of {counted(len(account.rules), 'rule')}"
    return paragraphs(
        f"**{plain(account.label)}** · {rules} in the block",
        fate(account.rendered > 0, account.reason, account.remedy),
    )


def _of(row: Row) -> Own:
    """The entry of a row; of one that the heading tells the whole section."""

    def own(section: Section, entry: Entry) -> bool:
        lead = section.lead
        return entry.key == row.key or (lead is not None and lead.key == row.key)

    return own
