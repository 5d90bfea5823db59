"""This module computes the size of a domain, how long its rules are in a block, as a lower bound:
entries without headings.
"""

from __future__ import annotations

from collections.abc import Iterable

from synapse_ls.engine.rule_entries import INJECTED_KINDS, INNER
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.rule_syntax import Rule
from synapse_ls.lint.answer_caches import weak_cache
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain, rules_in

CLIENT_REPLY_LIMITS = {"Claude Code": 9_500}
"""Code points that a client takes of one reply of a hook, below which it keeps the whole text."""


def largest_domain_size(tree: Tree, domain: Domain) -> int:
    """Returns the size of a domain, the code points that it takes in a block where all rules that
    can be there together are.

    Of rules that hold in one bracket or one phase of a workflow only, those of the longest count.
    """
    facts = tree.snapshot.facts(domain.file or "")
    if facts is None:
        return 0
    return _longest_phase_size(tree.rules_of(domain)) if domain.shared else _file_size(facts)


@weak_cache
def _file_size(facts: FileFacts) -> int:
    """Returns the size of a rule file's rules, with those of the longest bracket in a context file."""
    document = facts.document
    if isinstance(document, ContextDocument):
        return _total_size(document.general) + max(map(_total_size, document.brackets.values()))
    return _longest_phase_size(rules_in(document))


def _longest_phase_size(rules: Iterable[Rule]) -> int:
    """Returns the size of the rules without a phase and of those of the longest phase."""
    phases: dict[str, int] = {}
    for rule in rules:
        phases[rule.phase] = phases.get(rule.phase, 0) + _entry_size(rule)
    return phases.pop("", 0) + max(phases.values(), default=0)


def _total_size(rules: Iterable[Rule]) -> int:
    """Returns the size of all rules together."""
    return sum(map(_entry_size, rules))


def _entry_size(rule: Rule) -> int:
    """Returns the size of a rule's line: indent, marker of at least two characters, text, line
    break.
    """
    if rule.kind not in ("auth", *INJECTED_KINDS):
        return 0
    return len(INNER) + 3 + len(neutralise_text(rule.text)) + 1
