"""Parse ``memory/short_term.md``: summary, structured data (goals, facts, tasks) and event log.

People edit the file, so parts are recognised by name at any heading level, and unknown ones are
kept. Events are newest first (Brainiac Context Ordering).
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from synapse_ls.formats.brainiac.reserved_headings import MarkdownLine, normalize_title, parse_lines
from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives, find_directives
from synapse_ls.text import edit_distance, iso_time
from synapse_ls.text.finding import Finding, ParseResult, Text, sort_problems
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

TITLE = "Short-Term Memory"
SUMMARY, DATA, EVENTS = "summary", "data", "events"
GOALS, FACTS, TASKS = "goals", "facts", "tasks"
LISTS = (GOALS, FACTS, TASKS)
MAIN_PARTS = (SUMMARY, DATA, EVENTS)

# What the parts are called.
TITLES: Mapping[str, str] = {
    SUMMARY: "Summary",
    DATA: "Structured Data",
    GOALS: "Goals",
    FACTS: "Key Facts & Decisions",
    TASKS: "Tasks",
    EVENTS: "Event Log",
}

_PART_NAMES: Mapping[str, tuple[str, ...]] = {
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
KIND_OF_NAME = {name: kind for kind, names in _PART_NAMES.items() for name in names}


class MemoryPart(NamedTuple):
    """A heading of the short-term memory and what follows up to the next one that is not below it.

    Summary, structured data and event log are never below each other, whatever their levels say,
    and no part is below a summary. ``kind`` is one of the parts above, or "" for one with another
    name. ``span`` begins with the heading, ``body`` after it; both end where the next part begins.
    ``own`` ends before the first heading below it.
    """

    kind: str
    title: Text
    level: int
    line: int
    span: Span
    body: Span
    own: Span


class MemoryItem(NamedTuple):
    """A goal, fact or task of the short-term memory with the lines that continue it, or a paragraph
    among them.

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


class EventField(NamedTuple):
    """``**User:** "…"`` in an event of the short-term memory: ``name`` is "user", "ai", "thoughts",
    or what it is called.

    ``value`` is without quotes around it and runs to the next field.
    """

    name: str
    label: Text
    value: Text


class MemoryEvent(NamedTuple):
    """An entry of the short-term memory's event log: a heading and what is below it, or an item of
    a list, whose ``level`` is 0. ``time`` is in microseconds from 1970, None without one of ISO
    8601.

    ``span`` begins with the heading or the item's line, and ends with the last line that says
    something. ``heading`` of an item is the time that it begins with, else its first line.
    """

    heading: Text
    time: int | None
    level: int
    line: int
    span: Span
    body: Span
    fields: tuple[EventField, ...]

    def field_value(self, name: str) -> str:
        """Return the value of a field, "" where there is none of that name."""
        return next((field.value.value for field in self.fields if field.name == name), "")


class ShortTermMemory(NamedTuple):
    """A parsed short-term memory: ``parts`` in the order of the text, and what they hold.

    ``summary`` is None where there is no such part. ``events`` are in the order of the text,
    ``note`` is what the log says before the first of them. ``loose`` is text of no part: before the
    first one, and of parts with other names.
    """

    text: str
    title: Text | None
    parts: tuple[MemoryPart, ...]
    summary: Text | None
    items: tuple[MemoryItem, ...]
    events: tuple[MemoryEvent, ...]
    note: Text | None
    loose: tuple[Span, ...]

    def text_at(self, span: Span) -> str:
        """Return the text of a place without comments for the linter, each with the space before
        it.
        """
        text = span.cut(self.text)
        for directive in reversed(tuple(find_directives(text, CommentStyle.MARKUP))):
            start, end = directive.span
            text = text[:start].removesuffix(" ") + text[end:]
        return text

    def part(self, name: str) -> MemoryPart | None:
        """Return the first part of that kind, or None."""
        return next((part for part in self.parts if part.kind == name), None)

    def items_of(self, name: str) -> tuple[MemoryItem, ...]:
        """Return the items of one of `LISTS`."""
        return tuple(item for item in self.items if item.part == name)

    @property
    def events_by_time(self) -> tuple[MemoryEvent, ...]:
        """The events by time, the oldest first; one without a time counts as old as the one above
        it.
        """
        ages: list[tuple[int, int, MemoryEvent]] = []
        age = max((event.time for event in self.events if event.time is not None), default=0)
        for number, event in enumerate(self.events):
            age = age if event.time is None else event.time
            ages.append((age, -number, event))
        return tuple(event for *_, event in sorted(ages, key=lambda one: one[:2]))


