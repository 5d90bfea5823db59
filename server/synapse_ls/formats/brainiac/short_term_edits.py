"""Edits of a short-term memory: add events and items, tick tasks, replace the summary, promote.

Everything else stays byte for byte. Events are added at the top of the log, items at the end of
their list, and missing parts where they belong. Added text cannot begin a part or an event.
"""

from collections.abc import Iterable

from synapse_ls.formats.brainiac.reserved_headings import escape_structure, find_open_fence
from synapse_ls.formats.brainiac.short_term_memory import (
    DATA,
    EVENTS,
    GOALS,
    LISTS,
    MAIN_PARTS,
    SUMMARY,
    TASKS,
    TITLE,
    TITLES,
    MemoryItem,
    MemoryPart,
    ShortTermMemory,
    parse,
)
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits, with_line_break

# A short-term memory that says nothing yet.
EMPTY_MEMORY = f"""\
# {TITLE}

## {TITLES[SUMMARY]}

---

## {TITLES[DATA]}

### {TITLES[GOALS]}

### {TITLES["facts"]}

### {TITLES[TASKS]}

---

## {TITLES[EVENTS]}

Newest entries first.
"""


def add_event(
    memory: ShortTermMemory, time: str, *, user: str = "", ai: str = "", thoughts: str = ""
) -> str:
    """Edit the short-term memory: return it with an event on top of the log. time: in ISO 8601."""
    log = memory.part(EVENTS)
    level = memory.events[0].level if memory.events else (log.level if log else 2) + 1
    mark = "#" * level
    if not level:  # the log is a list
        start = memory.events[0].span.start
        mark = memory.text[start : memory.text.index(memory.text[start:].lstrip()[0], start) + 1]
    indent = "" if level else " " * (len(mark.expandtabs(4)) + 1)
    lines = [f"{mark} {' '.join(time.split())}"]
    fields = (("User", user, True), ("AI", ai, True), ("Thoughts", thoughts, False))
    for label, value, quoted in fields:
        if value.strip():
            # What stands before its first line decides whether a fence can begin there.
            structure = escape_structure(f'"{value.strip()}"' if quoted else f".{value.strip()}")
            lines.append(f"**{label}:** {structure if quoted else structure[1:]}")
    text = "\n".join(lines).replace("\n", f"\n{indent}")
    if log is None:
        return _add_part(memory, EVENTS, text)
    if memory.events:
        return _insert(memory, memory.events[0].span.start, text + ("\n\n" if level else "\n"))
    return _append_to_part(memory, log, text, blank_line=True)


def add_item(memory: ShortTermMemory, name: str, text: str) -> str:
    """Return the short-term memory with an item at the end of one of `LISTS`; goals and tasks have
    a box.
    """
    if name not in LISTS:
        raise ValueError(f"there is no list {name!r}: {', '.join(LISTS)}")
    box = "[ ] " if name in (GOALS, TASKS) else ""
    first, *more = escape_structure(text.strip()).split("\n")
    below = (f"  {other}" if other.strip() else other for other in more)
    line = "\n".join((f"- {box}{first}", *below))
    if (part := memory.part(name)) is not None:
        return _append_to_part(memory, part, line, blank_line=not memory.items_of(name))
    data = memory.part(DATA)
    level = data.level + 1 if data else 3
    section = f"{'#' * level} {TITLES[name]}\n{line}"
    if data is not None:
        return _append_to_part(memory, data, section, blank_line=True)
    return _add_part(memory, DATA, section)


def change_items(
    memory: ShortTermMemory,
    *,
    ticked: Iterable[MemoryItem] = (),
    unticked: Iterable[MemoryItem] = (),
    removed: Iterable[MemoryItem] = (),
) -> str:
    """Return the short-term memory with items ticked, unticked and removed; of one item the last of
    these counts.
    """
    marks = {item.box: mark for mark, items in (("x", ticked), (" ", unticked)) for item in items}
    gone = {with_line_break(memory.text, item.span) for item in removed}
    left = {
        box: mark
        for box, mark in marks.items()
        if box is not None and not any(span.contains(box.start) for span in gone)
    }
    edits = [*(TextEdit(span, "") for span in gone), *(TextEdit(b, m) for b, m in left.items())]
    return apply_edits(memory.text, edits)


