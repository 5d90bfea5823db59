"""Gemini CLI in its terminal; other windows beside it are processes of one prompt."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from typing import ClassVar

from tests.clients.gemini import Gemini
from tests.clients.place import bracketed
from tests.clients.terminal import CLEAR_LINE, ENTER, ESCAPE, Terminal
from tests.clients.walks.player import MAIN, Player

WORKING, READY = "✦  Working".encode(), "◇  Ready".encode()
"""In the title of its window."""


class GeminiPlayer(Player):
    client: Gemini
    moves: ClassVar = frozenset({"cancel", "interrupt", "clear"})
    prompt_events: ClassVar = frozenset({"BeforeAgent"})
    tool_events: ClassVar = frozenset({"AfterTool"})

    @contextmanager
    def open(self) -> Iterator[None]:
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

    def clear(self) -> None:
        hooked = len(self.place.hooked)
        self._command("/clear")
        self._terminal.wait_until(
            "another session",
            lambda: any(call.event.get("source") == "clear" for call in self.place.hooked[hooked:]),
        )

    def read(self, text: str) -> str:
        # The marks of a block have lines of their own elsewhere.
        text = text.replace("<hook_context>", "<hook_context>\n")
        return bracketed(unescape(text.replace("</hook_context>", "\n</hook_context>")))

    def _type(self, prompt: str) -> None:
        """A prompt in the main window, until the model is asked."""
        hooked, asked = len(self.place.hooked), len(self.model.turns)
        self._type_line(prompt)
        self._terminal.repeat(
            lambda: self._terminal.press(ENTER), "a request", lambda: len(self.model.turns) > asked
        )
        for call in self.place.hooked[hooked:]:
            self.sessions[MAIN] = call.session

    def _wait_for_end(self) -> None:
        self._terminal.wait_until("the end of the turn", self._is_idle)

    def _is_idle(self) -> bool:
        """Whether the title of its window says so last; it is written when it changes."""
        drawn = self._terminal.drawn
        return drawn.rfind(WORKING) < drawn.rfind(READY)

    def _command(self, command: str, *words: str) -> None:
        self._type_line(command)
        self._terminal.press(ENTER)
        self._terminal.wait_for(*words)

    def _type_line(self, line: str) -> None:
        """It takes a key that comes too soon after others for a new line."""
        self._terminal.type(line)
        self._terminal.wait_for_rest()
