"""This module answers completion requests: what an editor offers to write at the caret, for every
kind of file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from synapse_ls.ide.completion import (
    chati_completion,
    config_completion,
    directive_completion,
    manifest_completion,
    memory_completion,
    rules_completion,
    squad_completion,
    task_completion,
    tree_test_completion,
    workflow_completion,
)
from synapse_ls.ide.completion.completion_item import CompletionItem, CompletionOffer
from synapse_ls.ide.completion.line_context import LineContext, line_context
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind

MOST_ITEMS = 120
"""Items of one answer; of more only those that fit what was typed are sent."""

_BY_KIND: Mapping[FileKind, Callable[[View, FileFacts, LineContext], CompletionOffer | None]] = {
    FileKind.MANIFEST: manifest_completion.complete,
    **dict.fromkeys(RULE_KINDS, rules_completion.complete),
    FileKind.SQUAD: squad_completion.complete,
    FileKind.WORKFLOW_STATE: workflow_completion.complete,
    FileKind.WORKFLOW: workflow_completion.complete_definition,
    FileKind.TASK: task_completion.complete_task,
    FileKind.STORY: task_completion.complete_story,
    FileKind.CONFIG: config_completion.complete,
    FileKind.TESTS: tree_test_completion.complete,
    FileKind.MEMORY: memory_completion.complete,
    FileKind.CHATI_SESSION: chati_completion.complete,
    FileKind.CHATI_CONFIG: chati_completion.complete,
    FileKind.CHATI_DOMAIN: chati_completion.complete,
    FileKind.CHATI_WORKFLOW: chati_completion.complete,
    FileKind.CHATI_TASKS: chati_completion.complete,
}


def complete_at(view: View, path: str, offset: int) -> CompletionOffer | None:
    """Returns the completions that can be written at ``offset`` of the file ``path``; None where
    there is nothing to offer.
    """
    facts = view.tree.snapshot.facts(path)
    about = _BY_KIND.get(facts.kind) if facts and facts.is_read else None
    if facts is None or about is None:
        return None
    place = line_context(facts, offset)
    found = directive_completion.complete(view, facts, place) or about(view, facts, place)
    if found is None or not found.items:
        return None
    return _limit_items(found, place.typed_since(found.span.start))


def _limit_items(found: CompletionOffer, typed: str) -> CompletionOffer:
    """Returns, of very many items, those that begin with what was typed, or have it in them."""
    if len(found.items) <= MOST_ITEMS:
        return found
    word = typed.casefold()

    def fit(item: CompletionItem) -> int:
        label = item.label.casefold()
        return 0 if label.startswith(word) else 1 if word in label else 2

    ranked = sorted(found.items, key=fit)
    fitting = [item for item in ranked if fit(item) < 2] or ranked
    return CompletionOffer(found.span, tuple(fitting[:MOST_ITEMS]), is_complete=False)


def replaced_spans(offer: CompletionOffer, offset: int) -> tuple[Span, Span]:
    """Returns what inserting a completion takes away, and what replacing takes away."""
    return Span(offer.span.start, max(offset, offer.span.start)), offer.span
