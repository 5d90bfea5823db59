"""GitHub Copilot CLI, offline, with the stand-in as a provider that speaks Chat Completions."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from tests.clients.client import Client, Turn
from tests.clients.place import Hooked
from tests.clients.terminal import CLEAR_LINE, DOWN, ENTER, ESCAPE, Terminal

WINDOW = 64_000
"""Tokens of a model that it takes the stand-in for; it compacts once four fifths are in use."""
_ANSWER = re.compile(
    r'^(?!.*"agentId").*"type":"assistant.message".*"toolRequests":\[\]', re.MULTILINE
)
"""A row of its events, with which a turn of the main agent ends."""


class Copilot(Client):
    name = "copilot"
    prompt_event = "userPromptSubmitted"
    compacts = False  # its /compact waits for a minute in vain when nobody is at a terminal

    def environment(self) -> dict[str, str]:
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_PROVIDER_BASE_URL": f"{self.place.model.url}/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "gpt-4.1",
            "COPILOT_ALLOW_ALL": "true",  # which trusts the folder, and so its hooks, too
            # It unpacks itself, 235 MB, wherever it finds no earlier copy.
            "XDG_CACHE_HOME": os.environ.get("SYNAPSE_LS_TESTS", str(self.place.home / "cache")),
        }

    def line(self, prompt: str) -> list[str]:
        session = [f"--resume={self.session}"] if self.session else []
        return [str(self.program), "--disable-client-telemetry", *session, "--prompt", prompt]

    def tool(self) -> tuple[str, dict[str, object]]:
        return "view", {"path": str(self.place.project / ".synapse" / "docs")}

    def shell(self, command: str) -> tuple[str, dict[str, object]]:
        return "bash", {"command": command, "description": "Run it"}

    @property
    def transcript(self) -> Path:
        """Only some of its events say where this is."""
        return self.sessions / self.session / "events.jsonl"

    @property
    def sessions(self) -> Path:
        """The folder in which each session has one."""
        return self.place.home / ".copilot" / "session-state"

    def open_terminal(self, *arguments: str) -> Terminal:
        """The client as a person starts it, for a prompt."""
        line = [str(self.program), "--disable-client-telemetry", *arguments]
        environment = {**self.place.environment, **self.environment()}
        return Terminal(line, str(self.place.project), environment, "commands")

    def submit(self, terminal: Terminal, prompt: str) -> None:
        """A prompt that is typed, until the model is asked."""
        asked = len(self.place.model.turns)
        terminal.type(prompt)
        terminal.press(ENTER)
        terminal.wait_until("a request", lambda: len(self.place.model.turns) > asked)
        terminal.wait_until("the prompt's event", lambda: bool(self._calls(prompt)))
        self.session = self._calls(prompt)[-1].session

    def _calls(self, prompt: str) -> list[Hooked]:
        return [
            call
            for call in self.place.hooked
            if call.name == self.prompt_event and call.event["prompt"] == prompt
        ]

    def converse(self, terminal: Terminal, prompt: str) -> Turn:
        """A prompt that is typed, until the client waits for the next one."""
        hooked, asked = len(self.place.hooked), len(self.place.model.turns)
        self.submit(terminal, prompt)
        terminal.wait_until("the end of the turn", lambda: self._is_answered(prompt))
        return Turn(self.place.hooked[hooked:], self.place.model.turns[asked:])

    def _is_answered(self, prompt: str) -> bool:
        text = self.transcript.read_text("utf-8") if self.transcript.exists() else ""
        at = text.rfind(f'"content":"{prompt}"')
        return at >= 0 and bool(_ANSWER.search(text, at))

    def command(self, terminal: Terminal, line: str, *words: str) -> None:
        """A command of the client, until it has drawn these words."""
        terminal.type(line)
        terminal.press(ENTER)
        terminal.wait_for(*words)

    def cancel(self, terminal: Terminal, prompt: str) -> None:
        """A prompt that is typed, and stopped before its first answer; the client puts it back on its
        line, which is emptied."""
        with self.place.model.thinking():
            self.submit(terminal, prompt)
            last = prompt.rsplit(maxsplit=1)[-1]
            self._stop(terminal, last, lambda: terminal.shows(last))
        terminal.press(CLEAR_LINE)
        terminal.wait_until("an empty line", lambda: terminal.drawn)

    def interrupt(self, terminal: Terminal, prompt: str) -> None:
        """A prompt that is typed, and stopped after its first tool."""
        asked = len(self.place.model.turns)
        tool, arguments = self.tool()
        self.place.model.will_call(tool, **arguments)
        with self.place.model.thinking(after=1):
            self.submit(terminal, prompt)
            terminal.wait_until("its tool", lambda: len(self.place.model.turns) > asked + 1)
            stopped = self._count_rows("abort")
            self._stop(terminal, "its end", lambda: self._count_rows("abort") > stopped)

    def _stop(self, terminal: Terminal, what: str, is_stopped: Callable[[], bool]) -> None:
        """Esc, twice: it heeds the second key for a moment only."""

        has_pressed = False

        def press_both() -> None:
            nonlocal has_pressed
            terminal.press(ESCAPE)
            terminal.wait_for("again")
            terminal.press(ESCAPE)
            has_pressed = True

        terminal.repeat(press_both, what, lambda: has_pressed and is_stopped())

    def _count_rows(self, kind: str) -> int:
        return self.transcript.read_text("utf-8").count(f'"type":"{kind}"')

    def rewind(self, terminal: Terminal, prompt: str, ago: int) -> None:
        """The choice of the prompt that was typed so many prompts ago; the client puts it back on its
        line, which is emptied."""
        self.command(terminal, "/rewind", "Rewind to a previous point")
        for _ in range(ago - 1):
            terminal.press(DOWN)
            terminal.wait_until("another row", lambda: terminal.drawn)
        terminal.press(ENTER)
        terminal.wait_for("Conversation only")
        terminal.press(ENTER)
        terminal.wait_for("Rewound the conversation", prompt.rsplit(maxsplit=1)[-1])
        terminal.press(CLEAR_LINE)
        terminal.wait_until("an empty line", lambda: terminal.drawn)

    def fork(self, terminal: Terminal) -> None:
        """Goes on in a copy of the session."""
        known = set(self.sessions.glob("*/events.jsonl"))
        self.command(terminal, "/fork", "Forked from")
        (copy,) = set(self.sessions.glob("*/events.jsonl")) - known
        self.session = copy.parent.name
