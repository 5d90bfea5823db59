"""Gemini CLI in its terminal; other windows beside it are processes of one prompt."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import unescape
from typing import ClassVar

from tests.clients.gemini import WINDOW, Gemini
from tests.clients.model import Usage
from tests.clients.place import Hooked, bracketed
from tests.clients.terminal import CLEAR_LINE, ENTER, ESCAPE, UP, Terminal
from tests.clients.walks.player import MAIN, Player

PATIENCE = 8  # seconds until a key is pressed again
SNAPSHOT = "<state_snapshot>"
WORKING, READY = "✦  Working".encode(), "◇  Ready".encode()
"""In the title of its window."""


class GeminiPlayer(Player):
    client: Gemini
    moves: ClassVar = frozenset({
        "cancel", "interrupt", "rewind", "compact", "fill", "resume", "clear", "crash",
    })  # fmt: skip
    prompt_events: ClassVar = frozenset({"BeforeAgent"})
    tool_events: ClassVar = frozenset({"AfterTool"})

    @contextmanager
    def open(self) -> Iterator[None]:
        self.model.summary = f"{SNAPSHOT}The stand-in was asked.</state_snapshot>"
        self._terminal: Terminal = self.client.open_terminal()
        try:
            yield
        finally:
            self._terminal.end(signal.SIGTERM)

    def say(self, window: str, prompt: str) -> None:
        if window == MAIN:
            self._type(prompt)
            self._wait_for_end()
        else:
            super().say(window, prompt)

    def cancel(self, prompt: str) -> None:
        with self.model.thinking():
            self._type(prompt)
            self._stop()

    def interrupt(self, prompt: str) -> None:
        with self.model.speaking():
            self._type(prompt)
            self._terminal.wait_for("answered.")
            self._stop()

    def _stop(self) -> None:
        self._terminal.press(ESCAPE)
        self._terminal.wait_until("the end of the turn", lambda: READY in self._terminal.drawn)
        self._terminal.press(CLEAR_LINE)

    def rewind(self, prompts: Sequence[str]) -> int:
        self._command("/rewind", "Stay", "position")
        for _ in prompts:
            self._terminal.press(UP)
            self._terminal.wait_until("another row", lambda: self._terminal.drawn)
        self._terminal.press(ENTER)
        self._terminal.wait_for("Confirm", "Rewind")
        self._terminal.press(ENTER)
        self._terminal.wait_for(*prompts[0].split())
        self._terminal.press(CLEAR_LINE)
        self._terminal.wait_until("an empty line", lambda: self._terminal.drawn)
        return len(prompts)

    def compact(self) -> None:
        self._command("/compress", "compressed")

    def fill(self, prompt: str) -> None:
        self.model.will_claim(Usage(WINDOW // 2))
        self.will_use_tools(1)
        self.say(MAIN, prompt)

    def clear(self) -> None:
        hooked = len(self.place.hooked)
        self._command("/clear")
        self._terminal.wait_until(
            "another session",
            lambda: any(call.event.get("source") == "clear" for call in self.place.hooked[hooked:]),
        )

    def resume(self) -> None:
        self._restart()

    def crash(self, prompt: str) -> None:
        with self.model.thinking():
            self._type(prompt)
            self._restart(signal.SIGKILL)

    def read(self, text: str) -> str:
        return bracketed(unescape(text))

    def asks_for_summary(self, text: str) -> bool:
        return "<state_snapshot>" in text[-20_000:] and "compress" in text[:20_000]

    def has_compacted(self, calls: Sequence[Hooked], text: str) -> bool:
        """It tells nobody; the summary stands at the begin of what the model reads."""
        has, self._had = SNAPSHOT in text, getattr(self, "_had", False)
        self._had = has
        return has

    def _type(self, prompt: str) -> None:
        """A prompt in the main window, until the model is asked."""
        hooked, asked = len(self.place.hooked), len(self.model.turns)
        self._terminal.type(prompt)
        while len(self.model.turns) == asked:
            self._press_enter(asked)
        for call in self.place.hooked[hooked:]:
            self.sessions[MAIN] = call.session

    def _press_enter(self, asked: int) -> None:
        """It takes a key that comes too soon for a new line."""
        late = time.monotonic() + PATIENCE
        self._terminal.press(ENTER)
        self._terminal.wait_until(
            "a request", lambda: len(self.model.turns) > asked or time.monotonic() > late
        )

    def _wait_for_end(self) -> None:
        self._terminal.wait_until("the end of the turn", self._is_idle)

    def _is_idle(self) -> bool:
        """Whether the title of its window says so last; it is written when it changes."""
        drawn = self._terminal.drawn
        return drawn.rfind(WORKING) < drawn.rfind(READY)

    def _command(self, command: str, *words: str) -> None:
        self._terminal.type(command)
        self._terminal.press(ENTER)
        self._terminal.wait_for(*words)

    def _restart(self, how: signal.Signals = signal.SIGTERM) -> None:
        self._terminal.end(how)
        self._terminal = self.client.open_terminal("--resume", self.sessions[MAIN])
