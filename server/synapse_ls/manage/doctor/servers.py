"""The MCP server of a client's settings, started and greeted as the client would."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from synapse_ls.manage.clients.client import Client, Surroundings, Trouble, shown
from synapse_ls.manage.clients.merge import server_node
from synapse_ls.manage.clients.settings import readable
from synapse_ls.manage.doctor.canary import PATIENCE
from synapse_ls.text.json import JsonError, dumps, loads
from synapse_ls.text.lines import LineIndex
from synapse_ls.version import VERSION

_FOLDER = "${workspaceFolder}"
_GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "synapse doctor", "version": VERSION},
    },
}


@dataclass(frozen=True, slots=True)
class Greeted:
    """A registration of the server. name, line: its place; lines count from 1. error: why it did
    not answer, "" where it did."""

    scope: str
    name: str
    line: int
    command: tuple[str, ...]
    current: bool
    error: str
    milliseconds: float

    def report(self) -> dict[str, Any]:
        """It as data."""
        return {
            "scope": self.scope,
            "path": self.name,
            "line": self.line,
            "command": list(self.command),
            "current": self.current,
            "ok": not self.error,
            "error": self.error,
            "milliseconds": round(self.milliseconds, 1),
        }


def greet(client: Client, around: Surroundings, scopes: Iterable[str]) -> Iterator[Greeted]:
    """Greet the server in each scope of ``client`` in which it is registered."""
    for place in client.servers.places if client.servers is not None else ():
        file = client.at(place, around)
        found = readable(client, file) if place.scope in scopes else None
        node = server_node(client, found) if found is not None else None
        if client.servers is None or found is None or node is None:
            continue
        entry = node.value
        words = [entry["command"], *(entry.get("args") or ())]
        command = tuple(str(word).replace(_FOLDER, str(around.root)) for word in words)
        began = perf_counter()
        error = _error_of(command, around)
        took = 1000 * (perf_counter() - began)
        line = LineIndex(found.text).line_of(node.span.start) + 1
        current = entry == client.servers.entry(place.scope)
        yield Greeted(place.scope, shown(file, around), line, command, current, error, took)


def troubles(client: Client, greeted: Iterable[Greeted]) -> Iterator[Trouble]:
    """What is wrong with the registrations."""
    for one in greeted:
        again = f"Run `synapse install --mcp --client {client.name} --scope {one.scope}`."
        place = (one.name, one.line)
        if one.error:
            said = f"the MCP server in {one.name} does not answer: {one.error}"
            yield Trouble("silent-server", "warning", client.name, said, again, *place)
        elif not one.current:
            said = f"the MCP server in {one.name} is not registered as it would be now"
            yield Trouble("outdated-registration", "warning", client.name, said, again, *place)


def _error_of(command: tuple[str, ...], around: Surroundings) -> str:
    """Why the server does not answer a greeting, "" where it does."""
    try:
        done = subprocess.run(
            command,
            input=f"{dumps(_GREETING, None)}\n".encode(),
            capture_output=True,
            cwd=around.root,
            timeout=PATIENCE,
            check=False,
        )
    except FileNotFoundError:
        return f"there is no program {command[0]}"
    except subprocess.TimeoutExpired:
        return f"nothing came within {PATIENCE:g} seconds"
    except (OSError, ValueError) as error:
        return str(error)
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        try:
            answer = loads(line)
        except JsonError:
            continue
        if isinstance(answer, dict) and isinstance(answer.get("result"), dict):
            return ""
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return said[0] if said else f"it ended with exit code {done.returncode}"
