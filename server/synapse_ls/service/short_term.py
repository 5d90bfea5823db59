"""Brainiac's short-term memory, read and changed by people, programs and agents.

A change is a few edits of the text as it is on disk, so what it is not about stays byte for byte. Writers
of ours wait for each other; what somebody saves by hand in the meantime is seen before the file takes its
place, and the change is made anew on that.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from synapse_ls.formats.brainiac import short_term_edit as edits
from synapse_ls.formats.brainiac.short_term import parse
from synapse_ls.formats.brainiac.short_term_model import FACTS, GOALS, LISTS, TASKS
from synapse_ls.service.errors import ServiceError
from synapse_ls.sessions.files import Lock, SessionError, atomic_write, read_bytes
from synapse_ls.text.decode import decode
from synapse_ls.text.lines import LineIndex
from synapse_ls.workspace.read import MAX_BYTES
from synapse_ls.workspace.systems.brainiac import IDENTITY, SHORT_TERM

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from synapse_ls.formats.brainiac.short_term_model import Item, ShortTermMemory

PATIENCE = 5.0  # seconds to wait for another writer
TRIES = 5  # how often a change is made anew because the file was saved in the meantime
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Change:
    """What is to change, all of it at once.

    summary: the new one, "" for the one there is. goals, facts, tasks: texts to be added. done, reopened,
    dropped: items, by number or by words of their text. user, ai, thoughts: an event for the log. promoted:
    what went to the long-term memory goes: facts, goals and tasks that are done, and events.
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
        return any(said.strip() for said in (self.user, self.ai, self.thoughts))

    def __bool__(self) -> bool:
        return self.is_event or any(
            getattr(self, name) for name in self.__slots__ if name not in _SAID
        )


_SAID = ("user", "ai", "thoughts")


@dataclass(frozen=True, slots=True)
class Changed:
    """The memory after a change; ``notes`` say what of it was so already."""

    memory: ShortTermMemory
    notes: tuple[str, ...] = ()


def shown(root: str) -> ShortTermMemory:
    """The short-term memory of a tree. Raises ServiceError where there is none, or none of text."""
    try:
        return parse(_text(_read(root, may_lack=False))).document
    except SessionError as error:
        raise ServiceError(error.sentence, error.remedy) from error


def change(root: str, wanted: Change, now: float) -> Changed:
    """Change the short-term memory of a tree, which begins with it where there is none.

    ``now`` is in seconds since 1970. Raises ServiceError; nothing is changed then.
    """
    if not wanted:
        raise ServiceError("There is nothing to be changed.", "Say what.")
    try:
        return _change(root, wanted, now)
    except SessionError as error:
        raise ServiceError(error.sentence, error.remedy) from error


