"""This module makes the history lens, ``applied 14 times, broken twice``: what the last audit said
of a rule.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.ide.lenses.code_lens import LensTitle
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.tree_domains import rules_in


def audited_rules(view: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yields the rules of a file that get a history lens, since the last audit has said something
    of them, with their keys.
    """
    for rule in rules_in(facts.document):
        if rule.key and rule.kind != "check" and view.rule_history(facts.path, rule.key):
            yield rule.key_span, rule.key


def history_title(view: View, facts: FileFacts, subject: str) -> LensTitle | None:
    """Returns the text of the history lens of a rule."""
    history = view.rule_history(facts.path, subject)
    return LensTitle(history) if history else None