def part_kind(title: str) -> str:
    """Return the part of the short-term memory that a heading names, "" where it names none."""
    said = normalize_title(title)
    return KIND_OF_NAME.get(said) or KIND_OF_NAME.get(said.replace("&", "and")) or ""


_HORIZONTAL_RULE = lazy_pattern(r"[ \t]{0,3}(?:-[ \t]*){3,}$")
_ITEM = lazy_pattern(r"([ \t]*)[-*+][ \t]+(?:\[([ xX])\](?=[ \t]|$)[ \t]*)?")
_ITEM_TIME = lazy_pattern(
    r"[\[(*_`]*(\d{4}-?\d\d-?\d\d(?:[Tt ]\d\d:?\d\d(?::?\d\d(?:[.,]\d+)?)?(?:[Zz]"
    r"|[+-]\d\d:?\d\d)?)?)(?!\w)[\])*_`]*[ \t]*[:|,\u2013\u2014-]*[ \t]*"
)
_FIELD = lazy_pattern(r"[ \t]*(?:[-*+][ \t]+)?\*\*([^*\r\n]{1,40}?)(?::\*\*|\*\*[ \t]*:)[ \t]*")
_FIELD_NAMES = {
    **dict.fromkeys(("user", "usuario", "human", "humano"), "user"),
    **dict.fromkeys(("ai", "assistant", "ia", "agent", "assistente"), "ai"),
    **dict.fromkeys(("thoughts", "thought", "pensamentos"), "thoughts"),
}
_MAX_HEADING = 40  # code points of a heading that may be a slip
_QUOTES = ('""', "“”", "«»", "''")


def parse(text: str) -> ParseResult[ShortTermMemory]:
    """Parse a short-term memory. Never raises; time linear in the text.

    Problem kinds: ``unknown-memory-part`` (a name that is nearly one of the parts'),
    ``repeated-memory-part``, ``unreadable-event`` (a heading of the event log that is no time).
    """
    return _MemoryReader(blank_directives(text, CommentStyle.MARKUP), text).read()


def heading_time(heading: str) -> int | None:
    """Return the time that an event's heading in the short-term memory gives in ISO 8601, in
    microseconds from 1970; None where it gives none.
    """
    return iso_time.parse_instant(heading.strip().strip("*_`[]"))


