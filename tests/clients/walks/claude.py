"""Claude Code in a terminal; other windows beside it are processes of one prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from tests.clients.claude import Claude
from tests.clients.terminal import Terminal
from tests.clients.walks.player import MAIN, Player


class ClaudePlayer(Player):
    client: Claude
    moves: ClassVar = frozenset({"cancel", "rewind", "compact", "resume", "continue"})
    limit: ClassVar = 10_000
    shows_rewind: ClassVar = False

    @contextmanager
    def open(self) -> Iterator[None]:
        self._terminal: Terminal = self.client.open_terminal()
        try:
            yield
        finally:
            self._terminal.__exit__(None, None, None)

    def say(self, window: str, prompt: str) -> None:
        if window != MAIN:
            super().say(window, prompt)
            return
        turn = self.client.converse(self._terminal, prompt)
        self.sessions[MAIN] = turn.hooked[0].session

    def cancel(self, prompt: str) -> None:
        self.client.cancel(self._terminal, prompt)

    def rewind(self, prompts: Sequence[str]) -> int:
        self.client.rewind(self._terminal, prompts[0], len(prompts))
        return len(prompts)

    def compact(self) -> None:
        self.client.submit(self._terminal, "/compact")
        self._terminal.wait_for("Compacted")

    def resume(self) -> None:
        self._restart("--resume", self.sessions[MAIN])

    def go_on(self) -> None:
        self._restart("--continue")

    def _restart(self, *arguments: str) -> None:
        self._terminal.__exit__(None, None, None)
        self._terminal = self.client.open_terminal(*arguments)
