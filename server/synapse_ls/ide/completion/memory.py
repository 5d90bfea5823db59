"""Completion in the front matter of memories: fields, their words, agents, and tags that are in use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from synapse_ls.formats.memory import MemoryDocument
from synapse_ls.formats.memory_fields import CHOICES, NAMES
from synapse_ls.ide.completion import names
from synapse_ls.ide.completion.item import Item, Offer, offer
from synapse_ls.ide.completion.place import Here
from synapse_ls.ide.hovers.memory import FIELDS
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind

_WORD = re.compile(r"[\w-]")
_TAG = re.compile(r"[^\[\],\n]")
_FRESH = ("id", "type", "sector", "storage", "tags", "confidence")


def complete(view: View, facts: FileFacts, place: Here) -> Offer | None:
    """What can be written at a place of the front matter; nothing below it."""
    memory = facts.document
    if not isinstance(memory, MemoryDocument) or not memory.front or place.caret >= memory.body:
        return None
    key, colon, _ = place.before.partition(":")
    if not colon:
        return offer(place.word(_WORD), _fields(memory))
    if key == "tags":
        return offer(_tag(place), _tags(view))
    return offer(place.word(_WORD), _words(view, key))


def _tag(place: Here) -> Span:
    """The item of the list around the caret."""
    found = place.word(_TAG)
    colon = place.text.find(":", place.span.start, place.caret) + 1
    start = max(found.start, colon)
    while start < place.caret and place.text[start] in " \t":
        start += 1
    return Span(start, found.end)


def _fields(memory: MemoryDocument) -> Iterator[Item]:
    for name in sorted(NAMES, key=lambda name: name not in _FRESH):
        if name not in memory.fields:
            yield Item(name, "key", f"{name}: ", "", FIELDS[name])


def _words(view: View, key: str) -> Iterable[Item]:
    if key in CHOICES:
        return (Item(word, "value") for word in CHOICES[key])
    if key == "agent":
        return _agents(view)
    if key == "explicit":
        return (Item(word, "value") for word in ("true", "false"))
    return ()


def _agents(view: View) -> Iterator[Item]:
    """Those with a definition, then those that only rules know."""
    yield from names.agents(view.tree)
    for id in sorted(set(view.plan.agents.values())):
        yield Item(id, "agent", topic=("agent", id))


def _tags(view: View) -> Iterator[Item]:
    """The tags of other memories, so that one thing goes by one word."""
    found = set[str]()
    for path in view.tree.snapshot.paths(FileKind.MEMORY):
        facts = view.tree.snapshot.facts(path)
        memory = facts.document if facts else None
        if isinstance(memory, MemoryDocument):
            found.update(filter(None, map(str.strip, memory.said("tags").split(","))))
    return (Item(tag, "value") for tag in sorted(found))