class _MemoryReader:
    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._lines = parse_lines(text)
        self._starts = [line.span.start for line in self._lines]
        self._problems: list[Finding] = []

    def read(self) -> ParseResult[ShortTermMemory]:
        heads = [line for line in self._lines if line.level and not line.fenced]
        first = heads[0] if heads and heads[0].level == 1 else None
        title = first if first and not part_kind(first.title) else None
        parts = self._find_parts(heads[1:] if title else heads)
        log = next((part for part in parts if part.kind == EVENTS), None)
        summary = next((part for part in parts if part.kind == SUMMARY), None)
        events, note = self._find_events(log) if log else ([], None)
        document = ShortTermMemory(
            self._source,
            _heading_text(title) if title else None,
            tuple(parts),
            self._trimmed_text(summary.body) if summary else None,
            tuple(item for part in parts for item in self._find_items(part)),
            tuple(events),
            note,
            tuple(self._loose_text(parts, title)),
        )
        return ParseResult(document, sort_problems(self._problems))

    def _find_parts(self, heads: list[MarkdownLine]) -> list[MemoryPart]:
        """Return the parts in the order of the text; what is below an event or a part is its
        content.
        """
        found: list[tuple[str, MarkdownLine]] = []
        known: set[str] = set()
        log = 0  # level of the event log that is open
        for head in heads:
            if log and head.level > log:
                continue
            named = part_kind(head.title)
            last = found[-1] if found else None
            if not named and last and last[0] != DATA and head.level > max(last[1].level, 2):
                continue
            # Return the kind of a part, and report a name that is not a good one.
            kind_span = _heading_text(head).span
            if named in known:
                kind = named if named in LISTS else ""
                told = "they are joined" if kind else "the second is injected with the rest"
                message = f"There is a part `{TITLES[named]}` already; {told}."
                remedy = "Put what it says into the first one."
                self._problems.append(
                    Finding(kind_span, message, remedy, kind="repeated-memory-part")
                )
            else:
                known.update((named,) if named else ())
                near = "" if named else _suggest_part_name(normalize_title(head.title))
                if near:
                    title = TITLES[KIND_OF_NAME[near]]
                    self._problems.append(
                        Finding(
                            kind_span,
                            f"`{head.title}` is no part of a short-term memory, so it is injected "
                            f"as it is, and not as {title}.",
                            f"Write `{title}`.",
                            kind="unknown-memory-part",
                            data=(("near", title),),
                        )
                    )
                kind = named
            log = head.level if kind == EVENTS else 0
            found.append((kind, head))
        memory_parts: list[MemoryPart] = []
        above: list[tuple[int, int]] = []  # (level, where it begins) of what comes after
        end = next_main = len(self._text)
        for kind, head in reversed(found):
            while above and above[-1][0] > head.level:
                above.pop()
            last_of_it = above[-1][1] if above else len(self._text)
            if kind in MAIN_PARTS:
                last_of_it = end if kind == SUMMARY else min(last_of_it, next_main)
                next_main = head.span.start
            begin = self._line_after(head)
            own, body = Span(begin, max(begin, end)), Span(begin, max(begin, last_of_it))
            span = Span(head.span.start, body.end)
            memory_parts.append(
                MemoryPart(kind, _heading_text(head), head.level, head.number, span, body, own)
            )
            end = head.span.start
            above.append((head.level, end))
        return memory_parts[::-1]

    def _line_after(self, head: MarkdownLine) -> int:
        """Return where the line after a heading, and after the row below it, begins."""
        number = head.number + 1
        if number < len(self._lines) and self._lines[number].underline:
            number += 1
        return self._starts[number] if number < len(self._lines) else len(self._text)

    def _lines_in(self, span: Span) -> list[MarkdownLine]:
        first = bisect_left(self._starts, span.start)
        return self._lines[first : bisect_left(self._starts, span.end, first)]

    def _trimmed_text(self, span: Span) -> Text:
        """Return the text of a place, without empty lines and rules around it."""
        lines = [line for line in self._lines_in(span) if not _is_blank_or_rule(line)]
        if not lines:
            return Text("", Span(span.start, span.start))
        place = Span(lines[0].span.start, lines[-1].span.end)
        return Text(place.cut(self._text), place)

    def _find_items(self, part: MemoryPart) -> Iterator[MemoryItem]:
        """Yield items and other paragraphs of a list, and those that the data has outside its
        lists.
        """
        if part.kind not in (*LISTS, DATA):
            return
        items: list[MarkdownLine] = []
        for line in self._lines_in(part.own):
            begun = None if line.fenced else _ITEM.match(line.text)
            first = items[0].text.expandtabs(4) if items else ""
            indent = len(first) - len(first.lstrip())
            if begun and (not items or _indent(begun) <= indent):
                yield from self._build_item(part.kind, items)
                items = [line]
            elif line.fenced or not _is_blank_or_rule(line):
                items.append(line)
            else:
                yield from self._build_item(part.kind, items)
                items = []
        yield from self._build_item(part.kind, items)

    def _build_item(self, part: str, item_lines: list[MarkdownLine]) -> Iterator[MemoryItem]:
        if not item_lines:
            return
        first = item_lines[0]
        span = Span(first.span.start, item_lines[-1].span.end)
        begun = None if first.fenced else _ITEM.match(first.text)
        if begun is None:
            yield MemoryItem(part, span.cut(self._text), None, None, first.number, span)
            return
        below = (line.text for line in item_lines[1:])
        text = "\n".join((first.text[begun.end() :].strip(), *below))
        box = Span(*begun.span(2)).shift(first.span.start) if begun[2] is not None else None
        checked = None if box is None else begun[2] in "xX"
        yield MemoryItem(part, text, checked, box, first.number, span)

    def _find_events(self, part: MemoryPart) -> tuple[list[MemoryEvent], Text | None]:
        """Return the events of the log, and what stands before the first of them."""
        heads = [line for line in self._lines_in(part.body) if line.level and not line.fenced]
        heads = [head for head in heads if head.level > part.level]
        timed = (head.level for head in heads if heading_time(head.title))
        level = min(timed, default=part.level + 1)
        heads = [head for head in heads if head.level <= level]
        listed = Span(part.body.start, heads[0].span.start if heads else part.body.end)
        events = list(self._find_listed_events(listed, dated=bool(heads)))
        first = events[0].span.start if events else listed.end
        note = self._trimmed_text(Span(listed.start, first))
        for number, head in enumerate(heads):
            end = heads[number + 1].span.start if number + 1 < len(heads) else part.body.end
            time = heading_time(head.title)
            title = _heading_text(head)
            if time is None:
                self._problems.append(
                    Finding(
                        title.span,
                        f"`{head.title[:40]}` is no time of ISO 8601, so the event counts as old "
                        "as the one above it.",
                        "Write a time such as `2026-01-31T09:30:00Z`.",
                        kind="unreadable-event",
                    )
                )
            body = self._trimmed_text(Span(self._line_after(head), end)).span
            span = Span(head.span.start, max(head.span.end, body.end))
            fields = tuple(self._find_fields(body))
            events.append(MemoryEvent(title, time, head.level, head.number, span, body, fields))
        return events, note if note.span.length else None

    def _find_listed_events(self, place: Span, *, dated: bool) -> Iterator[MemoryEvent]:
        """Yield the events that are items of a list. dated: only if the first begins with a time,
        since events with headings follow.
        """
        starts: list[tuple[MarkdownLine, re.Match[str]]] = []
        for line in self._lines_in(place):
            item = None if line.fenced or _is_blank_or_rule(line) else _ITEM.match(line.text)
            if item and (not starts or _indent(item) <= _indent(starts[0][1])):
                starts.append((line, item))
        if not starts or (dated and not _ITEM_TIME.match(starts[0][0].text, starts[0][1].end())):
            return
        ends = [*(line.span.start for line, _ in starts[1:]), place.end]
        for (line, item), end in zip(starts, ends, strict=True):
            span = self._trimmed_text(Span(line.span.start, end)).span
            stamp = _ITEM_TIME.match(line.text, item.end())
            time = iso_time.parse_instant(stamp[1]) if stamp else None
            at = Span(item.end(), len(line.text))
            body = line.span.start + item.end()
            if stamp and time is not None:
                at, body = Span(*stamp.span(1)), line.span.start + stamp.end()
            heading = Text(at.cut(line.text).strip(), at.shift(line.span.start))
            body_span = Span(min(body, span.end), span.end)
            fields = tuple(self._find_fields(body_span))
            yield MemoryEvent(heading, time, 0, line.number, span, body_span, fields)

    def _find_fields(self, body: Span) -> Iterator[EventField]:
        label: Text | None = None
        start = end = body.start
        first = max(bisect_right(self._starts, body.start) - 1, 0)
        for line in self._lines[first : bisect_left(self._starts, body.end, first)]:
            at = max(line.span.start, body.start)
            begun = None if line.fenced else _FIELD.match(line.text[at - line.span.start :])
            if begun:
                if label:
                    yield self._build_field(label, Span(start, end))
                label = Text(begun[1], Span(*begun.span(1)).shift(at))
                start = at + begun.end()
            end = line.span.end
        if label:
            yield self._build_field(label, Span(start, end))

    def _build_field(self, label: Text, place: Span) -> EventField:
        value = place.cut(self._text)
        start = place.start + len(value) - len(value.lstrip())
        value = value.strip()
        if len(value) > 1 and value[0] + value[-1] in _QUOTES:
            value, start = value[1:-1], start + 1
        name = _FIELD_NAMES.get(normalize_title(label.value), normalize_title(label.value))
        return EventField(name, label, Text(value, Span(start, start + len(value))))

    def _loose_text(self, parts: list[MemoryPart], title: MarkdownLine | None) -> Iterator[Span]:
        """Yield the text that belongs to no part of a known kind: before the first part, and under
        other names.
        """
        begin = self._line_after(title) if title else 0
        above = Span(0, title.span.start if title else 0)
        first = parts[0].span.start if parts else len(self._text)
        other_spans = (Span(part.span.start, part.own.end) for part in parts if not part.kind)
        for place in (above, Span(begin, max(begin, first)), *other_spans):
            if (trimmed := self._trimmed_text(place).span).length:
                yield trimmed


@lru_cache(maxsize=1024)
def _suggest_part_name(name: str) -> str:
    """Return the name of a part that a heading nearly is, "" for none."""
    return edit_distance.nearest_word(name, KIND_OF_NAME) if len(name) <= _MAX_HEADING else ""


def _heading_text(head: MarkdownLine) -> Text:
    at = head.span.start + max(head.text.find(head.title), 0)
    return Text(head.title, Span(at, at + len(head.title)))


def _indent(item: re.Match[str]) -> int:
    return len(item[1].expandtabs(4))


def _is_blank_or_rule(line: MarkdownLine) -> bool:
    return not (line.fenced or (line.text.strip() and not _HORIZONTAL_RULE.match(line.text)))
