"""Codex CLI, with the stand-in as a provider of models that speaks Responses."""

from __future__ import annotations

from tests.clients.client import Client, Turn
from tests.clients.model import Usage

WINDOW = 100_000
COMPACTS_AT = 60_000

SETTINGS = """\
model = "stand-in"
model_provider = "stand-in"
model_context_window = {window}
model_auto_compact_token_limit = {limit}
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.stand-in]
name = "stand-in"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "STAND_IN_KEY"
supports_websockets = false

[projects."{project}"]
trust_level = "trusted"
"""


class Codex(Client):
    name = "codex"

    def settings(self) -> dict[str, str]:
        url, project = self.place.model.url, self.place.project
        text = SETTINGS.format(window=WINDOW, limit=COMPACTS_AT, url=url, project=project)
        return {".codex/config.toml": text}

    def environment(self) -> dict[str, str]:
        return {"STAND_IN_KEY": "none"}

    def line(self, prompt: str) -> list[str]:
        # Somebody at a terminal would approve the hooks once, with /hooks.
        flags = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
        session = ["resume", self.session] if self.session else []
        return [str(self.program), "exec", *session, *flags, prompt]

    def tool(self) -> tuple[str, dict[str, object]]:
        return "exec_command", {"cmd": "cat .synapse/docs"}

    def shell(self, command: str) -> tuple[str, dict[str, object]]:
        return "exec_command", {"cmd": command}

    def renew(self, prompt: str) -> Turn:
        """Codex compacts by itself, when a prompt comes after the limit was passed."""
        self.place.model.will_claim(Usage(COMPACTS_AT))
        self.ask("Fill the window")
        return self.ask(prompt)
