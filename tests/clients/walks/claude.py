"""Claude Code in a terminal; other windows beside it are processes of one prompt."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from tests.clients.claude import Claude
from tests.clients.client import Client
from tests.clients.model import Usage
from tests.clients.terminal import Terminal
from tests.clients.walks.player import MAIN, Player

WINDOW = 100_000  # tokens


class ClaudePlayer(Player):
    client: Claude
    moves: ClassVar = frozenset(
        [
            "cancel",
            "interrupt",
            "rewind",
            "compact",
            "fill",
            "resume",
            "continue",
            "clear",
            "fork",
            "crash",
            "delegate",
        ]
    )
    limit: ClassVar = 10_000
    shows_rewind: ClassVar = False

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        shared = client.environment()
        own = {**shared, "CLAUDE_CODE_AUTO_COMPACT_WINDOW": str(WINDOW)}
        client.environment = lambda: own  # type: ignore[method-assign]

    @contextmanager
    def open(self) -> Iterator[None]:
        self._terminal: Terminal = self.client.open_terminal()
        try:
            yield
        finally:
            self._terminal.end(signal.SIGTERM)

    def say(self, window: str, prompt: str) -> None:
        if window == MAIN:
            self._type(lambda: self.client.converse(self._terminal, prompt))
        else:
            super().say(window, prompt)

    def cancel(self, prompt: str) -> None:
        self._type(lambda: self.client.cancel(self._terminal, prompt))

    def interrupt(self, prompt: str) -> None:
        self._type(lambda: self.client.interrupt(self._terminal, prompt))

    def fill(self, prompt: str) -> None:
        self.model.will_claim(Usage(WINDOW - 1000))
        self.will_use_tools(2)
        self.say(MAIN, prompt)

    def delegate(self, prompt: str, task: str) -> None:
        arguments = {"description": "Look", "prompt": task, "subagent_type": "general-purpose"}
        self.model.will_call("Agent", **arguments, run_in_background=False)
        self.say(MAIN, prompt)

    def _type(self, act: Callable[[], object]) -> None:
        """Something in the main window, whose session is the one that its hooks name."""
        before = len(self.place.hooked)
        act()
        for call in self.place.hooked[before:]:
            if self.is_of_main_agent(call):
                self.sessions[MAIN] = call.session

    def rewind(self, prompts: Sequence[str]) -> int:
        self.client.rewind(self._terminal, prompts[0], len(prompts))
        return len(prompts)

    def compact(self) -> None:
        self.client.submit(self._terminal, "/compact")
        self._terminal.wait_for("Compacted")

    def clear(self) -> None:
        self.client.clear(self._terminal)

    def resume(self) -> None:
        self._restart("--resume", self.sessions[MAIN])

    def go_on(self) -> None:
        self._restart("--continue")

    def fork(self) -> None:
        self._restart("--resume", self.sessions[MAIN], "--fork-session")

    def crash(self, prompt: str) -> None:
        with self.model.thinking():
            self._type(lambda: self.client.submit(self._terminal, prompt))
            self._restart("--resume", self.sessions[MAIN], how=signal.SIGKILL)

    def asks_for_summary(self, text: str) -> bool:
        return "create a detailed summary" in text[-20_000:]

    def _restart(self, *arguments: str, how: signal.Signals = signal.SIGTERM) -> None:
        self._terminal.end(how)
        self._terminal = self.client.open_terminal(*arguments)
