"""``9 rules · 195 tokens · awake in FRESH MODERATE …``: what something contributes."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.plan import Domain
from synapse_ls.ide.lenses import places
from synapse_ls.ide.lenses.lens import Told
from synapse_ls.ide.view import View
from synapse_ls.ide.waking import awake_in, is_on, planned
from synapse_ls.text.counted import counted
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind


def domains(view: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Domains, but for star-commands, each of which has its own."""
    if facts.kind is not FileKind.COMMANDS:
        yield from places.domains(view, facts)


def of_domain(view: View, facts: FileFacts, label: str) -> Told | None:
    """A domain; a click goes from the manifest to its file, and back."""
    found = planned(view, label)
    account = view.accounts.get(label) if found else None
    if found is None or account is None:
        return None
    if not account.file:
        return Told("no rule file")
    there = account.manifest if facts.path == account.file else account.file
    cost = sum(rule.tokens for rule in account.rules)
    title = " · ".join(
        (
            counted(len(account.rules), "rule"),
            counted(cost, "token"),
            _awake(view, found) if is_on(found) else "inactive",
        )
    )
    return Told(title, "synapse.open", {"path": there}) if there else Told(title)


def _awake(view: View, domain: Domain) -> str:
    brackets = awake_in(view, domain)
    if not brackets:
        return "nothing wakes it"
    if len(brackets) == len(view.plan.profile.brackets):
        return "awake in every bracket"
    return f"awake in {' '.join(bracket.name for bracket in brackets)}"


def of_bracket(view: View, _: FileFacts, name: str) -> Told | None:
    """A bracket: when it holds and what its block costs."""
    found = view.plan.profile.bracket_named(name)
    if found is None:
        return None
    block = view.block(found.name)
    now = " · now" if view.assembly.situation.bracket.name == found.name else ""
    return Told(f"{found.label} left · {block.tokens:,} of {found.budget:,} tokens{now}")


def of_squad(view: View, _: FileFacts, path: str) -> Told | None:
    """A squad: what its domains have; a click goes to its manifest."""
    folder = path.rpartition("/")[2]
    row = next((row for row in view.plan.squads if row.folder == folder), None)
    if row is None:
        return None
    labels = [view.plan.domain(position).label for position in row.domains]
    rules = [rule for label in labels for rule in view.accounts[label].rules]
    title = " · ".join(
        (
            counted(len(labels), "domain"),
            counted(len(rules), "rule"),
            counted(sum(rule.tokens for rule in rules), "token"),
        )
    )
    manifest = f"{path}/.synapse/manifest"
    known = view.tree.snapshot.facts(manifest) is not None
    return Told(title, "synapse.open", {"path": manifest}) if known else Told(title)
