"""Gemini CLI, with the stand-in in the place of Google's API."""

from __future__ import annotations

import json

from tests.clients.client import Client, Turn
from tests.clients.model import Usage
from tests.clients.terminal import Terminal

SETTINGS = {
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "security": {"auth": {"selectedType": "gemini-api-key"}},
}
MODEL = "gemini-2.5-flash"
WINDOW = 1_048_576  # tokens of that model
MARKS = (
    ("<synapse-rules>", "[SYNAPSE-RULES]"),
    ("</synapse-rules>", "[END OF SYNAPSE-RULES]"),
)


class Gemini(Client):
    name = "gemini"
    prompt_event = "BeforeAgent"
    idle = frozenset({"PreCompress"})  # it comes before every call of the model

    def settings(self) -> dict[str, str]:
        trusted = {str(self.place.project): "TRUST_FOLDER"}
        return {
            ".gemini/settings.json": json.dumps(SETTINGS),
            ".gemini/trustedFolders.json": json.dumps(trusted),
        }

    def environment(self) -> dict[str, str]:
        return {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": self.place.model.url,
            "GEMINI_CLI_NO_RELAUNCH": "true",  # else it starts itself again, with a larger heap
        }

    def line(self, prompt: str) -> list[str]:
        session = ["--resume", self.session] if self.session else []
        flags = ["--model", MODEL, "--approval-mode", "yolo"]
        return [str(self.program), *flags, *session, "--prompt", prompt]

    def open_terminal(self, *arguments: str) -> Terminal:
        """The client as a person starts it, for the next prompt."""
        line = [str(self.program), "--model", MODEL, "--approval-mode", "yolo", *arguments]
        environment = {**self.place.environment, **self.environment()}
        terminal = Terminal(line, str(self.place.project), environment, "Type", "message")
        terminal.wait_for_rest(1)  # what is typed while it reads a session is lost
        return terminal

    def tool(self) -> tuple[str, dict[str, object]]:
        return "read_file", {"file_path": str(self.place.project / ".synapse" / "docs")}

    def shell(self, command: str) -> tuple[str, dict[str, object]]:
        return "run_shell_command", {"command": command, "description": "Run it"}

    def shown(self, text: str) -> str:
        """This client escapes angle brackets, so the block comes with marks of another kind."""
        for mark, other in MARKS:
            text = text.replace(mark, other)
        return text.replace("<", "&lt;").replace(">", "&gt;")

    def renew(self, prompt: str) -> Turn:
        """It compresses between two calls of the model, once half of the window is in use.

        No event tells of that: the one before a compression comes before every call.
        """
        model = self.place.model
        model.summary = "<state_snapshot>The stand-in was asked.</state_snapshot>"
        model.will_claim(Usage(WINDOW // 2))
        tool, arguments = self.tool()
        model.will_call(tool, **arguments)
        self.ask("Fill the window")
        return self.ask(prompt)
