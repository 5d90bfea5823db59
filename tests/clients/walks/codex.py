"""Codex in its terminal; other windows beside it are processes of one prompt."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from tests.clients.codex import COMPACTS_AT, Codex
from tests.clients.model import Usage
from tests.clients.place import Hooked
from tests.clients.terminal import Terminal
from tests.clients.walks.player import MAIN, Player


class CodexPlayer(Player):
    client: Codex
    moves: ClassVar = frozenset({
        "cancel", "interrupt", "rewind", "compact", "fill", "resume", "continue", "clear", "fork",
        "crash", "delegate",
    })  # fmt: skip
    limit: ClassVar = 10_000
    reads: ClassVar = frozenset({"AGENTS.md"})
    tells_one_shots: ClassVar = True

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
        with self.model.thinking():
            self._type(lambda: self.client.submit(self._terminal, prompt))
            self.client.stop(self._terminal)

    def interrupt(self, prompt: str) -> None:
        with self.model.speaking():
            self._type(lambda: self.client.submit(self._terminal, prompt))
            self._terminal.wait_for("answered.")
            self.client.stop(self._terminal)

    def fill(self, prompt: str) -> None:
        self.model.will_claim(Usage(COMPACTS_AT + 500))
        self.will_use_tools(2)
        self.say(MAIN, prompt)

    def _type(self, act: Callable[[], object]) -> None:
        """Something in the main window, whose session is the one that its hooks name."""
        before = len(self.place.hooked)
        act()
        for call in self.place.hooked[before:]:
            if self.is_of_main_agent(call):
                self.sessions[MAIN] = call.session

    def is_of_main_agent(self, hooked: Hooked) -> bool:
        return not hooked.event.get("agent_id")

    def rewind(self, prompts: Sequence[str]) -> int:
        self.client.rewind(self._terminal, len(prompts))
        return len(prompts)

    def compact(self) -> None:
        self.client.command(self._terminal, "/compact", "Context", "compacted")

    def clear(self) -> None:
        self.client.command(self._terminal, "/new", "shortcuts")

    def fork(self) -> None:
        self.client.command(self._terminal, "/fork", "Fork", "created")

    def resume(self) -> None:
        self._restart("resume", self.sessions[MAIN])

    def go_on(self) -> None:
        self._restart("resume", "--last")

    def crash(self, prompt: str) -> None:
        with self.model.thinking():
            self._type(lambda: self.client.submit(self._terminal, prompt))
            self._restart("resume", self.sessions[MAIN], how=signal.SIGKILL)

    def _restart(self, *arguments: str, how: signal.Signals = signal.SIGTERM) -> None:
        self._terminal.end(how)
        self._terminal = self.client.open_terminal(*arguments)

    def delegate(self, prompt: str, task: str) -> None:
        self.model.will_call("spawn_agent", message=task)
        self.say(MAIN, prompt)
        # It works in the background.
        self._terminal.wait_until(
            "the sub-agent's request",
            lambda: any(task in r.text and prompt not in r.text for r in self.model.turns),
        )
