"""Read and change Brainiac's short-term memory file, for people, programs and agents.

A change is a few edits of the text on disk; the rest stays byte for byte. Our writers lock the
file; if somebody else saves meanwhile, the change is planned again on the new text.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from synapse_ls.formats.brainiac import short_term_edits as edits
from synapse_ls.formats.brainiac.short_term_memory import (
    FACTS,
    GOALS,
    LISTS,
    TASKS,
    MemoryItem,
    ShortTermMemory,
    parse,
)
from synapse_ls.storage.atomic_files import FileLock, atomic_write, make_folders, read_bytes
from synapse_ls.text.decoding import decode_text
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_reader import MAX_BYTES
from synapse_ls.workspace.path_classification import IDENTITY, SHORT_TERM

LOCK_SECONDS = 5.0  # seconds to wait for another writer
MAX_TRIES = 5  # how often a change is made anew because the file was saved in the meantime
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ShortTermChange:
    """What is to change in the short-term memory, all of it at once.

    summary: the new one, "" for the one there is. goals, facts, tasks: texts to be added. done,
    reopened, dropped: items, by number or by words of their text. user, ai, thoughts: an event for
    the log. promoted: what went to the long-term memory goes: facts, goals and tasks that are done,
    and events.
    """

    summary: str = ""
    goals: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    reopened: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    user: str = ""
    ai: str = ""
    thoughts: str = ""
    promoted: bool = False

    @property
    def is_event(self) -> bool:
        """Whether there is something for the log."""
        return any(text.strip() for text in (self.user, self.ai, self.thoughts))

    def __bool__(self) -> bool:
        return self.is_event or any(
            getattr(self, name) for name in self.__slots__ if name not in _EVENT_FIELDS
        )


_EVENT_FIELDS = ("user", "ai", "thoughts")


@dataclass(frozen=True, slots=True)
class ShortTermResult:
    """The short-term memory after a change; ``notes`` say what of it was so already."""

    memory: ShortTermMemory
    notes: tuple[str, ...] = ()


def read_short_term(root: str) -> ShortTermMemory:
    """Return the short-term memory of a tree. Raises UserError where there is none, or none of
    text.
    """
    return parse(_decode_text(_read_file(root, may_lack=False))).document


def change_short_term(root: str, changes: ShortTermChange, now: float) -> ShortTermResult:
    """Change the short-term memory of a tree, which begins with it where there is none.

    ``now`` is in seconds since 1970. Raises UserError; nothing is changed then.
    """
    if not changes:
        raise UserError("There is nothing to be changed.", "Say what.")
    path = os.path.join(root, SHORT_TERM)
    time = datetime.fromtimestamp(int(now), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    _read_file(root, may_lack=True)  # so that no folder is made where none belongs
    make_folders(os.path.dirname(path), within=root)
    with FileLock(path, LOCK_SECONDS, within=root, keep=False):
        for _ in range(MAX_TRIES):
            data = _read_file(root, may_lack=True)
            text = _decode_text(data) if data is not None else edits.EMPTY_MEMORY
            result = apply_change(parse(text).document, changes, time)
            mark = _BOM if data and data.startswith(_BOM) else b""
            if _read_file(root, may_lack=True) == data:
                if result.memory.text != text:
                    data = mark + result.memory.text.encode()
                    atomic_write(path, data, within=root, durable=True)
                return result
    raise UserError(
        f"{SHORT_TERM} is being changed by somebody else all the time.", "Try again later."
    )


def affected_texts(root: str, changes: ShortTermChange) -> dict[str, list[str]]:
    """Return what a change ticks, drops and writes over, by field. Raises UserError for an unknown
    item.
    """
    if not (changes.summary or changes.done or changes.dropped):
        return {}
    memory = parse(_decode_text(_read_file(root, may_lack=True))).document
    summaries = [memory.summary.value] if changes.summary and memory.summary else []
    ticked = [_find_checkbox(memory, name).text for name in changes.done]
    removed = [_find_item(memory, name).text for name in changes.dropped]
    affected = {"done": ticked, "dropped": removed, "summary until now": summaries}
    return {name: texts for name, texts in affected.items() if texts}


def apply_change(memory: ShortTermMemory, changes: ShortTermChange, time: str) -> ShortTermResult:
    """Return the short-term memory with a change. time: that of an event, in ISO 8601. Raises
    UserError for an unknown item.
    """
    notes: list[str] = []
    text = edits.change_items(
        memory,
        ticked=[_find_checkbox(memory, name) for name in changes.done],
        unticked=[_find_checkbox(memory, name) for name in changes.reopened],
        removed=[_find_item(memory, name) for name in changes.dropped],
    )
    if changes.promoted:
        summary = memory.summary.value if memory.summary else ""
        text = edits.promote_memory(parse(text).document, changes.summary or summary)
    elif changes.summary.strip():
        text = edits.replace_summary(parse(text).document, changes.summary)
    for name, added in ((GOALS, changes.goals), (FACTS, changes.facts), (TASKS, changes.tasks)):
        for item in added:
            current = parse(text).document
            if any(_fold_text(item) == _fold_text(other.text) for other in current.items_of(name)):
                notes.append(f'"{" ".join(item.split())}" is among the {name} already')
            elif item.strip():
                text = edits.add_item(current, name, item)
    if changes.is_event:
        event = {name: getattr(changes, name) for name in _EVENT_FIELDS}
        text = edits.add_event(parse(text).document, time, **event)
    return ShortTermResult(parse(text).document, tuple(notes))


def number_items(memory: ShortTermMemory) -> Iterator[tuple[int, MemoryItem]]:
    """Return the goals, facts and tasks of a short-term memory, each with the number that it goes
    by.
    """
    return enumerate((item for name in LISTS for item in memory.items_of(name)), 1)


def short_term_report(memory: ShortTermMemory) -> dict[str, Any]:
    """Return a short-term memory as plain values; lines count from 1."""
    lines = LineIndex(memory.text)
    listed: dict[str, list[dict[str, Any]]] = {name: [] for name in LISTS}
    for number, item in number_items(memory):
        listed[item.part].append(
            {"number": number, "text": item.text, "done": item.checked, "line": item.line + 1}
        )
    return {
        "file": SHORT_TERM,
        "summary": memory.summary.value if memory.summary else "",
        **listed,
        "events": [
            {
                "time": event.heading.value if event.level or event.time is not None else "",
                "text": memory.text_at(event.body).strip(),
                **{name: event.field_value(name) for name in _EVENT_FIELDS},
                "line": lines.line_of(event.span.start) + 1,
            }
            for event in memory.events
        ],
    }


def _find_item(memory: ShortTermMemory, name: str) -> MemoryItem:
    """Return the one item that a number or some words mean."""
    items = dict(number_items(memory))
    if name.strip().isdecimal():
        if item := items.get(int(name)):
            return item
        raise UserError(f"There is no item {name.strip()}.", _ITEM_REMEDY)
    word = _fold_text(name)
    same = [item for item in items.values() if _fold_text(item.text) == word]
    some = same or [item for item in items.values() if word and word in _fold_text(item.text)]
    if len(some) == 1:
        return some[0]
    if some:
        raise UserError(f'Several items have "{name}" in them.', _ITEM_REMEDY)
    raise UserError(f'No item has "{name}" in it.', _ITEM_REMEDY)


_ITEM_REMEDY = "`synapse memory short-term show` numbers them."


def _find_checkbox(memory: ShortTermMemory, name: str) -> MemoryItem:
    if (item := _find_item(memory, name)).box is None:
        shortened = " ".join(item.text.split())[:60]
        raise UserError(f'"{shortened}" has no box to be ticked.', "Goals and tasks have one.")
    return item


def _fold_text(text: str) -> str:
    return " ".join(text.split()).casefold()


def _read_file(root: str, *, may_lack: bool) -> bytes | None:
    """Return the bytes of the file; None where a tree of Brainiac has none yet."""
    if (data := read_bytes(os.path.join(root, SHORT_TERM), MAX_BYTES, within=root)) is not None:
        return data
    if not os.path.isfile(os.path.join(root, IDENTITY)):
        remedy = "`synapse memory add` remembers things in any tree."
        raise UserError(f"{root} is no tree of Brainiac.", remedy)
    if not may_lack:
        remedy = "`synapse memory short-term set` begins it."
        raise UserError(f"There is no {SHORT_TERM} yet.", remedy)
    return None


def _decode_text(data: bytes | None) -> str:
    decoded = decode_text(data or b"")
    if (_BOM if decoded.bom else b"") + decoded.text.encode(errors="replace") != (data or b""):
        raise UserError(
            f"{SHORT_TERM} is not UTF-8 throughout, so a change could damage the rest of it.",
            "Save it as UTF-8 first.",
        )
    return decoded.text
