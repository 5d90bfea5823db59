"""OpenCode and Kilo, which grew out of it, with the stand-in as a provider that speaks Chat Completions."""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path

from tests.clients.client import Client, Turn
from tests.clients.model import Usage
from tests.clients.place import DEADLINE, Place

WINDOW = 200_000  # tokens
LIMIT = {"context": WINDOW, "output": 8_000}
LIBRARY = json.dumps(
    {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*", "@kilocode/plugin": "*"}}}}
)
"""What npm has written where the client finds its library for plugins; else it would fetch it."""
MODELS = "models.json"
"""The models that the client knows beside the stand-in: none. It reads its own thousands for seconds."""


class OpenCode(Client):
    name = "opencode"
    has_transcript = False  # its sessions are in a database

    def __init__(self, program: Path, place: Place) -> None:
        super().__init__(program, place)
        for folder in (place.home / ".config" / self.name, place.project / f".{self.name}"):
            (folder / "node_modules").mkdir(parents=True, exist_ok=True)
            (folder / "package-lock.json").write_text(LIBRARY, encoding="utf-8")

    def settings(self) -> dict[str, str]:
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{self.place.model.url}/v1", "apiKey": "none"},
            "models": {"stand-in": {"limit": LIMIT}},
        }
        settings = {
            "provider": {"stand-in": provider},
            "model": "stand-in/stand-in",
            "small_model": "stand-in/stand-in",
            "autoupdate": False,
            "share": "disabled",
            "enabled_providers": ["stand-in"],
        }
        return {f".config/{self.name}/{self.name}.json": json.dumps(settings), MODELS: "{}"}

    def environment(self) -> dict[str, str]:
        prefix = self.name.upper()
        known = str(self.place.home / MODELS)
        return {f"{prefix}_DISABLE_MODELS_FETCH": "1", f"{prefix}_MODELS_PATH": known}

    def line(self, prompt: str) -> list[str]:
        session = ["--session", self.session] if self.session else []
        # It puts quotation marks around an argument with spaces.
        return [str(self.program), "run", "--auto", *session, *prompt.split(" ")]

    def tool(self) -> tuple[str, dict[str, object]]:
        return "read", {"filePath": str(self.place.project / ".synapse" / "docs")}

    def shell(self, command: str) -> tuple[str, dict[str, object]]:
        return "bash", {"command": command, "description": "Run it"}

    def renew(self, prompt: str) -> Turn:
        """It compacts by itself, once the last answer has filled the window."""
        self.place.model.will_claim(Usage(WINDOW - 1000))
        tool, arguments = self.tool()
        self.place.model.will_call(tool, **arguments)
        filled = self.ask("Fill the window")
        told = [call for call in filled.hooked if call.told]
        asked = self.ask(prompt)
        return Turn((*told, *asked.hooked), asked.asked)


class Kilo(OpenCode):
    """Each start of it costs ten and more seconds of a processor. So the first prompt starts it, as one
    types it, and a server of it goes on with the session, as it does in its owner's extensions."""

    name = "kilo"
    _server = ""
    """Where the server listens, once there is one."""

    def send(self, prompt: str) -> None:
        if not self.session:
            super().send(prompt)
            return
        self._server = self._server or self._serve()
        request = urllib.request.Request(
            f"{self._server}/session/{self.session}/message",
            json.dumps({"parts": [{"type": "text", "text": prompt}]}).encode(),
            {"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=DEADLINE) as reply:
            reply.read()

    def _serve(self) -> str:
        """Starts the server, which ends with the model; its address."""
        line = (str(self.program), "serve", "--hostname", "127.0.0.1", "--port", "0")
        process = self.place.start(*line, **self.environment())
        self.place.model.before_end(process.communicate)
        self.place.model.before_end(process.kill)
        assert process.stdout is not None
        for said in process.stdout:
            if found := re.search(r"http://\S+", said):
                return found[0]
        raise AssertionError(f"{self.name} serve has ended")

    def environment(self) -> dict[str, str]:
        """It asks its owner's service as it starts, and waits long where no name is found."""
        nowhere = {"KILO_API_URL": "http://127.0.0.1:9", "KILO_DISABLE_SESSION_INGEST": "1"}
        return {**super().environment(), **nowhere, "KILO_TELEMETRY_LEVEL": "off"}
