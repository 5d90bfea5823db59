"""This module completes the front matter of memories: fields, their words, agents, and tags that
are in use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from synapse_ls.formats.memory_fields import CHOICES, FIELD_NAMES
from synapse_ls.formats.memory_file import MemoryDocument
from synapse_ls.ide.completion import known_names
from synapse_ls.ide.completion.completion_item import CompletionItem, CompletionOffer, unique_offer
from synapse_ls.ide.completion.line_context import LineContext
from synapse_ls.ide.hovers.memory_hover import FIELD_MEANINGS
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind

_WORD = re.compile(r"[\w-]")
_TAG = re.compile(r"[^\[\],\n]")
_USUAL_FIELDS = ("id", "type", "sector", "storage", "tags", "confidence")


def complete(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Returns the completions at a place of a memory's front matter; nothing below it."""
    memory = facts.document
    if (
        not isinstance(memory, MemoryDocument)
        or not memory.has_front_matter
        or place.caret >= memory.body
    ):
        return None
    key, colon, _ = place.text_before.partition(":")
    if not colon:
        return unique_offer(place.word_span(_WORD), _field_items(memory))
    if key == "tags":
        return unique_offer(_tag_span(place), _tag_items(view))
    return unique_offer(place.word_span(_WORD), _word_items(view, key))


def _tag_span(place: LineContext) -> Span:
    """Returns the span of the list item around the caret."""
    found = place.word_span(_TAG)
    colon = place.text.find(":", place.span.start, place.caret) + 1
    start = max(found.start, colon)
    while start < place.caret and place.text[start] in " \t":
        start += 1
    return Span(start, found.end)


def _field_items(memory: MemoryDocument) -> Iterator[CompletionItem]:
    for name in sorted(FIELD_NAMES, key=lambda name: name not in _USUAL_FIELDS):
        if name not in memory.fields:
            yield CompletionItem(name, "key", f"{name}: ", "", FIELD_MEANINGS[name])


def _word_items(view: View, key: str) -> Iterable[CompletionItem]:
    if key in CHOICES:
        return (CompletionItem(word, "value") for word in CHOICES[key])
    if key == "agent":
        return _agent_items(view)
    if key == "explicit":
        return (CompletionItem(word, "value") for word in ("true", "false"))
    return ()


def _agent_items(view: View) -> Iterator[CompletionItem]:
    """Yields the agents with a definition, then those that only rules know."""
    yield from known_names.agent_items(view.tree)
    for id in sorted(set(view.plan.agents.values())):
        yield CompletionItem(id, "agent", topic=("agent", id))


def _tag_items(view: View) -> Iterator[CompletionItem]:
    """Returns the tags of other memories, so that one thing goes by one word."""
    found = set[str]()
    for path in view.tree.snapshot.paths(FileKind.MEMORY):
        facts = view.tree.snapshot.facts(path)
        memory = facts.document if facts else None
        if isinstance(memory, MemoryDocument):
            found.update(filter(None, map(str.strip, memory.field_value("tags").split(","))))
    return (CompletionItem(tag, "value") for tag in sorted(found))
