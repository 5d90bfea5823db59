"""Turns of whole transcripts in one vocabulary for all clients, and helpers of their readers."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import BinaryIO, NamedTuple

from synapse_ls.compaction.message import (
    Block,
    Message,
    RedactedThinking,
    Role,
    Thinking,
    ToolResult,
    ToolUse,
)
from synapse_ls.integrations import tool_uses, transcript_tail
from synapse_ls.text.fast_json import loads


@dataclass(slots=True)
class MessageWindow:
    """The messages in a model's window in order, each under a key by which the transcript speaks of
    it; "" for none.
    """

    entries: list[tuple[str, Message]] = field(default_factory=list)

    def add(self, role: Role, content: Iterable[Block], key: str = "") -> None:
        """Add a message of ``role``; a message without content is none."""
        if blocks := tuple(content):
            self.entries.append((key, Message(role, blocks)))

    def extend(self, role: Role, content: Iterable[Block]) -> None:
        """Add content to the last message."""
        key, last = self.entries.pop()
        self.entries.append((key, replace(last, role=role, content=(*last.content, *content))))

    def replace(self, messages: Iterable[tuple[Role, Iterable[Block]]], key: str) -> None:
        """Put messages in the place of those with their key, or at the end where there are none."""
        fresh = [
            (key, Message(role, blocks)) for role, content in messages if (blocks := tuple(content))
        ]
        places = [place for place, (name, _) in enumerate(self.entries) if name == key]
        begin = places[0] if places else len(self.entries)
        end = places[-1] + 1 if places else begin
        self.entries[begin:end] = fresh

    def cut_after(self, length: int) -> list[tuple[str, Message]]:
        """Remove and return what stands after the first ``length`` messages."""
        self.entries, gone = self.entries[:length], self.entries[length:]
        return gone

    def cut_at(self, key: str) -> None:
        """Remove the first message with a key, and all after it."""
        for place, (name, _) in enumerate(self.entries):
            if name == key:
                del self.entries[place:]
                return

    def to_messages(self) -> list[Message]:
        """Return the messages, numbered from 1, without calls that nothing answered.

        An interruption leaves such calls, and no model takes a history with them.
        """
        blocks = (block for _, message in self.entries for block in message.content)
        answered = {block.tool_use_id for block in blocks if isinstance(block, ToolResult)}
        messages: list[Message] = []
        for _, message in self.entries:
            content = tuple(
                block
                for block in message.content
                if not isinstance(block, ToolUse) or block.id in answered
            )
            is_whole = len(content) == len(message.content)
            # Thoughts alone, of which the calls are gone, say nothing.
            if is_whole or not all(isinstance(b, Thinking | RedactedThinking) for b in content):
                messages.append(replace(message, content=content, number=len(messages) + 1))
        return messages


class ToolStep(NamedTuple):
    """The part of a transcript's turn that is a use of a tool which ran a command, or which failed.

    tool: its name, as the client spells it. command: the command line, or "". files: those
    that it was about. error: what the tool or the client said of its failure, "" where none
    is known. written: the text that it was given to write, is_whole: as that of a whole file.
    """

    tool: str
    command: str = ""
    files: tuple[str, ...] = ()
    error: str = ""
    written: str = ""
    is_whole: bool = False


class ToolMoment(NamedTuple):
    """The state of a transcript's turn when a tool was used, whatever tool it was.

    files: those that the tool was about. used, window, model: as in `Turn`, of the model call
    that asked for the tool. compacted: whether the history was compacted since the tool use
    before, or since the prompt; then reply_length and step_count are how many code points of
    the turn's reply and how many of its steps there were by then.
    """

    files: tuple[str, ...] = ()
    used: int | None = None
    window: int | None = None
    model: str = ""
    compacted: bool = False
    reply_length: int = 0
    step_count: int = 0


class Turn(NamedTuple):
    """One turn of a transcript: what a person, or a program that calls the client, asked, and what
    came of it.

    prompt: the words of the person, without what hooks and the client put beside them. time:
    when it was submitted, in seconds since the epoch; None where the transcript does not say.
    used, window: tokens of the context window as of the last model call of this turn; None
    where unknown. model: its id, or "". files: what the turn read, attached or changed, as
    the client spells it, each once. edited: those of them that tools have changed. compacted:
    whether the history was compacted since the agent's work on the turn before. injected: the
    texts of hooks that the model was shown. reply: the words of the agent, without its
    reasoning. steps: the commands that tools ran and the tools that failed, in their order.
    moments: every use of a tool, in their order; uses: the same uses, each with what it was given,
    and nothing of one that a person declined. shown: how many of the texts of ``injected`` the
    model had been shown by each of them.
    """

    prompt: str
    time: float | None = None
    used: int | None = None
    window: int | None = None
    model: str = ""
    files: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    compacted: bool = False
    injected: tuple[str, ...] = ()
    reply: str = ""
    steps: tuple[ToolStep, ...] = ()
    moments: tuple[ToolMoment, ...] = ()
    uses: tuple[ToolStep, ...] = ()
    shown: tuple[int, ...] = ()


@dataclass(slots=True)
class TurnDraft:
    """A turn of a transcript that is still being read.

    replies: by the client's id of the message, else by their text. steps, moments: by the client's
    id of the call. declined: ids of calls that a person did not let happen. compacted_at, pending:
    a compaction (lengths of the reply and number of steps by then), and texts of hooks, since the
    agent was last heard of: they are of this turn if it goes on to use a tool, else of the next.
    """

    prompt: str
    time: float | None = None
    model: str = ""
    compacted: bool = False
    injected: dict[str, None] = field(default_factory=dict)
    used: int | None = None
    window: int | None = None
    files: dict[str, None] = field(default_factory=dict)
    edited: dict[str, None] = field(default_factory=dict)
    replies: dict[str, str] = field(default_factory=dict)
    steps: dict[str, ToolStep] = field(default_factory=dict)
    moments: dict[str, ToolMoment] = field(default_factory=dict)
    shown: list[int] = field(default_factory=list)
    declined: set[str] = field(default_factory=set)
    compacted_at: tuple[int, int] | None = None
    pending: list[str] = field(default_factory=list)
    answered: bool = False

    def set_usage(self, used: int, window: int | None, model: str = "") -> None:
        """Note that a model call was sent ``used`` tokens; 0 says nothing."""
        if used:
            self.used = used
            self.window = window or None
        self.model = model or self.model

    def add_usage(self, usage: transcript_tail.Usage | None, model: str = "") -> None:
        """Note what the transcript says of the window after a call of ``model``."""
        fields = usage or {}
        used, window = (transcript_tail.token_count(fields.get(n)) for n in ("used", "window"))
        self.set_usage(used, window, transcript_tail.string_value(fields.get("model")) or model)

    def add_files(self, paths: Iterable[str], *, edited: bool = False) -> None:
        """Note that the turn has read or changed the files ``paths``."""
        for path in paths:
            if path:
                self.files[path] = None
                if edited:
                    self.edited[path] = None

    def add_reply(self, text: str, key: str = "") -> None:
        """Note that the agent said ``text``, instead of what it said before under the same
        ``key``.
        """
        self.answered = True
        if text.strip():
            self.replies[key or text] = text

    def add_tool_call(
        self,
        tool: object,
        tool_input: object,
        key: object = "",
        *,
        error: str = "",
        edits: bool = False,
    ) -> None:
        """Note a call of a tool, and the files that it names; what is told again under the same
        ``key`` is the same call.

        tool_input: an object, the JSON of one, or a patch. edits: whether it changes these files.
        """
        files = argument_paths(tool_input)
        self.add_files(files, edited=edits)
        arguments = tool_input
        if isinstance(tool_input, str) and tool_input.lstrip().startswith("{"):
            with suppress(ValueError):
                arguments = loads(tool_input)
        name = transcript_tail.string_value(tool)
        id = transcript_tail.string_value(key) or f"#{len(self.steps)}"
        if (before := self.steps.get(id)) is None:
            is_compacted, place = self.compacted_at is not None, self.compacted_at or ()
            usage = (self.used, self.window, self.model)
            self.moments[id] = ToolMoment(files, *usage, is_compacted, *place)
            self.injected.update(dict.fromkeys(self.pending))
            self.compacted_at, self.pending = None, []
            self.shown.append(len(self.injected))
        error = error or (before.error if before else "")
        command = tool_uses.tool_command(name, arguments)
        self.steps[id] = ToolStep(name, command, files, error, *_written_text(arguments))

    def add_failure(self, key: str, error: str) -> None:
        """Note that the call under ``key`` has failed."""
        step = self.steps.get(key)
        if error and key and step is not None:
            self.steps[key] = step._replace(error=error)

    def add_return(self, key: str) -> None:
        """Note that the call under ``key`` is over; what was measured meanwhile counts for it."""
        if moment := self.moments.get(key):
            self.moments[key] = moment._replace(
                used=self.used, window=self.window, model=self.model
            )

    def add_compaction(self) -> None:
        """Note that the history was compacted."""
        self.compacted_at = len(self._reply_text()), len(self._notable_steps())

    def _reply_text(self) -> str:
        return "\n\n".join(self.replies.values())

    def _notable_steps(self) -> tuple[ToolStep, ...]:
        return tuple(step for step in self.steps.values() if step.command or step.error)

    def to_turn(self) -> Turn:
        """Return the turn as far as it was read."""
        return Turn(
            self.prompt,
            self.time,
            self.used,
            self.window,
            self.model,
            tuple(self.files),
            tuple(self.edited),
            self.compacted,
            tuple(self.injected),
            self._reply_text(),
            self._notable_steps(),
            tuple(self.moments.values()),
            tuple(
                ToolStep("") if name in self.declined else self.steps[name] for name in self.moments
            ),
            tuple(self.shown),
        )


# Names of arguments that tools of one client or the other take files under.
PATH_ARGUMENTS = (
    "file_path", "filePath", "path", "notebook_path", "absolute_path", "AbsolutePath", "TargetFile",
    "target_file", "filename",
)  # fmt: skip
# Names of arguments that hold the text of a whole file, and of a part of one.
WHOLE_TEXTS = ("content", "file_text", "contents", "CodeContent", "text")
CHANGED_TEXTS = ("new_string", "newString", "new_str", "ReplacementContent", "patch", "input")
_PATCH_FILE_MARKS = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


def read_lines(stream: BinaryIO, longest: int = transcript_tail.LONGEST_LINE) -> Iterator[bytes]:
    """Yield the lines of a whole transcript, for a reader of its turns; those of more than
    ``longest`` bytes are passed over unread.

    Never more than that is held, however large the file.
    """
    while line := stream.readline(longest + 1):
        if len(line) <= longest:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(longest + 1)


def parse_records(lines: Iterable[bytes]) -> Iterator[transcript_tail.Record]:
    """Yield the records that the lines of a whole transcript hold, for a reader of its turns; a
    line without one is passed over.
    """
    return filter(None, map(transcript_tail.parse_record, lines))


def parse_time(value: object) -> float | None:
    """Read the time of a turn from a transcript's record, in seconds since the epoch, from ISO 8601
    or a number of milliseconds; None for neither.
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


