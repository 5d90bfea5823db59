"""OpenCode and Kilo, which grew out of it, with the stand-in as a provider that speaks Chat Completions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.clients.app_server import AppServer
from tests.clients.client import Client, Turn
from tests.clients.model import Usage
from tests.clients.place import Place

WINDOW = 200_000  # tokens
LIMIT = {"context": WINDOW, "output": 8_000}
LIBRARY = json.dumps(
    {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*", "@kilocode/plugin": "*"}}}}
)
"""What npm has written where the client finds its library for plugins; else it would fetch it."""
MODELS = "models.json"
"""The models that the client knows beside the stand-in: none. It reads its own thousands for seconds."""


SERVERS: dict[str, AppServer] = {}
"""The one server of each client in this process; they end with the tests."""


def server_of(name: str) -> AppServer:
    """The server of a client, which is made when it is first asked for."""
    if name not in SERVERS:
        SERVERS[name] = server = AppServer(name)
        write_library(server.home / ".config" / name)
        (server.home / MODELS).write_text("{}", encoding="utf-8")
    return SERVERS[name]


def write_library(folder: Path) -> None:
    """Has a folder of the client be as npm leaves it."""
    (folder / "node_modules").mkdir(parents=True, exist_ok=True)
    (folder / "package-lock.json").write_text(LIBRARY, encoding="utf-8")


class OpenCode(Client):
    """A start of it costs seconds of a processor, and one of Kilo many. So only `start` starts it, as one types
    it; else a server of it is asked, as its owner's apps do."""

    name = "opencode"
    has_transcript = False  # its sessions are in a database

    def __init__(self, program: Path, place: Place) -> None:
        super().__init__(program, place)
        self._server = server_of(self.name)
        self._is_served = False
        for folder in (place.home / ".config" / self.name, self._own_folder):
            write_library(folder)

    @property
    def _own_folder(self) -> Path:
        """Its folder in the project."""
        return self.place.project / f".{self.name}"

    def settings(self) -> dict[str, str]:
        return {f".config/{self.name}/{self.name}.json": json.dumps(self._known())}

    def _known(self) -> dict[str, object]:
        """What its settings say, wherever they stand."""
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{self.place.model.url}/v1", "apiKey": "none"},
            "models": {"stand-in": {"limit": LIMIT}},
        }
        return {
            "provider": {"stand-in": provider},
            "model": "stand-in/stand-in",
            "small_model": "stand-in/stand-in",
            "autoupdate": False,
            "share": "disabled",
            "enabled_providers": ["stand-in"],
        }

    def environment(self) -> dict[str, str]:
        prefix = self.name.upper()
        return {
            f"{prefix}_DISABLE_MODELS_FETCH": "1",
            f"{prefix}_MODELS_PATH": str(self._server.home / MODELS),
            "XDG_DATA_HOME": str(self._server.sessions),
        }

    def line(self, prompt: str) -> list[str]:
        session = ["--session", self.session] if self.session else []
        # It puts quotation marks around an argument with spaces.
        return [str(self.program), "run", "--auto", *session, *prompt.split(" ")]

    def send(self, prompt: str) -> None:
        server, project = self._server, self.place.project
        self._serve()
        self.session = self.session or self.begin()
        parts = [{"type": "text", "text": prompt}]
        server.call(f"/session/{self.session}/message", project, parts=parts)

    def change(self, path: str, **body: object) -> Any:
        """What its apps ask for: ``revert`` (`/undo`), ``fork``, ``abort`` (Esc), ``summarize``."""
        return self._server.call(f"/session/{self.session}/{path}", self.place.project, **body)

    def begin(self) -> str:
        """Another session; its id."""
        self._serve()
        return str(self._server.call("/session", self.place.project)["id"])

    def leave(self) -> None:
        """Ends the client's work in the place; it goes on with the next prompt."""
        self._server.call("/instance/dispose", self.place.project)

    def message_of(self, prompt: str) -> str:
        """The id of the message of a prompt."""
        messages = self._server.fetch(f"/session/{self.session}/message", self.place.project)
        return next(
            str(message["info"]["id"])
            for message in messages
            if any(part.get("text") == prompt for part in message["parts"])
        )

    def _serve(self) -> None:
        """Has the server know the place until it is left."""
        if self._is_served:
            return
        self._is_served = True
        settings = {**self._known(), "permission": "allow"}  # as --auto has it
        (self._own_folder / f"{self.name}.json").write_text(json.dumps(settings), encoding="utf-8")
        self._server.start(self.program, {**self.place.environment, **self.environment()})
        self.place.model.before_end(self.leave)

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
    name = "kilo"

    def environment(self) -> dict[str, str]:
        """It asks its owner's service as it starts, and waits long where no name is found."""
        nowhere = {"KILO_API_URL": "http://127.0.0.1:9", "KILO_DISABLE_SESSION_INGEST": "1"}
        return {**super().environment(), **nowhere, "KILO_TELEMETRY_LEVEL": "off"}
