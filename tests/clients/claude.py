"""Claude Code, with the stand-in in the place of Anthropic's API."""

from __future__ import annotations

import json

from tests.clients.client import Client, Turn
from tests.clients.terminal import CLEAR_LINE, ENTER, ESCAPE, UP, Terminal

_IDLE = "\x1b]0;✳".encode()  # how the title of its window begins while it waits for a prompt


class Claude(Client):
    name = "claude"

    def environment(self) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": self.place.model.url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def line(self, prompt: str) -> list[str]:
        session = ["--resume", self.session] if self.session else []
        return [str(self.program), "--print", prompt, *session, "--allowedTools", "Read,Bash"]

    def tool(self) -> tuple[str, dict[str, object]]:
        return "Read", {"file_path": str(self.place.project / ".synapse" / "docs")}

    def shell(self, command: str) -> tuple[str, dict[str, object]]:
        return "Bash", {"command": command, "description": "Run it"}

    def open_terminal(self, *arguments: str) -> Terminal:
        """The client as a person starts it, in a folder that they trust, for the next prompt."""
        answers = {
            "hasCompletedOnboarding": True,
            "customApiKeyResponses": {"approved": ["none"], "rejected": []},
            "projects": {str(self.place.project): {"hasTrustDialogAccepted": True}},
        }
        settings = self.place.home / ".claude.json"
        if not settings.exists():
            settings.write_text(json.dumps(answers))
        mode = ("--permission-mode", "acceptEdits")
        line = [str(self.program), *mode, "--allowedTools", "Read,Bash", *arguments]
        environment = {**self.place.environment, **self.environment()}
        return Terminal(line, str(self.place.project), environment, "❯")

    def submit(self, terminal: Terminal, prompt: str) -> None:
        """A prompt that is typed, until the model is asked."""
        asked = len(self.place.model.turns)
        terminal.type(prompt)
        terminal.press(ENTER)
        terminal.wait_until("a request", lambda: len(self.place.model.turns) > asked)

    def converse(self, terminal: Terminal, prompt: str) -> Turn:
        """A prompt that is typed, until the client waits for the next one."""
        hooked, asked = len(self.place.hooked), len(self.place.model.turns)
        self.submit(terminal, prompt)
        terminal.wait_until("the end of the turn", lambda: _IDLE in terminal.drawn)
        return Turn(self.place.hooked[hooked:], self.place.model.turns[asked:])

    def cancel(self, terminal: Terminal, prompt: str) -> None:
        """A prompt that is typed, and stopped with Esc before its first answer; the client puts it
        back on its line, which is emptied."""
        with self.place.model.thinking():
            self.submit(terminal, prompt)
            terminal.press(ESCAPE)
            terminal.wait_until("its end", lambda: _IDLE in terminal.drawn)
            terminal.wait_for_rest()
        terminal.press(CLEAR_LINE)
        terminal.wait_until("an empty line", lambda: terminal.drawn)

    def interrupt(self, terminal: Terminal, prompt: str) -> None:
        """A prompt that is typed, and stopped with Esc after the first words of its answer."""
        with self.place.model.speaking():
            self.submit(terminal, prompt)
            terminal.wait_for("answered.")
            stopped = self._count_stops()
            terminal.press(ESCAPE)
            terminal.wait_until("its end", lambda: self._count_stops() > stopped)

    def _count_stops(self) -> int:
        """In the transcript: of what the screen shows already only what is new is drawn."""
        file = self.transcript
        text = file.read_text("utf-8") if file.exists() else ""
        return text.count('"text":"[Request interrupted by user]"')

    def compact(self, terminal: Terminal) -> None:
        """The command, until its summary is there."""
        terminal.type("/compact")
        terminal.press(ENTER)
        terminal.wait_for("Compacted")

    def clear(self, terminal: Terminal) -> None:
        """Another session, as `/clear` begins it."""
        hooked = len(self.place.hooked)
        terminal.type("/clear")
        terminal.press(ENTER)
        terminal.wait_until(
            "another session",
            lambda: any(call.event.get("source") == "clear" for call in self.place.hooked[hooked:]),
        )

    def rewind(self, terminal: Terminal, prompt: str, ago: int) -> None:
        """Esc twice, and the choice of the prompt that was typed so many prompts ago; the client puts
        it back on its line, which is emptied."""
        terminal.press(ESCAPE, ESCAPE)
        terminal.wait_for("Rewind", "(current)")
        for _ in range(ago):
            terminal.press(UP)
            terminal.wait_until("another row", lambda: terminal.drawn)
        terminal.press(ENTER)
        terminal.wait_for("Restore", *prompt.split(), "conversation")
        terminal.press(ENTER)
        terminal.wait_for(*prompt.split())
        terminal.press(CLEAR_LINE)
        terminal.wait_until("an empty line", lambda: terminal.drawn)

    def renew(self, prompt: str) -> Turn:
        compaction = self.ask("/compact")
        turn = self.ask(prompt)
        return Turn((*compaction.hooked, *turn.hooked), turn.asked)
