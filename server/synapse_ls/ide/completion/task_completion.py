"""This module completes tasks and stories: executors, agents, status, and mentions in their text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from synapse_ls.formats.name_normalization import to_slug
from synapse_ls.ide.completion import known_names
from synapse_ls.ide.completion.completion_item import CompletionItem, CompletionOffer, unique_offer
from synapse_ls.ide.completion.line_context import LineContext
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts

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


def complete_task(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Returns the completions at a place of a task."""
    return _complete_fields(view, facts, place, _TASK_FIELDS)


def complete_story(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Returns the completions at a place of a story."""
    return _complete_fields(view, facts, place, _STORY_FIELDS)


def _complete_fields(
    view: View, facts: FileFacts, place: LineContext, fields: tuple[str, ...]
) -> CompletionOffer | None:
    before = place.text[place.span.start : place.caret]
    label = _LABEL.match(before)
    supplier = _SUPPLIERS.get(to_slug(label["key"]).replace(" ", "_")) if label else None
    if label and supplier:
        start = place.span.start + label.end()
        bare = before[label.end() :].lstrip("\"'`")
        start = place.caret - len(bare)
        end = place.text.find("|", place.caret, place.span.end)
        end = place.body.end if end < 0 else end
        rest = place.text[place.caret : max(end, place.caret)].rstrip(" \"'`*")
        return unique_offer(Span(start, place.caret + len(rest)), supplier(view))
    mention = _MENTION.search(before)
    if mention:
        span = Span(place.span.start + mention.start(), place.word_span(_NAME).end)
        star = mention[1] == "*"
        return unique_offer(
            span,
            known_names.command_items(view.tree)
            if star
            else known_names.agent_items(view.tree, "@"),
        )
    if _KEY.fullmatch(before) and _is_field_place(facts, place):
        word = place.word_span(_NAME)
        return unique_offer(
            word, _field_items(fields, "" if place.is_followed_by(":", word.end) else ": ")
        )
    return None


def _is_field_place(facts: FileFacts, place: LineContext) -> bool:
    """Returns whether the line is in front matter or directly below another field or a fence."""
    if place.line == 0:
        return False
    above = facts.lines.line_span(place.line - 1).cut(facts.text).strip()
    return above.startswith(("```", "---")) or _LABEL.match(above) is not None


def _field_items(fields: Iterable[str], after: str) -> Iterator[CompletionItem]:
    return (CompletionItem(name, "key", f"{name}{after}") for name in fields)


def _word_supplier(words: Iterable[str]) -> Callable[[View], Iterator[CompletionItem]]:
    return lambda _: (CompletionItem(word, "value") for word in words)


def _agent_items(view: View) -> Iterator[CompletionItem]:
    return known_names.agent_items(view.tree, "@")


_SUPPLIERS: Mapping[str, Callable[[View], Iterable[CompletionItem]]] = {
    **dict.fromkeys(
        ("responsavel_type", "responsible_type", "executor_type"), _word_supplier(EXECUTORS)
    ),
    **dict.fromkeys(
        ("responsavel", "responsible", "owner", "executor", "quality_gate"), _agent_items
    ),
    "atomic_layer": _word_supplier(_LAYERS),
    **dict.fromkeys(("status", "story_status", "estado"), _word_supplier(_STATUSES)),
    "story": lambda view: known_names.story_items(view.tree),
}
