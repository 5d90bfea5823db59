"""This module has what all readers of whole transcripts need: lines, records, times, files of
tools, turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import BinaryIO

from synapse_ls.integrations.tool_actions import tool_command
from synapse_ls.integrations.transcript_tail import LONGEST_LINE, inner_object, parse_record
from synapse_ls.integrations.transcript_turn import Turn, TurnDraft
from synapse_ls.text.fast_json import loads

# Names of arguments that tools of one client or the other take files under.
PATH_ARGUMENTS = (
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
# Names of arguments that hold the text of a whole file, and of a part of one.
WHOLE_TEXTS = ("content", "file_text", "contents", "CodeContent", "text")
CHANGED_TEXTS = ("new_string", "newString", "new_str", "ReplacementContent", "patch", "input")
_PATCH_FILE_MARKS = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


def read_lines(stream: BinaryIO, longest: int = LONGEST_LINE) -> Iterator[bytes]:
    """Yields the lines of a whole transcript, for a reader of its turns; those of more than
    ``longest`` bytes are passed over unread.

    Never more than that is held, however large the file.
    """
    while line := stream.readline(longest + 1):
        if len(line) <= longest:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(longest + 1)


def parse_records(lines: Iterable[bytes]) -> Iterator[Mapping[str, object]]:
    """Yields the records that the lines of a whole transcript hold, for a reader of its turns; a
    line without one is passed over.
    """
    for line in lines:
        if found := parse_record(line):
            yield found


def parse_time(value: object) -> float | None:
    """Reads the time of a turn from a transcript's record, in seconds since the epoch, from ISO
    8601 or a number of milliseconds; None for neither.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value / 1000 if 0 < value < 1e15 else None
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def string_value(value: object) -> str:
    """Returns a value that a reader of turns has found where it is a text, else ""."""
    return value if isinstance(value, str) else ""


def list_value(value: object) -> list[object]:
    """Returns a value that a reader of turns has found where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def message_text(content: object, *kinds: str) -> str:
    """Returns the texts in the content of a message in a turn of a transcript: a text, or a list of
    parts of which ``kinds`` count.
    """
    if isinstance(content, str):
        return content
    parts = (inner_object(part) for part in list_value(content))
    return "\n".join(
        string_value(part.get("text")) for part in parts if not kinds or part.get("type") in kinds
    )


def argument_paths(arguments: object) -> tuple[str, ...]:
    """Returns, for the turn that is read, the files in the arguments of a tool, which are an
    object, or JSON, or a patch.
    """
    if isinstance(arguments, str):
        patched = tuple(
            line.removeprefix(mark).strip()
            for line in arguments.splitlines()
            for mark in _PATCH_FILE_MARKS
            if line.startswith(mark)
        )
        if patched or not arguments.lstrip().startswith("{"):
            return patched
        try:
            arguments = loads(arguments)
        except ValueError:
            return ()
    given = inner_object(arguments)
    for key in ("input", "patch"):
        if patched := argument_paths(given.get(key)) if isinstance(given.get(key), str) else ():
            return patched
    single = tuple(string_value(given.get(key)) for key in PATH_ARGUMENTS)
    several = tuple(
        string_value(item) for key in ("paths", "files") for item in list_value(given.get(key))
    )
    return tuple(path for path in (*single, *several) if path)


def written_text(arguments: object) -> tuple[str, bool]:
    """Returns, for the turn that is read, the text in the arguments of a tool that writes a file,
    and whether it is all of the file.
    """
    if isinstance(arguments, str):
        return (arguments, "*** Add File: " in arguments) if "*** " in arguments else ("", False)
    given = inner_object(arguments)
    for names, is_whole in ((WHOLE_TEXTS, True), (CHANGED_TEXTS, False)):
        for name in names:
            if text := string_value(given.get(name)):
                return text, is_whole or "*** Add File: " in text
    return "", False


def add_tool_call(
    draft: TurnDraft, name: object, tool_input: object, key: object = "", error: str = ""
) -> None:
    """Adds a call of a tool to the open turn; ``tool_input`` is an object or the JSON of one."""
    arguments = tool_input
    if isinstance(tool_input, str) and tool_input.lstrip().startswith("{"):
        try:
            arguments = loads(tool_input)
        except ValueError:
            arguments = tool_input
    command = tool_command(string_value(name), arguments)
    written, is_whole = written_text(arguments)
    draft.add_call(
        string_value(name),
        command,
        argument_paths(tool_input),
        key=string_value(key),
        error=error,
        written=written,
        is_whole=is_whole,
    )


class TurnReader:
    """A TurnReader makes turns from the records of a transcript: it holds the open turn, and what
    was read before it.

    model: the id that the transcript named last.
    """

    __slots__ = ("compacted", "draft", "model", "pending")

    def __init__(self) -> None:
        self.draft: TurnDraft | None = None
        self.pending: list[str] = []
        self.compacted = False
        self.model = ""

    def open_turn(self, prompt: str, time: object) -> Iterator[Turn]:
        """Begins a turn with a new prompt, and yields the turn before, which ends."""
        yield from self.close_turn()
        self.draft = TurnDraft(
            prompt,
            parse_time(time),
            model=self.model,
            compacted=self.compacted,
            injected=self.pending,
        )
        self.pending, self.compacted = [], False

    def close_turn(self) -> Iterator[Turn]:
        """Ends the open turn and yields it, if there is one."""
        draft, self.draft = self.draft, None
        if draft is not None:
            self.pending, self.compacted = draft.pending, draft.compacted_at is not None
            yield draft.to_turn()

    def drop_turn(self) -> None:
        """Drops the open turn, which was none; what was read with it belongs to the next one."""
        draft, self.draft = self.draft, None
        if draft is not None:
            self.pending = [*draft.injected, *draft.pending]
            self.compacted = draft.compacted or draft.compacted_at is not None

    def add_compaction(self) -> None:
        """Notes that the client has compacted the history."""
        if self.draft is not None:
            self.draft.add_compaction()
        else:
            self.compacted = True

    def add_injected(self, texts: Iterable[str], *, within: bool = False) -> None:
        """Adds texts of hooks to the open turn until it is answered, else to what comes next.

        within: they belong to the open turn in any case.
        """
        draft = self.draft
        if draft is not None and (within or not draft.answered):
            draft.injected.update(dict.fromkeys(texts))
        else:
            (self.pending if draft is None else draft.pending).extend(texts)