def list_value(value: object) -> list[object]:
    """Return a value that a reader of turns has found where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def message_text(content: object, *kinds: str) -> str:
    """Return the texts in the content of a message in a turn of a transcript, as `text_blocks`."""
    return "\n".join(text_blocks(content, *kinds))


def text_blocks(content: object, *kinds: str) -> list[str]:
    """Return each text in the content of a message in a turn of a transcript: a text, or a list of
    parts of which ``kinds`` count.
    """
    if isinstance(content, str):
        return [content]
    return [
        transcript_tail.string_value(part.get("text"))
        for part in transcript_tail.object_items(content)
        if not kinds or part.get("type") in kinds
    ]


def argument_paths(arguments: object) -> tuple[str, ...]:
    """Return, for the turn that is read, the files in the arguments of a tool, which are an object,
    or JSON, or a patch.
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
    fields = transcript_tail.inner_object(arguments)
    for key in ("input", "patch"):
        if patched := argument_paths(fields.get(key)) if isinstance(fields.get(key), str) else ():
            return patched
    single = tuple(transcript_tail.string_value(fields.get(key)) for key in PATH_ARGUMENTS)
    several = tuple(
        transcript_tail.string_value(item)
        for key in ("paths", "files")
        for item in list_value(fields.get(key))
    )
    return tuple(path for path in (*single, *several) if path)


