"""This module answers hovers about a squad: its ``squad.yaml``, and how its manifest extends the
root.
"""

from __future__ import annotations

from synapse_ls.engine.rule_account import Accountant, DomainAccount
from synapse_ls.formats.manifest import ManifestEntry
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.ide.hover_markdown import (
    block_preview,
    code_span,
    entries_of_domains,
    escape_markdown,
    inclusion_sentence,
    line_reference,
)
from synapse_ls.ide.position_lookup import owning_squad
from synapse_ls.ide.tree_view import View
from synapse_ls.text.paragraphs import join_paragraphs
from synapse_ls.text.plural_counts import format_count
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.tree_squads import Squad

_MOST_DOMAINS = 3

_MODE_MEANINGS = {
    "extend": "its domains join those of the root",
    "override": "its active domains take the place of the root's domains of the same name",
    "none": "its domains count only while the squad is active",
}


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Returns the hover for the squad, at its name and at the way it extends the root."""
    document, squad = facts.document, owning_squad(view.tree, facts.path)
    if not isinstance(document, SquadDocument) or squad is None:
        return None
    for text in (document.name, document.extends):
        if text and text.span.touches(offset):
            return text.span, _squad_markdown(view, squad)
    return None


def extends_hover(
    view: View, facts: FileFacts, entry: ManifestEntry, offset: int
) -> tuple[Span, str] | None:
    """Returns the hover for the squad, at the line of its manifest that says how it extends the
    root.
    """
    squad = owning_squad(view.tree, facts.path)
    span = entry.key.span if entry.key.span.touches(offset) else entry.span
    return (span, _squad_markdown(view, squad)) if squad else None


def _squad_markdown(view: View, squad: Squad) -> str:
    """Returns Markdown about what the squad contributes, and the block while it is active."""
    plan = view.plan
    planned = next((row for row in plan.squads if row.folder == squad.folder), None)
    domains = [plan.domain(position) for position in planned.domains] if planned else []
    labels = [domain.label for domain in domains]
    assembly = view.block(squad=squad.folder)
    accountant = Accountant(plan, view.assembly)
    rows = [_domain_row(account) for account in map(accountant.account_of, domains)]
    active = view.assembly.situation.squad == squad.folder
    source = view.assembly.situation.squad_source
    meaning = _MODE_MEANINGS.get(squad.extends, "")
    if squad.has_conflict:
        meaning = f"{meaning}; squad.yaml and the manifest disagree, the former counts"
    return join_paragraphs(
        f"**{escape_markdown(squad.name)}** · squad in {code_span(squad.path)}",
        f"{code_span(squad.extends)}: {meaning}.",
        _shorten_list(rows) or "It has no domains.",
        f"**Active now** (known from the {escape_markdown(source)})."
        if active
        else inclusion_sentence(
            False, "the squad is not active", f"activate it with --squad {squad.folder}"
        ),
        block_preview(
            assembly,
            {"squad": squad.folder},
            entries_of_domains(*labels),
            phrase=f"with the squad {escape_markdown(squad.folder)}",
        )
        if domains
        else "",
    )


def _shorten_list(rows: list[str]) -> str:
    """Returns the first items of a list, and how many more there are."""
    left = len(rows) - _MOST_DOMAINS
    shown = rows if left <= 1 else [*rows[:_MOST_DOMAINS], f"- {left} more"]
    return "\n".join(shown)


def _domain_row(account: DomainAccount) -> str:
    """Returns a domain of a squad as an item of a list."""
    label, rules = escape_markdown(account.label), format_count(len(account.rules), "rule")
    cost = format_count(sum(rule.tokens for rule in account.rules), "token")
    if not account.manifest:
        return f"- {label}: {rules}, {cost}"
    return f"- {label}: {rules}, {cost}, {line_reference(account.manifest, account.line)}"
