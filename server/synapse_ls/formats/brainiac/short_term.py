"""``memory/short_term.md``: what an agent knows of the work at hand (Brainiac Context Ordering).

Three parts: a summary, structured data (goals, key facts and decisions, tasks), and an event log,
newest first. People edit the file, so the reader takes what it finds: parts are known by their
names at any level, the rule between two parts means nothing, and whatever has another name is kept
as it is. A document is a view of its text; changes are edits (`short_term_edit`), so what they do
not touch stays byte for byte.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from synapse_ls.formats.brainiac.headings import Line, lines, plain
from synapse_ls.formats.brainiac.short_term_model import (
    DATA,
    EVENTS,
    KINDS,
    LISTS,
    SUMMARY,
    TITLES,
    Event,
    Field,
    Item,
    Part,
    ShortTermMemory,
    kind_of,
)
from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.text.iso import instant
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span

_RULE = re.compile(r"[ \t]{0,3}(?:-[ \t]*){3,}$")
_ITEM = re.compile(r"([ \t]*)[-*+][ \t]+(?:\[([ xX])\](?=[ \t]|$)[ \t]*)?")
_FIELD = re.compile(r"[ \t]*(?:[-*+][ \t]+)?\*\*([^*\r\n]{1,40}?)(?::\*\*|\*\*[ \t]*:)[ \t]*")
_FIELDS = {
    **dict.fromkeys(("user", "usuario", "human", "humano"), "user"),
    **dict.fromkeys(("ai", "assistant", "ia", "agent", "assistente"), "ai"),
    **dict.fromkeys(("thoughts", "thought", "pensamentos"), "thoughts"),
}
_LONGEST = 40  # code points of a heading that may be a slip
_QUOTES = ('""', "“”", "«»", "''")


def parse(text: str) -> Parsed[ShortTermMemory]:
    """Read a short-term memory. Never raises; time linear in the text.

    Problem kinds: ``unknown-memory-part`` (a name that is nearly one of the parts'),
    ``repeated-memory-part``, ``unreadable-event`` (a heading of the event log that is no time).
    """
    return _Reader(without(text, Comments.MARKUP), text).read()


def time_of(heading: str) -> int | None:
    """The time that a heading tells in ISO 8601, in microseconds from 1970."""
    return instant(heading.strip().strip("*_`[]"))


class _Reader:
    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._lines = lines(text)
        self._starts = [line.span.start for line in self._lines]
        self._problems: list[Problem] = []

    def read(self) -> Parsed[ShortTermMemory]:
        heads = [line for line in self._lines if line.level and not line.fenced]
        title = heads[0] if heads and heads[0].level == 1 and not kind_of(heads[0].title) else None
        parts = self._parts(heads[1:] if title else heads)
        log = next((part for part in parts if part.kind == EVENTS), None)
        summary = next((part for part in parts if part.kind == SUMMARY), None)
        events, note = self._events(log) if log else ([], None)
        document = ShortTermMemory(
            self._source,
            _title(title) if title else None,
            tuple(parts),
            self._said(summary.body) if summary else None,
            tuple(item for part in parts for item in self._items(part)),
            tuple(events),
            note,
            tuple(self._loose(parts, title)),
        )
        self._problems.sort(key=lambda problem: problem.span)
        return Parsed(document, tuple(self._problems))

    def _parts(self, heads: list[Line]) -> list[Part]:
        """The parts in the order of the text; what is below an event or a part is its content."""
        found: list[tuple[str, Line]] = []
        known: set[str] = set()
        log = 0  # level of the event log that is open
        for head in heads:
            if log and head.level > log:
                continue
            named = kind_of(head.title)
            last = found[-1] if found else None
            if not named and last and last[0] != DATA and head.level > max(last[1].level, 2):
                continue
            kind = self._kind(named, head, known)
            log = head.level if kind == EVENTS else 0
            found.append((kind, head))
        made: list[Part] = []
        above: list[tuple[int, int]] = []  # (level, where it begins) of what comes after
        end = len(self._text)
        for kind, head in reversed(found):
            while above and above[-1][0] > head.level:
                above.pop()
            last_of_it = above[-1][1] if above else len(self._text)
            begin = self._after(head)
            own, body = Span(begin, max(begin, end)), Span(begin, max(begin, last_of_it))
            span = Span(head.span.start, body.end)
            made.append(Part(kind, _title(head), head.level, head.number, span, body, own))
            end = head.span.start
            above.append((head.level, end))
        return made[::-1]

    def _kind(self, named: str, head: Line, known: set[str]) -> str:
        """The kind of a part, with a word on a name that is not a good one."""
        span = _title(head).span
        if named in known:
            told = "the second is told with the rest" if named not in LISTS else "they are joined"
            self._problems.append(
                Problem(
                    "repeated-memory-part",
                    span,
                    f"There is a part `{TITLES[named]}` already; {told}.",
                    "Put what it says into the first one.",
                )
            )
            return named if named in LISTS else ""
        known.update((named,) if named else ())
        near = "" if named else _meant(plain(head.title))
        if near:
            meant = TITLES[KINDS[near]]
            self._problems.append(
                Problem(
                    "unknown-memory-part",
                    span,
                    f"`{head.title}` is no part of a short-term memory, so it is told as it is, "
                    f"and not as {meant}.",
                    f"Write `{meant}`.",
                    (("near", meant),),
                )
            )
        return named

    def _after(self, head: Line) -> int:
        """Where the line after a heading, and after the row below it, begins."""
        number = head.number + 1
        if number < len(self._lines) and self._lines[number].underline:
            number += 1
        return self._starts[number] if number < len(self._lines) else len(self._text)

    def _within(self, span: Span) -> list[Line]:
        """The lines that begin in a place."""
        first = bisect_left(self._starts, span.start)
        return self._lines[first : bisect_left(self._starts, span.end, first)]

    def _said(self, span: Span) -> Text:
        """What a place says, without empty lines and rules around it."""
        found = self._within(span)
        first, last = 0, len(found)
        while first < last and _is_nothing(found[first]):
            first += 1
        while last > first and _is_nothing(found[last - 1]):
            last -= 1
        if first == last:
            return Text("", Span(span.start, span.start))
        place = Span(found[first].span.start, found[last - 1].span.end)
        return Text(place.cut(self._text), place)

    def _items(self, part: Part) -> Iterator[Item]:
        """Items and other paragraphs of a list, and those that the data has outside its lists."""
        if part.kind not in (*LISTS, DATA):
            return
        held: list[Line] = []
        for line in self._within(part.own):
            begun = None if line.fenced else _ITEM.match(line.text)
            if begun and (not held or len(begun[1].expandtabs(4)) <= _indent(held[0])):
                yield from self._item(part.kind, held)
                held = [line]
            elif line.fenced or not _is_nothing(line):
                held.append(line)
            else:
                yield from self._item(part.kind, held)
                held = []
        yield from self._item(part.kind, held)

    def _item(self, part: str, held: list[Line]) -> Iterator[Item]:
        if not held:
            return
        first = held[0]
        span = Span(first.span.start, held[-1].span.end)
        begun = None if first.fenced else _ITEM.match(first.text)
        if begun is None:
            yield Item(part, span.cut(self._text), None, None, first.number, span)
            return
        text = "\n".join([first.text[begun.end() :].strip(), *(line.text for line in held[1:])])
        box = Span(*begun.span(2)).shift(first.span.start) if begun[2] is not None else None
        checked = None if box is None else begun[2] in "xX"
        yield Item(part, text, checked, box, first.number, span)

    def _events(self, part: Part) -> tuple[list[Event], Text | None]:
        """The events of the log, and what stands before the first of them."""
        heads = [line for line in self._within(part.body) if line.level and not line.fenced]
        heads = [head for head in heads if head.level > part.level]
        level = min((head.level for head in heads if time_of(head.title)), default=part.level + 1)
        heads = [head for head in heads if head.level <= level]
        note = self._said(Span(part.body.start, heads[0].span.start if heads else part.body.end))
        events: list[Event] = []
        for number, head in enumerate(heads):
            end = heads[number + 1].span.start if number + 1 < len(heads) else part.body.end
            events.append(self._event(head, end))
        return events, note if note.span.length else None

    def _event(self, head: Line, end: int) -> Event:
        time = time_of(head.title)
        title = _title(head)
        if time is None:
            self._problems.append(
                Problem(
                    "unreadable-event",
                    title.span,
                    f"`{head.title[:40]}` is no time of ISO 8601, so the event counts as old as "
                    "the one above it.",
                    "Write a time such as `2026-01-31T09:30:00Z`.",
                )
            )
        said = self._said(Span(self._after(head), end))
        span = Span(head.span.start, max(head.span.end, said.span.end))
        fields = tuple(self._fields(said.span))
        return Event(title, time, head.level, head.number, span, said.span, fields)

    def _fields(self, body: Span) -> Iterator[Field]:
        label: Text | None = None
        start = end = body.start
        for line in self._within(body):
            begun = None if line.fenced else _FIELD.match(line.text)
            if begun:
                if label:
                    yield self._field(label, Span(start, end))
                at = line.span.start
                label = Text(begun[1], Span(*begun.span(1)).shift(at))
                start = at + begun.end()
            end = line.span.end
        if label:
            yield self._field(label, Span(start, end))

    def _field(self, label: Text, place: Span) -> Field:
        value = place.cut(self._text)
        start = place.start + len(value) - len(value.lstrip())
        value = value.strip()
        if len(value) > 1 and value[0] + value[-1] in _QUOTES:
            value, start = value[1:-1], start + 1
        name = _FIELDS.get(plain(label.value), plain(label.value))
        return Field(name, label, Text(value, Span(start, start + len(value))))

    def _loose(self, parts: list[Part], title: Line | None) -> Iterator[Span]:
        """What no part of a known kind says: before the first part, and under other names."""
        begin = self._after(title) if title else 0
        above = Span(0, title.span.start if title else 0)
        first = parts[0].span.start if parts else len(self._text)
        others = (Span(part.span.start, part.own.end) for part in parts if not part.kind)
        for place in (above, Span(begin, max(begin, first)), *others):
            said = self._said(place)
            if said.span.length:
                yield said.span


@lru_cache(maxsize=1024)
def _meant(said: str) -> str:
    """The name of a part that a heading nearly is, "" for none."""
    return nearest(said, KINDS) if len(said) <= _LONGEST else ""


def _title(head: Line) -> Text:
    at = head.span.start + max(head.text.find(head.title), 0)
    return Text(head.title, Span(at, at + len(head.title)))


def _is_nothing(line: Line) -> bool:
    return not line.fenced and (not line.text.strip() or _RULE.match(line.text) is not None)


def _indent(line: Line) -> int:
    return len(line.text.expandtabs(4)) - len(line.text.expandtabs(4).lstrip())
