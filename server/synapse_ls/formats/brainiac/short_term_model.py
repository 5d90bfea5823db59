"""What a short-term memory is made of: its parts by name, items, events and their fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from synapse_ls.formats.brainiac.headings import plain
from synapse_ls.formats.directives import Comments, find
from synapse_ls.formats.problem import Text
from synapse_ls.text.span import Span

TITLE = "Short-Term Memory"
SUMMARY, DATA, EVENTS = "summary", "data", "events"
GOALS, FACTS, TASKS = "goals", "facts", "tasks"
LISTS = (GOALS, FACTS, TASKS)

TITLES: Mapping[str, str] = {
    SUMMARY: "Summary",
    DATA: "Structured Data",
    GOALS: "Goals",
    FACTS: "Key Facts & Decisions",
    TASKS: "Tasks",
    EVENTS: "Event Log",
}
"""What the parts are called."""

_NAMES: Mapping[str, tuple[str, ...]] = {
    SUMMARY: ("summary", "conversation summary", "resumo", "resumo da conversa"),
    DATA: ("structured data", "structured memory", "dados estruturados"),
    GOALS: ("goals", "current goals", "objetivos", "metas"),
    FACTS: (
        *("key facts & decisions", "key facts and decisions", "key facts", "facts", "decisions"),
        *("fatos e decisoes", "fatos principais e decisoes", "fatos", "decisoes"),
    ),
    TASKS: ("tasks", "open tasks", "to do", "todo", "tarefas"),
    EVENTS: ("event log", "events", "recent events", "log de eventos", "registro de eventos"),
}
KINDS = {name: kind for kind, names in _NAMES.items() for name in names}


@dataclass(frozen=True, slots=True)
class Part:
    """A heading and what follows up to the next one that is not below it.

    ``kind`` is one of the parts above, or "" for one with another name. ``span`` begins with the
    heading, ``body`` after it; both end where the next part begins. ``own`` ends before the first
    heading below it.
    """

    kind: str
    title: Text
    level: int
    line: int
    span: Span
    body: Span
    own: Span


@dataclass(frozen=True, slots=True)
class Item:
    """A goal, fact or task with the lines that continue it, or a paragraph among them.

    ``checked`` is None without a check box, ``box`` the place of the character inside it. ``part``
    is "goals", "facts" or "tasks", or "data" for what stands in none of the lists; ``span`` covers
    whole lines without the last break.
    """

    part: str
    text: str
    checked: bool | None
    box: Span | None
    line: int
    span: Span


@dataclass(frozen=True, slots=True)
class Field:
    """``**User:** "…"`` in an event: ``name`` is "user", "ai", "thoughts", or what it is called.

    ``value`` is without quotes around it and runs to the next field.
    """

    name: str
    label: Text
    value: Text


@dataclass(frozen=True, slots=True)
class Event:
    """An entry of the event log. ``time`` is in microseconds from 1970, None where the heading is
    no time of ISO 8601.

    ``span`` begins with the heading and ends with the last line that says something.
    """

    heading: Text
    time: int | None
    level: int
    line: int
    span: Span
    body: Span
    fields: tuple[Field, ...]

    def field(self, name: str) -> str:
        """The value of a field, "" where there is none of that name."""
        return next((field.value.value for field in self.fields if field.name == name), "")


@dataclass(frozen=True, slots=True)
class ShortTermMemory:
    """A short-term memory: ``parts`` in the order of the text, and what they hold.

    ``summary`` is None where there is no such part. ``events`` are in the order of the text, ``note``
    is what the log says before the first of them. ``loose`` is text of no part: before the first
    one, and of parts with other names.
    """

    text: str
    title: Text | None
    parts: tuple[Part, ...]
    summary: Text | None
    items: tuple[Item, ...]
    events: tuple[Event, ...]
    note: Text | None
    loose: tuple[Span, ...]

    def said(self, span: Span) -> str:
        """The text of a place without comments for the linter, each with the space before it."""
        text = span.cut(self.text)
        for directive in reversed(tuple(find(text, Comments.MARKUP))):
            start, end = directive.span
            text = text[:start].removesuffix(" ") + text[end:]
        return text

    def part(self, name: str) -> Part | None:
        """The first part of that kind."""
        return next((part for part in self.parts if part.kind == name), None)

    def listed(self, name: str) -> tuple[Item, ...]:
        """The items of one of `LISTS`."""
        return tuple(item for item in self.items if item.part == name)

    @property
    def oldest_first(self) -> tuple[Event, ...]:
        """The events by time; one without a time counts as old as the one above it."""
        ages: list[tuple[int, int, Event]] = []
        age = max((event.time for event in self.events if event.time is not None), default=0)
        for number, event in enumerate(self.events):
            age = age if event.time is None else event.time
            ages.append((age, -number, event))
        return tuple(event for *_, event in sorted(ages, key=lambda one: one[:2]))


def kind_of(title: str) -> str:
    """The part that a heading names, "" where it names none."""
    said = plain(title)
    return KINDS.get(said) or KINDS.get(said.replace("&", "and")) or ""
