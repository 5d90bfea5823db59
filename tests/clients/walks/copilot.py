"""Copilot CLI in a terminal; other windows beside it are processes of one prompt."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import ClassVar

from tests.clients.copilot import WINDOW, Copilot
from tests.clients.model import Usage
from tests.clients.place import Hooked
from tests.clients.terminal import Terminal
from tests.clients.walks.player import MAIN, Player


class CopilotPlayer(Player):
    client: Copilot
    moves: ClassVar = frozenset({
        "cancel", "interrupt", "rewind", "compact", "fill", "resume", "continue", "clear", "fork",
        "crash", "delegate",
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
        self.number_summary()
        self.client.command(self._terminal, "/compact")
        self._terminal.wait_until(
            "a summary, or why there is none",
            lambda: (
                self._terminal.shows("Compaction completed")
                or self._terminal.shows("Nothing to compact")
            ),
        )

    def fill(self, prompt: str) -> None:
        """It compacts in the background, while the turn goes on."""
        self.number_summary()
        self.model.will_claim(Usage(WINDOW - 5_000))
        self.will_use_tools(2)
        self.say(MAIN, prompt)
        self._terminal.wait_until("a compaction", self._has_summary)

    def _has_summary(self) -> bool:
        return self.model.summary in self.client.transcript.read_text("utf-8")

    def has_compacted(self, calls: Sequence[Hooked], text: str) -> bool:
        return self.has_later_summary(text)

    def compacted_at(self, request: int) -> int:
        rows = map(json.loads, self.client.transcript.read_text("utf-8").splitlines())
        done = (row["timestamp"] for row in rows if row["type"] == "session.compaction_complete")
        times = (int(datetime.fromisoformat(at).timestamp() * 1e9) for at in done)
        return max((at for at in times if at < request), default=0)

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
