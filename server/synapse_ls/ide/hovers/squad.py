"""Hovers about a squad: its ``squad.yaml``, and how its manifest says it meets the root."""

from __future__ import annotations

from synapse_ls.engine.account import Accountant
from synapse_ls.formats.manifest import ManifestEntry
from synapse_ls.formats.squad import SquadDocument
from synapse_ls.ide.lookup import squad_at
from synapse_ls.ide.markdown import code, fate, of_labels, paragraphs, place, plain, preview
from synapse_ls.ide.view import View
from synapse_ls.text.counted import counted
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.squads import Squad

_MODES = {
    "extend": "its domains join those of the root",
    "override": "its active domains take the place of the root's domains of the same name",
    "none": "its domains count only while the squad is active",
}


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """The squad, at its name and at the way it extends the root."""
    document, squad = facts.document, squad_at(view.tree, facts.path)
    if not isinstance(document, SquadDocument) or squad is None:
        return None
    for text in (document.name, document.extends):
        if text and text.span.touches(offset):
            return text.span, _squad(view, squad)
    return None


def of_manifest(
    view: View, facts: FileFacts, entry: ManifestEntry, offset: int
) -> tuple[Span, str] | None:
    """The squad, at the line of its manifest that says how it extends the root."""
    squad = squad_at(view.tree, facts.path)
    span = entry.key.span if entry.key.span.touches(offset) else entry.span
    return (span, _squad(view, squad)) if squad else None


def _squad(view: View, squad: Squad) -> str:
    """What the squad contributes, and the block while it is active."""
    plan = view.plan
    planned = next((row for row in plan.squads if row.folder == squad.folder), None)
    domains = [plan.domain(position) for position in planned.domains] if planned else []
    labels = [domain.label for domain in domains]
    assembly = view.block(squad=squad.folder)
    accountant = Accountant(plan, view.assembly)
    rows = [
        f"- {plain(account.label)}: {counted(len(account.rules), 'rule')}, "
        f"{counted(sum(rule.tokens for rule in account.rules), 'token')}"
        + (f", {place(account.manifest, account.line)}" if account.manifest else "")
        for account in map(accountant.of, domains)
    ]
    active = view.assembly.situation.squad == squad.folder
    source = view.assembly.situation.squad_source
    conflict = "; squad.yaml and the manifest disagree, the former counts"
    return paragraphs(
        f"**{plain(squad.name)}** · squad in {code(squad.path)}",
        f"{code(squad.extends)}: {_MODES.get(squad.extends, '')}{conflict * squad.conflict}.",
        "\n".join(rows) or "It has no domains.",
        "**Active now** (known from the " + plain(source) + ")."
        if active
        else fate(False, "the squad is not active", f"activate it with --squad {squad.folder}"),
        preview(assembly, f"with the squad {plain(squad.folder)}", of_labels(*labels))
        if domains
        else "",
    )
