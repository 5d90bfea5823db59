"""What all readers of whole transcripts need: lines, records, times, the files that tools touch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import BinaryIO

from synapse_ls.hosts.transcripts.tail import LONGEST, record, table
from synapse_ls.hosts.transcripts.turn import Draft, Turn
from synapse_ls.hosts.uses import command_of
from synapse_ls.text.json import loads

# Names of arguments that tools of one client or the other take files under.
PLACES = (
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "absolute_path",
    "AbsolutePath",
    "TargetFile",
    "target_file",
    "filename",
)
_PATCH = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


def lines_of(stream: BinaryIO, longest: int = LONGEST) -> Iterator[bytes]:
    """The lines of ``stream``; those of more than ``longest`` bytes are passed over unread.

    Never more than that is held, however large the file.
    """
    while line := stream.readline(longest + 1):
        if len(line) <= longest:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(longest + 1)


def records(lines: Iterable[bytes]) -> Iterator[Mapping[str, object]]:
    """The objects that the lines hold; what is none is passed over."""
    for line in lines:
        if found := record(line):
            yield found


def moment(value: object) -> float | None:
    """Seconds since the epoch of an ISO 8601 time or of a number of milliseconds."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value / 1000 if 0 < value < 1e15 else None
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def text(value: object) -> str:
    """``value`` where it is a text, else ""."""
    return value if isinstance(value, str) else ""


def items(value: object) -> list[object]:
    """``value`` where it is a list, else none."""
    return value if isinstance(value, list) else []


def said(content: object, *kinds: str) -> str:
    """The texts in the content of a message: a text, or a list of parts of which ``kinds`` count."""
    if isinstance(content, str):
        return content
    parts = (table(part) for part in items(content))
    return "\n".join(
        text(part.get("text")) for part in parts if not kinds or part.get("type") in kinds
    )


def places(arguments: object) -> tuple[str, ...]:
    """The files in the arguments of a tool, which are an object, or JSON, or a patch."""
    if isinstance(arguments, str):
        patched = tuple(
            line.removeprefix(mark).strip()
            for line in arguments.splitlines()
            for mark in _PATCH
            if line.startswith(mark)
        )
        if patched or not arguments.lstrip().startswith("{"):
            return patched
        try:
            arguments = loads(arguments)
        except ValueError:
            return ()
    given = table(arguments)
    for key in ("input", "patch"):
        if patched := places(given.get(key)) if isinstance(given.get(key), str) else ():
            return patched
    single = tuple(text(given.get(key)) for key in PLACES)
    several = tuple(text(item) for key in ("paths", "files") for item in items(given.get(key)))
    return tuple(path for path in (*single, *several) if path)


def call(draft: Draft, name: object, given: object, key: object = "", error: str = "") -> None:
    """A tool of the open turn was called with the input ``given``, an object or the JSON of one."""
    arguments = given
    if isinstance(given, str) and given.lstrip().startswith("{"):
        try:
            arguments = loads(given)
        except ValueError:
            arguments = given
    command = command_of(text(name), arguments)
    draft.ran(text(name), command, places(given), key=text(key), error=error)


class Reading:
    """Turns in the making: the open one, and what was read before it.

    model: the id that the transcript named last.
    """

    __slots__ = ("compacted", "draft", "model", "pending")

    def __init__(self) -> None:
        self.draft: Draft | None = None
        self.pending: list[str] = []
        self.compacted = False
        self.model = ""

    def open(self, prompt: str, time: object) -> Iterator[Turn]:
        """A new prompt begins a turn and ends the one before, which is given."""
        yield from self.close()
        self.draft = Draft(
            prompt,
            moment(time),
            model=self.model,
            compacted=self.compacted,
            injected=self.pending,
        )
        self.pending, self.compacted = [], False

    def close(self) -> Iterator[Turn]:
        """The turn that is open, if any."""
        draft, self.draft = self.draft, None
        if draft is not None:
            self.pending, self.compacted = draft.pending, draft.forgotten is not None
            yield draft.turn()

    def drop(self) -> None:
        """The open turn was none; what was read with it belongs to the next one."""
        draft, self.draft = self.draft, None
        if draft is not None:
            self.pending = [*draft.injected, *draft.pending]
            self.compacted = draft.compacted or draft.forgotten is not None

    def compact(self) -> None:
        """The client has compacted the history."""
        if self.draft is not None:
            self.draft.forget()
        else:
            self.compacted = True

    def inject(self, texts: Iterable[str], *, within: bool = False) -> None:
        """Texts of hooks belong to the open turn until it is answered, else to what comes next.

        within: they belong to the open turn in any case.
        """
        draft = self.draft
        if draft is not None and (within or not draft.answered):
            draft.injected.update(dict.fromkeys(texts))
        else:
            (self.pending if draft is None else draft.pending).extend(texts)
