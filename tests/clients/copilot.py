"""GitHub Copilot CLI, offline, with the stand-in as a provider that speaks Chat Completions."""

from __future__ import annotations

import os
from pathlib import Path

from tests.clients.client import Client


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
        return self.place.home / ".copilot" / "session-state" / self.session / "events.jsonl"
