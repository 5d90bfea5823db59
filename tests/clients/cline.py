"""Cline's command line, with the stand-in as a provider that speaks Chat Completions."""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress

from tests.clients.client import Client
from tests.clients.place import DEADLINE

PROVIDER = "openai-compatible"
DAEMON = b"--cline-hub-daemon"


class Cline(Client):
    name = "cline"
    resumes = False  # without a terminal
    waits = False
    has_transcript = False  # its own, which nobody reads here
    leaves_daemon = False
    """Whether it leaves a process running for later prompts, as it does for users; it takes a second start."""

    def leave_daemon(self) -> None:
        """Has it work as it does for users; what it leaves ends with the model."""
        self.leaves_daemon = True
        self.place.model.before_end(self._end_daemon)

    def _end_daemon(self) -> None:
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
            **({} if self.leaves_daemon else {"CLINE_SESSION_BACKEND_MODE": "local"}),
            # Else it does without plugins where a busy machine takes four seconds for them.
            "CLINE_PLUGIN_IMPORT_TIMEOUT_MS": str(1000 * DEADLINE),
        }

    def line(self, prompt: str) -> list[str]:
        return [str(self.program), "--provider", PROVIDER, "--model", "stand-in", prompt]

    def tool(self) -> tuple[str, dict[str, object]]:
        return "read_files", {"files": [{"path": str(self.place.project / ".synapse" / "docs")}]}

    def shell(self, command: str) -> tuple[str, dict[str, object]]:
        return "run_commands", {"commands": [command]}
