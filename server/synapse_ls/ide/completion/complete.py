"""What an editor offers to write at the caret."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from synapse_ls.ide.completion import (
    cases,
    chati,
    config,
    directive,
    manifest,
    memory,
    rules,
    squad,
    state,
    work,
)
from synapse_ls.ide.completion.item import Item, Offer
from synapse_ls.ide.completion.place import Here, here
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind

MOST = 120
"""Items of one answer; of more only those that fit what was typed are sent."""

_BY_KIND: Mapping[FileKind, Callable[[View, FileFacts, Here], Offer | None]] = {
    FileKind.MANIFEST: manifest.complete,
    **dict.fromkeys(RULE_KINDS, rules.complete),
    FileKind.SQUAD: squad.complete,
    FileKind.WORKFLOW_STATE: state.complete,
    FileKind.WORKFLOW: state.complete_definition,
    FileKind.TASK: work.complete_task,
    FileKind.STORY: work.complete_story,
    FileKind.CONFIG: config.complete,
    FileKind.TESTS: cases.complete,
    FileKind.MEMORY: memory.complete,
    FileKind.CHATI_SESSION: chati.complete,
    FileKind.CHATI_CONFIG: chati.complete,
    FileKind.CHATI_DOMAIN: chati.complete,
    FileKind.CHATI_WORKFLOW: chati.complete,
    FileKind.CHATI_TASKS: chati.complete,
}


def complete(view: View, path: str, offset: int) -> Offer | None:
    """What can be written at ``offset`` of the file ``path``; None where there is nothing to say."""
    facts = view.tree.snapshot.facts(path)
    about = _BY_KIND.get(facts.kind) if facts and facts.read else None
    if facts is None or about is None:
        return None
    place = here(facts, offset)
    found = directive.complete(view, facts, place) or about(view, facts, place)
    if found is None or not found.items:
        return None
    return _limited(found, place.typed(found.span.start))


def _limited(found: Offer, typed: str) -> Offer:
    """Of very many items those that fit: they begin with what was typed, or have it in them."""
    if len(found.items) <= MOST:
        return found
    word = typed.casefold()

    def fit(item: Item) -> int:
        label = item.label.casefold()
        return 0 if label.startswith(word) else 1 if word in label else 2

    ranked = sorted(found.items, key=fit)
    fitting = [item for item in ranked if fit(item) < 2] or ranked
    return Offer(found.span, tuple(fitting[:MOST]), is_complete=False)


def replaced(found: Offer, offset: int) -> tuple[Span, Span]:
    """What inserting and what replacing an item takes away."""
    return Span(found.span.start, max(offset, found.span.start)), found.span
