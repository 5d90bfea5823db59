"""How long the rules of a domain are in a block, as a lower bound: entries without headings."""

from __future__ import annotations

from collections.abc import Iterable

from synapse_ls.engine.escape import neutralise
from synapse_ls.engine.layers.entries import INJECTED, INNER
from synapse_ls.formats.context import ContextDocument
from synapse_ls.formats.rule import Rule
from synapse_ls.lint.lookup import once
from synapse_ls.workspace.domains import Domain, rules_in
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.tree import Tree

HARD_LIMITS = {"Claude Code": 9_500}
"""Code points that a client takes of one reply of a hook, below which it keeps the whole text."""


def size(tree: Tree, domain: Domain) -> int:
    """Code points of what a block has of a domain at the most.

    Of rules that hold in one bracket or one phase of a workflow only, those of the longest count.
    """
    facts = tree.snapshot.facts(domain.file or "")
    if facts is None:
        return 0
    return _longest(tree.rules_of(domain)) if domain.shared else _of_file(facts)


@once
def _of_file(facts: FileFacts) -> int:
    document = facts.document
    if isinstance(document, ContextDocument):
        return _sum(document.general) + max(map(_sum, document.brackets.values()))
    return _longest(rules_in(document))


def _longest(rules: Iterable[Rule]) -> int:
    phases: dict[str, int] = {}
    for rule in rules:
        phases[rule.phase] = phases.get(rule.phase, 0) + _entry(rule)
    return phases.pop("", 0) + max(phases.values(), default=0)


def _sum(rules: Iterable[Rule]) -> int:
    return sum(map(_entry, rules))


def _entry(rule: Rule) -> int:
    """A rule's line: its indent, its marker of two characters at least, its text, a line break."""
    if rule.kind not in ("auth", *INJECTED):
        return 0
    return len(INNER) + 3 + len(neutralise(rule.text)) + 1
