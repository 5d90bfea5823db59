"""Copilot CLI in a terminal; other windows beside it are processes of one prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from tests.clients.copilot import Copilot
from tests.clients.place import Hooked
from tests.clients.terminal import Terminal
from tests.clients.walks.player import MAIN, Player


class CopilotPlayer(Player):
    client: Copilot
    moves: ClassVar = frozenset({
        "cancel", "interrupt", "rewind", "compact", "resume", "continue", "clear", "fork", "crash",
        "delegate",
    })  # fmt: skip
    prompt_events: ClassVar = frozenset({"userPromptSubmitted"})
    tool_events: ClassVar = frozenset({"postToolUse"})

    @contextmanager
    def open(self) -> Iterator[None]:
        self._terminal: Terminal = self.client.open_terminal()
        self._last, self._is_fork = MAIN, False
        try:
            yield
        finally:
            self._terminal.__exit__(None, None, None)

    def is_of_main_agent(self, hooked: Hooked) -> bool:
        return not hooked.event.get("agentId")

    def say(self, window: str, prompt: str) -> None:
        self._last = window
        if window != MAIN:
            super().say(window, prompt)
            return
        self.client.converse(self._terminal, prompt)
        self.sessions[MAIN] = self.client.session

    def _begin(self, prompt: str) -> None:
        self._last = MAIN
        self.client.submit(self._terminal, prompt)
        self.sessions[MAIN] = self.client.session

    def cancel(self, prompt: str) -> None:
        self._last = MAIN
        self.client.cancel(self._terminal, prompt)
        self.sessions[MAIN] = self.client.session

    def interrupt(self, prompt: str) -> None:
        self._last = MAIN
        self.client.interrupt(self._terminal, prompt)
        self.sessions[MAIN] = self.client.session

    def rewind(self, prompts: Sequence[str]) -> int:
        self.client.rewind(self._terminal, prompts[0], len(prompts))
        return len(prompts)

    def compact(self) -> None:
        self.client.command(self._terminal, "/compact", "Compaction completed")

    def resume(self) -> None:
        self._restart(f"--resume={self.sessions[MAIN]}")

    def go_on(self) -> None:
        # The client goes on with the session that was used last, and not with a fork of it.
        is_last = self._last == MAIN and not self._is_fork
        self._restart("--continue" if is_last else f"--resume={self.sessions[MAIN]}")

    def _restart(self, *arguments: str) -> None:
        self._terminal.__exit__(None, None, None)
        self._terminal = self.client.open_terminal(*arguments)

    def clear(self) -> None:
        self.client.command(self._terminal, "/clear", "future sessions")
        self._is_fork = False

    def fork(self) -> None:
        self.client.fork(self._terminal)
        self.sessions[MAIN] = self.client.session
        self._is_fork = True

    def crash(self, prompt: str) -> None:
        with self.model.thinking():
            self._begin(prompt)
            self._terminal.kill()
        self.resume()

    def delegate(self, prompt: str, task: str) -> None:
        self.model.will_call(
            "task",
            agent_type="explore",
            description="Look",
            name="looker",
            prompt=task,
            mode="sync",
        )
        self.say(MAIN, prompt)