def _written_text(arguments: object) -> tuple[str, bool]:
    """Return the text in the arguments of a tool that writes a file, and whether it is all of the
    file.
    """
    if isinstance(arguments, str):
        return (arguments, "*** Add File: " in arguments) if "*** " in arguments else ("", False)
    fields = transcript_tail.inner_object(arguments)
    for name in (*WHOLE_TEXTS, *CHANGED_TEXTS):
        if text := transcript_tail.string_value(fields.get(name)):
            return text, name in WHOLE_TEXTS or "*** Add File: " in text
    return "", False


class HistoryReader(NamedTuple):
    """What reads the whole transcripts of one client.

    recognises_record: whether the client wrote such a record. read_turns: the turns of the main
    conversation in the lines of a file. read_messages: those in the model's window at the end of
    it, None where they cannot be read.
    """

    client: str
    recognises_record: Callable[[transcript_tail.Record], bool]
    read_turns: Callable[[Iterable[bytes]], Iterator[Turn]]
    read_messages: Callable[[Iterable[bytes]], list[Message]] | None = None


@dataclass(slots=True)
class TurnReader:
    """A maker of turns from the records of a transcript: it holds the open turn, and what was read
    before it.

    model: the id that the transcript named last.
    """

    draft: TurnDraft | None = None
    pending: list[str] = field(default_factory=list)
    compacted: bool = False
    model: str = ""

    def open_turn(self, prompt: str, time: object) -> Iterator[Turn]:
        """Begin a turn with a new prompt, and yield the turn before, which ends."""
        yield from self.close_turn()
        self.draft = TurnDraft(
            prompt,
            parse_time(time),
            model=self.model,
            compacted=self.compacted,
            injected=dict.fromkeys(self.pending),
        )
        self.pending, self.compacted = [], False

    def close_turn(self) -> Iterator[Turn]:
        """End the open turn and yield it, if there is one."""
        draft, self.draft = self.draft, None
        if draft is not None:
            self.pending, self.compacted = draft.pending, draft.compacted_at is not None
            yield draft.to_turn()

    def drop_turn(self) -> None:
        """Drop the open turn, which was none; what was read with it belongs to the next one."""
        draft, self.draft = self.draft, None
        if draft is not None:
            self.pending = [*draft.injected, *draft.pending]
            self.compacted = draft.compacted or draft.compacted_at is not None

    def add_compaction(self) -> None:
        """Note that the client has compacted the history."""
        if self.draft is not None:
            self.draft.add_compaction()
        else:
            self.compacted = True

    def add_injected(self, texts: Iterable[str], *, within: bool = False) -> None:
        """Add texts of hooks to the open turn until it is answered, else to what comes next.

        within: they belong to the open turn in any case.
        """
        if (draft := self.draft) is not None and (within or not draft.answered):
            draft.injected.update(dict.fromkeys(texts))
        else:
            (self.pending if draft is None else draft.pending).extend(texts)
