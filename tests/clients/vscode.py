"""The built-in chat of VS Code, in a window that a driver in Node plays."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.clients.client import Client
from tests.clients.place import Place


class VsCode(Client):
    """One window; the program is the driver, ``clients/vscode/test/e2e/chatWalk.ts``."""

    name = "vscode"

    def __init__(self, program: Path, place: Place) -> None:
        super().__init__(program, place)
        self._driver: subprocess.Popen[str] | None = None

    def environment(self) -> dict[str, str]:
        return {}

    def line(self, prompt: str) -> list[str]:
        raise NotImplementedError("a window is no command line")

    def tool(self) -> tuple[str, dict[str, object]]:
        file = str(self.place.project / ".synapse" / "docs")
        return "read_file", {"filePath": file, "startLine": 1, "endLine": 2}

    def shell(self, command: str) -> tuple[str, dict[str, object]]:
        return "run_in_terminal", {"command": command, "explanation": "Run it"}

    def open(self) -> None:
        """Opens the window, with an empty chat."""
        model = f"{self.place.model.url}/v1/chat/completions"
        folder = str(self.place.home.parent / "code")
        self._driver = self.place.start(
            str(self.program), folder, str(self.place.project), model, **self.environment()
        )
        self._listen()
        self.act("open")

    def close(self) -> None:
        assert self._driver and self._driver.stdin
        self._driver.stdin.close()
        try:
            self._driver.wait(60)
        except subprocess.TimeoutExpired:
            self._driver.kill()

    def act(self, move: str, **fields: str) -> None:
        """Has the driver do something in the window, until it is done."""
        assert self._driver and self._driver.stdin
        self._driver.stdin.write(json.dumps({"move": move, **fields}) + "\n")
        self._driver.stdin.flush()
        self._listen()

    def _listen(self) -> None:
        assert self._driver and self._driver.stdout
        said = json.loads(self._driver.stdout.readline() or '{"error": "the driver has ended"}')
        assert "error" not in said, said["error"]
