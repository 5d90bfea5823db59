"""Kimi Code, with the stand-in as a provider that speaks Chat Completions.

Its hooks stand in the person's own settings, behind that provider.
"""

from __future__ import annotations

import sys

from tests.clients.client import Client

CONFIG = ".kimi-code/config.toml"
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


class Kimi(Client):
    name = "kimi"
    has_transcript = False  # its events name none

    def settings(self) -> dict[str, str]:
        return {CONFIG: MODEL.format(url=self.place.model.url)}

    def install(self) -> None:
        """What a person runs, in the project that is to be served."""
        self.place.synapse("install", "--client", "kimi", "--scope", "user", "--trust")

    def record(self) -> None:
        """Has the calls of the installed hook written down."""
        config = self.place.home / CONFIG
        text, recorder = config.read_text(), self.place.recording_interpreter()
        config.write_text(text.replace(sys.executable, str(recorder)))

    def environment(self) -> dict[str, str]:
        return {}

    def line(self, prompt: str) -> list[str]:
        session = ["--session", self.session] if self.session else []
        return [str(self.program), *session, "--prompt", prompt]

    def tool(self) -> tuple[str, dict[str, object]]:
        return "Read", {"path": str(self.place.project / ".synapse" / "docs")}

    def shell(self, command: str) -> tuple[str, dict[str, object]]:
        return "Bash", {"command": command}