def replace_summary(memory: ShortTermMemory, summary: str) -> str:
    """Return the short-term memory with another summary."""
    text = _with_file_newlines(memory, escape_structure(summary.strip()))
    part = memory.part(SUMMARY)
    if part is None or memory.summary is None:
        return _add_part(memory, SUMMARY, text)
    if memory.summary.span.length:
        return apply_edits(memory.text, [TextEdit(memory.summary.span, text)])
    return _append_to_part(memory, part, text, blank_line=True)


def promote_memory(memory: ShortTermMemory, summary: str) -> str:
    """Return the short-term memory after a promotion: the new summary, goals and tasks that are
    open, no events.

    Facts went to the long-term memory; what has another name stays.
    """
    edits = [
        TextEdit(with_line_break(memory.text, item.span), "")
        for item in memory.items
        if item.part == "facts" or (item.part in (GOALS, TASKS) and item.checked)
    ]
    if memory.events:
        first, last = memory.events[0].span.start, memory.events[-1].span.end
        edits.append(TextEdit(with_line_break(memory.text, Span(first, last)), ""))
    return replace_summary(parse(apply_edits(memory.text, edits)).document, summary)


def _insert(memory: ShortTermMemory, at: int, text: str) -> str:
    """Return the short-term memory with a text, in the line ends of the file, put in."""
    return apply_edits(memory.text, [TextEdit(Span(at, at), _with_file_newlines(memory, text))])


def _with_file_newlines(memory: ShortTermMemory, text: str) -> str:
    return text.replace("\n", "\r\n" if "\r\n" in memory.text else "\n")


def _append_to_part(
    memory: ShortTermMemory, part: MemoryPart, text: str, *, blank_line: bool
) -> str:
    """Return the text with something behind the last line of a part's own text; ``blank_line``:
    with a blank line between.
    """
    place = part.body if part.kind in MAIN_PARTS else part.own
    at = place.start
    for start, end in iter_lines(place.cut(memory.text)):
        if memory.text[place.start + start : place.start + end].strip().strip("-"):
            at = place.start + end
    gap = "\n\n" if blank_line else "\n"
    if at == place.start:
        # Right below the heading, whose line may be the last one of the file.
        before = "" if memory.text[: place.start].endswith(("\n", "\r")) else "\n"
        return _insert(memory, at, before + text + ("\n" if memory.text[place.start :] else ""))
    fence = find_open_fence(memory.text[:at])
    return _insert(memory, at, f"\n{fence}{gap}{text}" if fence else f"{gap}{text}")


def _add_part(memory: ShortTermMemory, name: str, text: str) -> str:
    """Return the text with a new part where it belongs: before the first one that comes
    after it.
    """
    section = f"## {TITLES[name]}\n\n{text}"
    later = MAIN_PARTS[MAIN_PARTS.index(name) + 1 :]
    following = next(
        (part for part in memory.parts if part.kind in (*later, *(LISTS if DATA in later else ()))),
        None,
    )
    if following is not None:
        return _insert(memory, following.span.start, f"{section}\n\n")
    before = memory.text.rstrip(" \t\r\n")
    if before:  # empty lines at the end go; blanks behind the last words stay
        end = memory.text[len(before) :]
        before += end[: len(end) - len(end.lstrip(" \t"))]
    gap = "\n\n" if before else ""
    fence = find_open_fence(before)
    gap = f"\n{fence}{gap}" if fence else gap
    at = len(before)
    new = _with_file_newlines(memory, f"{gap}{section}\n")
    return apply_edits(memory.text, [TextEdit(Span(at, len(memory.text)), new)])
