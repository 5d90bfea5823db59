"""Gemini CLI in its terminal; other windows beside it are processes of one prompt."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import ClassVar

from tests.clients.gemini import WINDOW, Gemini
from tests.clients.model import Usage
from tests.clients.place import Hooked, bracketed
from tests.clients.terminal import CLEAR_LINE, ENTER, ESCAPE, UP, Terminal
from tests.clients.walks.player import MAIN, Player

WORKING, READY = "✦  Working".encode(), "◇  Ready".encode()
"""In the title of its window."""
_CHOSEN = re.compile(r"●([^\r\n]*)")
"""The row that a list points to: a prompt or, after a compaction, also the result of a tool."""
_NAME = re.compile(r"step-\d\d")
_SNAPSHOT = "<state_snapshot>{}</state_snapshot>"
_COPIED = re.compile(
    r"(<hook_context>\n(?:(?!</hook_context>).)*</hook_context>\n\w+_\d+_\d+\n)(?:\w+\n[^<]*\1)+",
    re.DOTALL,
)
"""The end of a tool's result with the id of its call, and its copies."""


class GeminiPlayer(Player):
    client: Gemini
    moves: ClassVar = frozenset({
        "cancel", "interrupt", "rewind", "compact", "fill", "resume", "continue", "clear", "crash",
    })  # fmt: skip
    prompt_events: ClassVar = frozenset({"BeforeAgent"})
    reads: ClassVar = frozenset({"GEMINI.md"})
    tool_events: ClassVar = frozenset({"AfterTool"})

    @contextmanager
    def open(self) -> Iterator[None]:
        self._has_crashed = self._has_rewound = self._is_resuming = False
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
        self._has_crashed = self._has_rewound = self._is_resuming = False
        hooked = len(self.place.hooked)
        self._command("/clear")
        self._terminal.wait_until(
            "another session",
            lambda: any(call.event.get("source") == "clear" for call in self.place.hooked[hooked:]),
        )

    def rewind(self, prompts: Sequence[str]) -> int:
        terminal = self._terminal
        self._command("/rewind", "Stay at current")
        words = ""
        for _ in prompts:
            while not (name := _NAME.search(self._choose_row_above())):
                pass
            words = name[0]
        terminal.press(ENTER)
        self._has_rewound = True
        terminal.wait_for("Rewind conversation")
        terminal.press(ENTER)
        terminal.wait_for(words, "workspace")
        terminal.press(CLEAR_LINE)
        terminal.wait_for("Type", "message")
        return sum(prompt.rsplit(maxsplit=1)[-1] >= words for prompt in prompts)

    def _choose_row_above(self) -> str:
        terminal = self._terminal
        terminal.forget()
        terminal.repeat(  # a key is lost while the list is drawn
            lambda: terminal.press(UP), "another row", lambda: _CHOSEN.search(terminal.text)
        )
        terminal.wait_for_rest()
        row: str = _CHOSEN.findall(terminal.text)[-1]
        return row

    def compact(self) -> None:
        if self._is_resuming:  # the command would be lost with what was there before
            self._terminal.wait_for("The stand-in has")
        self.number_summary(_SNAPSHOT)
        self._command("/compress")
        self._terminal.wait_until(
            "a summary, or why there is none",
            lambda: self._terminal.shows("compressed") or self._terminal.shows("beneficial"),
        )

    def fill(self, prompt: str) -> None:
        """It compresses between two calls of the model, once half of the window is in use."""
        self.number_summary(_SNAPSHOT)
        self.model.will_claim(Usage(WINDOW // 2))
        self.will_use_tools(2)
        self.say(MAIN, prompt)

    def has_compacted(self, calls: Sequence[Hooked], text: str) -> bool:
        return self.has_later_summary(text)

    def compacted_at(self, request: int) -> int:
        return max(r.at for r in self.model.requests if not r.of_a_turn and r.at < request)

    def resume(self) -> None:
        if self._is_kept():
            self._restart("--resume", self.sessions[MAIN])

    def go_on(self) -> None:
        # What it takes for the latest is the session that was begun last; the name of a file has
        # the minute of that.
        own = f"-{self.sessions[MAIN][:8]}.jsonl"
        names = [file.name for file in self._files()]
        first = min((name for name in names if name.endswith(own)), default="")
        is_latest = all(n.endswith(own) or n < first.removesuffix(own) for n in names)
        if self._is_kept():
            self._restart("--resume", "latest" if is_latest else self.sessions[MAIN])

    def _files(self) -> Iterator[Path]:
        return (self.place.home / ".gemini").glob("tmp/*/chats/*.jsonl")

    def _is_kept(self) -> bool:
        """Whether the client has the session. A process that resumes one in another minute leaves a
        file without a prompt; for that a later start of the client, beside it or after a crash,
        removes all files of the session, and what is written then cannot be resumed.
        """
        name = self.sessions[MAIN][:8]
        texts = (file.read_bytes() for file in self._files() if name in file.name)
        return not self._has_crashed and any(
            text.startswith(b'{"sessionId"') and b"stand-in has" in text for text in texts
        )

    def crash(self, prompt: str) -> None:
        with self.model.thinking():
            self._type(prompt)
            self._restart("--resume", self.sessions[MAIN], how=signal.SIGKILL)
        self._has_crashed = True

    def _restart(self, *arguments: str, how: signal.Signals = signal.SIGTERM) -> None:
        self._terminal.end(how)
        self._has_rewound, self._is_resuming = False, True
        self._terminal = self.client.open_terminal(*arguments)

    def dropped_files(self, text: str) -> frozenset[str]:
        # A rewind leaves its own context out of the history that it sends from then on.
        has_context = "--- Context from: " in text
        return self.reads if self._has_rewound and not has_context else frozenset()

    def read(self, text: str) -> str:
        # The marks of a block have lines of their own elsewhere.
        text = text.replace("<hook_context>", "<hook_context>\n")
        text = bracketed(unescape(text.replace("</hook_context>", "\n</hook_context>")))
        text = re.sub(r"@\.synapse/agent-(\w+)", r"@\1", text)  # a file that it has for the agent
        # Each time that it resumes a session it sends every tool's result once more, under the id of
        # the same call, with what the hook has said. Its own file has the result once.
        return _COPIED.sub(r"\1", text)

    def _type(self, prompt: str) -> None:
        """A prompt in the main window, until the model is asked."""
        self._is_resuming = False
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
