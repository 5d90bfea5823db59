"""This module defines one turn of a past session, in one vocabulary for the transcripts of all
clients.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class ToolStep(NamedTuple):
    """A ToolStep is the part of a transcript's turn that is a use of a tool which ran a command, or
    which failed.

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
    """A ToolMoment is the state of a transcript's turn when a tool was used, whatever tool it was.

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
    """A Turn is one turn of a transcript: what a person, or a program that calls the client, asked,
    and what came of it.

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


class TurnDraft:
    """A TurnDraft is a turn of a transcript that is still being read.

    compacted_at, pending: a compaction (lengths of the reply and number of steps by then),
    and texts of hooks, since the agent was last heard of: they are of this turn if it goes on
    to use a tool, else of the next.
    """

    __slots__ = (
        "answered",
        "compacted",
        "compacted_at",
        "declined",
        "edited",
        "files",
        "injected",
        "model",
        "moments",
        "pending",
        "prompt",
        "replies",
        "shown",
        "steps",
        "time",
        "used",
        "window",
    )

    def __init__(
        self,
        prompt: str,
        time: float | None = None,
        *,
        model: str = "",
        compacted: bool = False,
        injected: Iterable[str] = (),
    ) -> None:
        self.prompt = prompt
        self.time = time
        self.model = model
        self.compacted = compacted
        self.injected = dict.fromkeys(injected)
        self.used: int | None = None
        self.window: int | None = None
        self.files: dict[str, None] = {}
        self.edited: dict[str, None] = {}
        self.replies: dict[str, str] = {}  # by the client's id of the message, else by their text
        self.steps: dict[str, ToolStep] = {}  # by the client's id of the call
        self.moments: dict[str, ToolMoment] = {}  # likewise
        self.shown: list[int] = []
        self.declined: set[str] = set()  # ids of calls that a person did not let happen
        self.compacted_at: tuple[int, int] | None = None
        self.pending: list[str] = []
        self.answered = False

    def set_usage(self, used: int, window: int | None, model: str = "") -> None:
        """Notes that a model call was sent ``used`` tokens; 0 says nothing."""
        if used:
            self.used = used
            self.window = window or None
        self.model = model or self.model

    def add_files(self, paths: Iterable[str], *, edited: bool = False) -> None:
        """Notes that the turn has read or changed the files ``paths``."""
        for path in paths:
            if path:
                self.files[path] = None
                if edited:
                    self.edited[path] = None

    def add_reply(self, text: str, key: str = "") -> None:
        """Notes that the agent said ``text``, instead of what it said before under the same
        ``key``.
        """
        self.answered = True
        if text.strip():
            self.replies[key or text] = text

    def add_call(
        self,
        tool: str,
        command: str,
        files: Iterable[str] = (),
        *,
        key: str = "",
        error: str = "",
        written: str = "",
        is_whole: bool = False,
    ) -> None:
        """Notes a call of a tool; what is told again under the same ``key`` is the same call."""
        name = key or f"#{len(self.steps)}"
        before = self.steps.get(name)
        if before is None:
            self.moments[name] = ToolMoment(
                tuple(files),
                *self._usage_figures(),
                self.compacted_at is not None,
                *(self.compacted_at or ()),
            )
            self.injected.update(dict.fromkeys(self.pending))
            self.compacted_at, self.pending = None, []
            self.shown.append(len(self.injected))
        self.steps[name] = ToolStep(
            tool,
            command,
            tuple(files),
            error or (before.error if before else ""),
            written,
            is_whole,
        )

    def add_failure(self, key: str, error: str) -> None:
        """Notes that the call under ``key`` has failed."""
        step = self.steps.get(key)
        if error and key and step is not None:
            self.steps[key] = step._replace(error=error)

    def add_decline(self, key: str) -> None:
        """Notes that a person has declined the call under ``key``."""
        self.declined.add(key)

    def add_return(self, key: str) -> None:
        """Notes that the call under ``key`` is over; what was measured meanwhile counts for it."""
        moment = self.moments.get(key)
        if moment is not None:
            used, window, model = self._usage_figures()
            self.moments[key] = moment._replace(used=used, window=window, model=model)

    def add_compaction(self) -> None:
        """Notes that the history was compacted."""
        self.compacted_at = len(self._reply_text()), len(self._notable_steps())

    def _reply_text(self) -> str:
        return "\n\n".join(self.replies.values())

    def _notable_steps(self) -> tuple[ToolStep, ...]:
        return tuple(step for step in self.steps.values() if step.command or step.error)

    def _usage_figures(self) -> tuple[int | None, int | None, str]:
        return self.used, self.window, self.model

    def to_turn(self) -> Turn:
        """Returns the turn as far as it was read."""
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
