"""This module makes the summary lens, ``9 rules · 195 tokens · awake in FRESH MODERATE …``: what a
domain, bracket or squad contributes.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.plan_rows import PlanDomain
from synapse_ls.ide.domain_brackets import awake_brackets, compiled_domain, is_switched_on
from synapse_ls.ide.lenses import code_lens
from synapse_ls.ide.lenses.code_lens import LensTitle
from synapse_ls.ide.tree_view import View
from synapse_ls.text.plural_counts import format_count
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind


def summarized_domains(view: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yields the domains that get a summary lens, all of a rule file, and of a manifest those that
    sleep now: what is as one expects, or is a finding, needs no lens. Star-commands have lenses of
    their own.
    """
    if facts.kind is FileKind.COMMANDS:
        return
    for span, label in code_lens.domain_places(view, facts):
        if facts.kind in RULE_KINDS or _is_asleep(view, label):
            yield span, label


def _is_asleep(view: View, label: str) -> bool:
    """Tells whether a domain comes in with other brackets than the present one only."""
    found = compiled_domain(view, label)
    if found is None or not found.file or not is_switched_on(found):
        return False
    awake = awake_brackets(view, found)
    return bool(awake) and view.assembly.situation.bracket not in awake


def domain_summary(view: View, facts: FileFacts, label: str) -> LensTitle | None:
    """Returns the text of a domain's summary lens; a click goes from the manifest to its file, and
    back.
    """
    found = compiled_domain(view, label)
    account = view.accounts.get(label) if found else None
    if found is None or account is None:
        return None
    if not account.file:
        return LensTitle("no rule file")
    there = account.manifest if facts.path == account.file else account.file
    cost = sum(rule.tokens for rule in account.rules)
    title = " · ".join(
        (
            format_count(len(account.rules), "rule"),
            format_count(cost, "token"),
            _awake_phrase(view, found) if is_switched_on(found) else "inactive",
        )
    )
    return LensTitle(title, "synapse.open", {"path": there}) if there else LensTitle(title)


def _awake_phrase(view: View, domain: PlanDomain) -> str:
    brackets = awake_brackets(view, domain)
    if not brackets:
        return "nothing wakes it"
    if len(brackets) == len(view.plan.profile.brackets):
        return "awake in every bracket"
    return f"awake in {' '.join(bracket.name for bracket in brackets)}"


def bracket_summary(view: View, _: FileFacts, name: str) -> LensTitle | None:
    """Returns the text of a bracket's summary lens: when it holds and what its block costs."""
    found = view.plan.profile.find_bracket(name)
    if found is None:
        return None
    block = view.block(found.name)
    now = " · now" if view.assembly.situation.bracket.name == found.name else ""
    return LensTitle(f"{found.label} left · {block.tokens:,} of {found.budget:,} tokens{now}")


def squad_summary(view: View, _: FileFacts, path: str) -> LensTitle | None:
    """Returns the text of a squad's summary lens: what its domains have; a click goes to its
    manifest.
    """
    folder = path.rpartition("/")[2]
    row = next((row for row in view.plan.squads if row.folder == folder), None)
    if row is None:
        return None
    labels = [view.plan.domain(position).label for position in row.domains]
    rules = [rule for label in labels for rule in view.accounts[label].rules]
    title = " · ".join(
        (
            format_count(len(labels), "domain"),
            format_count(len(rules), "rule"),
            format_count(sum(rule.tokens for rule in rules), "token"),
        )
    )
    manifest = f"{path}/.synapse/manifest"
    known = view.tree.snapshot.facts(manifest) is not None
    return LensTitle(title, "synapse.open", {"path": manifest}) if known else LensTitle(title)
