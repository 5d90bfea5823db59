"""Cline's command line, with the stand-in as a provider that speaks Chat Completions."""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from pathlib import Path

from tests.clients.client import Client
from tests.clients.place import DEADLINE, Place

PROVIDER = "openai-compatible"
DAEMON = b"--cline-hub-daemon"


class Cline(Client):
    name = "cline"
    resumes = False  # without a terminal
    has_transcript = False  # its own, which nobody reads here

    def __init__(self, program: Path, place: Place) -> None:
        super().__init__(program, place)
        place.model.before_end(self._end_daemon)

    def _end_daemon(self) -> None:
        """Ends what the first prompt leaves running for later ones, but no other person's."""
        for process in self.place.find_processes(DAEMON):
            with suppress(ProcessLookupError):  # it has ended meanwhile
                os.kill(process, signal.SIGKILL)

    def settings(self) -> dict[str, str]:
        provider = {
            "provider": PROVIDER,
            "model": "stand-in",
            "apiKey": "none",
            "baseUrl": f"{self.place.model.url}/v1",
        }
        known = {
            "settings": provider,
            "updatedAt": "2026-01-01T00:00:00.000Z",
            "tokenSource": "manual",
        }
        settings = {"version": 1, "lastUsedProvider": PROVIDER, "providers": {PROVIDER: known}}
        return {".cline/data/settings/providers.json": json.dumps(settings)}

    def environment(self) -> dict[str, str]:
        return {
            "CLINE_NO_AUTO_UPDATE": "1",
            "CLINE_TELEMETRY_DISABLED": "1",
            # Else it does without plugins where a busy machine takes four seconds for them.
            "CLINE_PLUGIN_IMPORT_TIMEOUT_MS": str(1000 * DEADLINE),
        }

    def line(self, prompt: str) -> list[str]:
        return [str(self.program), "--provider", PROVIDER, "--model", "stand-in", prompt]

    def tool(self) -> tuple[str, dict[str, object]]:
        return "read_files", {"files": [{"path": str(self.place.project / ".synapse" / "docs")}]}

    def shell(self, command: str) -> tuple[str, dict[str, object]]:
        return "run_commands", {"commands": [command]}