def _change(root: str, wanted: Change, now: float) -> Changed:
    path = os.path.join(root, SHORT_TERM)
    time = datetime.fromtimestamp(int(now), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    _read(root, may_lack=True)  # so that no folder is made where none belongs
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with Lock(path, PATIENCE, keep=False):
        for _ in range(TRIES):
            data = _read(root, may_lack=True)
            text = _text(data) if data is not None else edits.EMPTY
            made = edited(parse(text).document, wanted, time)
            mark = _BOM if data and data.startswith(_BOM) else b""
            if _read(root, may_lack=True) == data:
                if made.memory.text != text:
                    atomic_write(path, mark + made.memory.text.encode(), durable=True)
                return made
    raise ServiceError(
        f"{SHORT_TERM} is being changed by somebody else all the time.", "Try again later."
    )


def edited(memory: ShortTermMemory, wanted: Change, time: str) -> Changed:
    """``memory`` with a change. time: that of an event, in ISO 8601. ServiceError for an unknown item."""
    notes: list[str] = []
    text = edits.with_items_changed(
        memory,
        done=[_boxed(memory, name) for name in wanted.done],
        reopened=[_boxed(memory, name) for name in wanted.reopened],
        dropped=[_item(memory, name) for name in wanted.dropped],
    )
    if wanted.promoted:
        said = memory.summary.value if memory.summary else ""
        text = edits.promoted(parse(text).document, wanted.summary or said)
    elif wanted.summary.strip():
        text = edits.with_summary(parse(text).document, wanted.summary)
    for name, added in ((GOALS, wanted.goals), (FACTS, wanted.facts), (TASKS, wanted.tasks)):
        for item in added:
            known = parse(text).document
            if any(_folded(item) == _folded(other.text) for other in known.listed(name)):
                notes.append(f'"{" ".join(item.split())}" is among the {name} already')
            elif item.strip():
                text = edits.with_item(known, name, item)
    if wanted.is_event:
        event = {name: getattr(wanted, name) for name in _SAID}
        text = edits.with_event(parse(text).document, time, **event)
    return Changed(parse(text).document, tuple(notes))


def numbered(memory: ShortTermMemory) -> Iterator[tuple[int, Item]]:
    """The goals, facts and tasks, each with the number that it goes by."""
    return enumerate((item for name in LISTS for item in memory.listed(name)), 1)


def report(memory: ShortTermMemory) -> dict[str, Any]:
    """A memory as plain values; lines count from 1."""
    lines = LineIndex(memory.text)
    listed: dict[str, list[dict[str, Any]]] = {name: [] for name in LISTS}
    for number, item in numbered(memory):
        listed[item.part].append(
            {"number": number, "text": item.text, "done": item.checked, "line": item.line + 1}
        )
    return {
        "file": SHORT_TERM,
        "summary": memory.summary.value if memory.summary else "",
        **listed,
        "events": [
            {
                "time": event.heading.value,
                **{name: event.field(name) for name in _SAID},
                "line": lines.line_of(event.span.start) + 1,
            }
            for event in memory.events
        ],
    }


def _item(memory: ShortTermMemory, name: str) -> Item:
    """The one item that a number or some words mean."""
    known = dict(numbered(memory))
    if name.strip().isdecimal():
        if found := known.get(int(name)):
            return found
        raise ServiceError(f"There is no item {name.strip()}.", _KNOWN)
    word = _folded(name)
    same = [item for item in known.values() if _folded(item.text) == word]
    some = same or [item for item in known.values() if word and word in _folded(item.text)]
    if len(some) == 1:
        return some[0]
    if some:
        raise ServiceError(f'Several items have "{name}" in them.', _KNOWN)
    raise ServiceError(f'No item has "{name}" in it.', _KNOWN)


_KNOWN = "`synapse memory short-term show` numbers them."


def _boxed(memory: ShortTermMemory, name: str) -> Item:
    item = _item(memory, name)
    if item.box is None:
        shown = " ".join(item.text.split())[:60]
        raise ServiceError(f'"{shown}" has no box to be ticked.', "Goals and tasks have one.")
    return item


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _read(root: str, *, may_lack: bool) -> bytes | None:
    """The bytes of the file; None where a tree of Brainiac has none yet."""
    path = os.path.join(root, SHORT_TERM)
    real, base = os.path.realpath(path), os.path.realpath(root)
    if not real.startswith(base.rstrip(os.sep) + os.sep):
        raise ServiceError(
            f"{SHORT_TERM} leads out of the tree, so it is neither read nor written.",
            "Put the file itself there.",
        )
    if (data := read_bytes(path, MAX_BYTES)) is not None:
        return data
    if not os.path.isfile(os.path.join(root, IDENTITY)):
        remedy = "`synapse memory add` remembers things in any tree."
        raise ServiceError(f"{root} is no tree of Brainiac.", remedy)
    if not may_lack:
        remedy = "`synapse memory short-term set` begins it."
        raise ServiceError(f"There is no {SHORT_TERM} yet.", remedy)
    return None


def _text(data: bytes | None) -> str:
    decoded = decode(data or b"")
    if (_BOM if decoded.bom else b"") + decoded.text.encode(errors="replace") != (data or b""):
        raise ServiceError(
            f"{SHORT_TERM} is not UTF-8 throughout, so a change could damage the rest of it.",
            "Save it as UTF-8 first.",
        )
    return decoded.text
