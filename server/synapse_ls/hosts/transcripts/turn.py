"""One turn of a past session, in one vocabulary for the transcripts of all clients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Step(NamedTuple):
    """A use of a tool that ran a command, or that failed.

    tool: its name, as the client spells it. command: the command line, or "". files: those that it
    was about. error: what the tool or the client said of its failure, "" where none is known.
    """

    tool: str
    command: str = ""
    files: tuple[str, ...] = ()
    error: str = ""


class Moment(NamedTuple):
    """A tool was used, whatever it was.

    files: those that it was about. used, window, model: as in `Turn`, of the model call that asked for
    it. compacted: whether the history was compacted since the
    moment before, or since the prompt; then ``said`` and ``ran`` are how many code points of the turn's
    reply and how many of its steps there were by then.
    """

    files: tuple[str, ...] = ()
    used: int | None = None
    window: int | None = None
    model: str = ""
    compacted: bool = False
    said: int = 0
    ran: int = 0


class Turn(NamedTuple):
    """What a person, or a program that calls the client, asked, and what came of it.

    prompt: the words of the person, without what hooks and the client put beside them.
    time: when it was submitted, in seconds since the epoch; None where the transcript does not say.
    used, window: tokens of the context window as of the last model call of this turn; None where
    unknown. model: its id, or "". files: what the turn read, attached or changed, as the client
    spells it, each once. edited: those of them that tools have changed. compacted: whether the
    history was compacted since the agent's work on the turn before. injected: the texts of hooks that the model was
    shown. reply: the words of the agent, without its reasoning. steps: the commands that tools ran
    and the tools that failed, in their order. moments: every use of a tool, in their order.
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
    steps: tuple[Step, ...] = ()
    moments: tuple[Moment, ...] = ()


class Draft:
    """A turn that is still being read.

    forgotten, pending: a compaction (what there was of reply and steps by then), and texts of hooks,
    since the agent was last heard of: they are of this turn if it goes on to use a tool, else of the next.
    """

    __slots__ = (
        "answered",
        "compacted",
        "edited",
        "files",
        "forgotten",
        "injected",
        "model",
        "moments",
        "pending",
        "prompt",
        "replies",
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
        self.steps: dict[str, Step] = {}  # by the client's id of the call
        self.moments: dict[str, Moment] = {}  # likewise
        self.forgotten: tuple[int, int] | None = None
        self.pending: list[str] = []
        self.answered = False

    def measure(self, used: int, window: int | None, model: str = "") -> None:
        """A model call was sent ``used`` tokens; 0 says nothing."""
        if used:
            self.used = used
            self.window = window or None
        self.model = model or self.model

    def touch(self, paths: Iterable[str], *, edited: bool = False) -> None:
        """The turn has read or changed the files ``paths``."""
        for path in paths:
            if path:
                self.files[path] = None
                if edited:
                    self.edited[path] = None

    def say(self, text: str, key: str = "") -> None:
        """The agent said ``text``, instead of what it said before under the same ``key``."""
        self.answered = True
        if text.strip():
            self.replies[key or text] = text

    def ran(
        self, tool: str, command: str, files: Iterable[str] = (), *, key: str = "", error: str = ""
    ) -> None:
        """A tool was called; what is told again under the same ``key`` is the same call."""
        name = key or f"#{len(self.steps)}"
        before = self.steps.get(name)
        if before is None:
            self.moments[name] = Moment(
                tuple(files), *self._figures(), self.forgotten is not None, *(self.forgotten or ())
            )
            self.injected.update(dict.fromkeys(self.pending))
            self.forgotten, self.pending = None, []
        self.steps[name] = Step(
            tool, command, tuple(files), error or (before.error if before else "")
        )

    def failed(self, key: str, error: str) -> None:
        """The call that was told under ``key`` has failed."""
        step = self.steps.get(key)
        if error and key and step is not None:
            self.steps[key] = step._replace(error=error)

    def returned(self, key: str) -> None:
        """The call that was told under ``key`` is over; what was measured meanwhile counts for it."""
        moment = self.moments.get(key)
        if moment is not None:
            used, window, model = self._figures()
            self.moments[key] = moment._replace(used=used, window=window, model=model)

    def forget(self) -> None:
        """The history was compacted."""
        self.forgotten = len(self._reply()), len(self._steps())

    def _reply(self) -> str:
        return "\n\n".join(self.replies.values())

    def _steps(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps.values() if step.command or step.error)

    def _figures(self) -> tuple[int | None, int | None, str]:
        return self.used, self.window, self.model

    def turn(self) -> Turn:
        """What there is to know of the turn."""
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
            self._reply(),
            self._steps(),
            tuple(self.moments.values()),
        )
