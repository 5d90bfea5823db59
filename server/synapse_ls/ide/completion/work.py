"""Completion in tasks and stories: executors, agents, status, and what is mentioned in their text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from synapse_ls.formats.names import slug
from synapse_ls.ide.completion import names
from synapse_ls.ide.completion.item import Item, Offer, offer
from synapse_ls.ide.completion.place import Here
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts

_LABEL = re.compile(
    r"(?P<start>[ \t>|*-]*)(?P<key>[^\W\d][\w -]{0,40}?)\*{0,2}[ \t]*(?::\*{0,2}|\|)[ \t]*"
)
_KEY = re.compile(r"[\w-]*$")
_MENTION = re.compile(r"(?<![\w*@])([*@])[\w-]+$|(?<![\w*@])(@)$")
_NAME = re.compile(r"[\w-]")

EXECUTORS = ("Agente", "Worker", "Humano", "Clone")
"""How the framework's task format spells its executors (TASK-FORMAT-SPECIFICATION-V1)."""
_LAYERS = ("Atom", "Molecule", "Organism", "Template", "Page", "Config")
_STATUSES = ("Draft", "Approved", "Ready", "In Progress", "Ready for Review", "Done", "Blocked")
_TASK_FIELDS = ("task", "responsavel", "responsavel_type", "atomic_layer", "story")
_STORY_FIELDS = ("status", "executor", "quality_gate", "epic")


def complete_task(view: View, facts: FileFacts, place: Here) -> Offer | None:
    """What can be written at a place of a task."""
    return _complete(view, facts, place, _TASK_FIELDS)


def complete_story(view: View, facts: FileFacts, place: Here) -> Offer | None:
    """What can be written at a place of a story."""
    return _complete(view, facts, place, _STORY_FIELDS)


def _complete(view: View, facts: FileFacts, place: Here, fields: tuple[str, ...]) -> Offer | None:
    before = place.text[place.span.start : place.caret]
    label = _LABEL.match(before)
    supplier = _VALUES.get(slug(label["key"]).replace(" ", "_")) if label else None
    if label and supplier:
        start = place.span.start + label.end()
        bare = before[label.end() :].lstrip("\"'`")
        start = place.caret - len(bare)
        end = place.text.find("|", place.caret, place.span.end)
        end = place.body.end if end < 0 else end
        rest = place.text[place.caret : max(end, place.caret)].rstrip(" \"'`*")
        return offer(Span(start, place.caret + len(rest)), supplier(view))
    mention = _MENTION.search(before)
    if mention:
        span = Span(place.span.start + mention.start(), place.word(_NAME).end)
        star = mention[1] == "*"
        return offer(span, names.commands(view.tree) if star else names.agents(view.tree, "@"))
    if _KEY.fullmatch(before) and _is_field_place(facts, place):
        word = place.word(_NAME)
        return offer(word, _keys(fields, "" if place.is_followed_by(":", word.end) else ": "))
    return None


def _is_field_place(facts: FileFacts, place: Here) -> bool:
    """Whether the line is in front matter or directly below another field or a fence."""
    if place.line == 0:
        return False
    above = facts.lines.line_span(place.line - 1).cut(facts.text).strip()
    return above.startswith(("```", "---")) or _LABEL.match(above) is not None


def _keys(fields: Iterable[str], after: str) -> Iterator[Item]:
    return (Item(name, "key", f"{name}{after}") for name in fields)


def _words(words: Iterable[str]) -> Callable[[View], Iterator[Item]]:
    return lambda _: (Item(word, "value") for word in words)


def _agents(view: View) -> Iterator[Item]:
    return names.agents(view.tree, "@")


_VALUES: Mapping[str, Callable[[View], Iterable[Item]]] = {
    **dict.fromkeys(("responsavel_type", "responsible_type", "executor_type"), _words(EXECUTORS)),
    **dict.fromkeys(("responsavel", "responsible", "owner", "executor", "quality_gate"), _agents),
    "atomic_layer": _words(_LAYERS),
    **dict.fromkeys(("status", "story_status", "estado"), _words(_STATUSES)),
    "story": lambda view: names.stories(view.tree),
}
