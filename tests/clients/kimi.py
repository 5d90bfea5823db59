"""Kimi Code, with the stand-in as a provider that speaks Chat Completions.

Its hooks stand in the person's own settings, where somebody writes them by hand.
"""

from __future__ import annotations

from pathlib import Path

from tests.clients.client import Client
from tests.clients.place import Place

EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse")
MODEL = """\
default_model = "stand-in"
telemetry = false

[providers.stand-in]
type = "openai"
base_url = "{url}/v1"
api_key = "none"

[models.stand-in]
provider = "stand-in"
model = "stand-in"
max_context_size = 200000
capabilities = ["tool_use"]
"""
HOOK = """
[[hooks]]
event = "{event}"
command = "synapse-ls hook --event {event} --client kimi --scope user"
timeout = 10
"""


class Kimi(Client):
    name = "kimi"
    has_transcript = False  # its own, which nobody reads here

    def __init__(self, program: Path, place: Place) -> None:
        super().__init__(program, place)
        place.synapse("trust", "--yes")

    def settings(self) -> dict[str, str]:
        hooks = "".join(HOOK.format(event=event) for event in EVENTS)
        return {".kimi-code/config.toml": MODEL.format(url=self.place.model.url) + hooks}

    def environment(self) -> dict[str, str]:
        return {}

    def line(self, prompt: str) -> list[str]:
        session = ["--session", self.session] if self.session else []
        return [str(self.program), *session, "--prompt", prompt]

    def tool(self) -> tuple[str, dict[str, object]]:
        return "Read", {"path": str(self.place.project / ".synapse" / "docs")}

    def shell(self, command: str) -> tuple[str, dict[str, object]]:
        return "Bash", {"command": command}
