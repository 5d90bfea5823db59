"""A client that is started once for all places, as the apps of OpenCode and Kilo start it: each place is a
folder to it, with settings, plugins and sessions of its own.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.clients.place import DEADLINE

# A plugin calls `synapse-ls` in the folder of its project: the call goes to the program of that place.
PASS_ON = """\
#!/bin/sh
place=${PWD%/*}
export HOME="$place/home"
export SYNAPSE_LS_CACHE="$HOME/synapse-cache" SYNAPSE_LS_CONFIG="$HOME/synapse-config"
exec "$place/bin/synapse-ls" "$@"
"""


class AppServer:
    """The client ``name``; it runs from the first call until its `end`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._folder = TemporaryDirectory(prefix=f"{name}-")
        self.home = Path(self._folder.name) / "home"
        self.sessions = Path(self._folder.name) / "sessions"
        """Where it keeps its sessions; one that was begun elsewhere goes on here."""
        self._programs = Path(self._folder.name) / "bin"
        for folder in (self.home, self.sessions, self._programs):
            folder.mkdir()
        passing = self._programs / "synapse-ls"
        passing.write_text(PASS_ON, encoding="utf-8")
        passing.chmod(0o755)
        self._output = Path(self._folder.name) / "output"
        self._process: subprocess.Popen[bytes] | None = None
        self._address = ""

    def call(self, path: str, project: Path, **body: object) -> Any:
        """What it answers to a request that is about a project."""
        return self._ask(path, project, json.dumps(body).encode())

    def fetch(self, path: str, project: Path) -> Any:
        """What it has about a project."""
        return self._ask(path, project)

    def _ask(self, path: str, project: Path, body: bytes | None = None) -> Any:
        request = urllib.request.Request(
            self._address + path,
            body,
            {"content-type": "application/json", f"x-{self.name}-directory": str(project)},
        )
        with urllib.request.urlopen(request, timeout=DEADLINE) as reply:
            return json.loads(reply.read() or b"null")

    def start(self, program: Path, environment: Mapping[str, str]) -> None:
        """Start it unless it runs."""
        if self._process:
            return
        own = {"HOME": str(self.home), "PATH": f"{self._programs}:/usr/local/bin:/usr/bin:/bin"}
        self._process = subprocess.Popen(
            [program, "serve", "--hostname", "127.0.0.1", "--port", "0"],
            cwd=self.home,
            env={**environment, **own},
            stdin=subprocess.DEVNULL,
            stdout=self._output.open("wb"),
            stderr=subprocess.STDOUT,
        )
        deadline = time.monotonic() + DEADLINE
        while not (found := re.search(r"http://\S+", self._output.read_text("utf-8", "replace"))):
            output = self._output.read_text("utf-8", "replace")[-2000:]
            assert self._process.poll() is None, f"{self.name} serve has ended: {output}"
            assert time.monotonic() < deadline, f"{self.name} serve names no address: {output}"
            time.sleep(0.05)
        self._address = found[0]

    def end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()
