"""The servers of a client's settings, started and greeted as the client would."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
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
_LENGTH = re.compile(rb"Content-Length: *([0-9]{1,9})\r\n")
_WHO = {"name": "synapse doctor", "version": VERSION}


def _request(method: str, params: Any = None, **more: Any) -> bytes:
    return dumps(
        {"jsonrpc": "2.0", "method": method, "params": params or {}, **more}, None
    ).encode()


def _lines(data: bytes) -> list[bytes]:
    """The messages of MCP's transport: a line each."""
    return data.splitlines()


def _framed(data: bytes) -> list[bytes]:
    """The messages of LSP's base protocol: each after a header with its length."""
    found = []
    while size := _LENGTH.search(data):
        start = data.find(b"\r\n\r\n", size.end()) + 4
        found.append(data[start : start + int(size[1])])
        data = data[start + int(size[1]) :]
    return found


def _with_length(message: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a server is spoken to. name: as reports have it. title: what the server is. option: of
    `synapse install`. greeting: what is written to it; messages: those in what it has written."""

    name: str
    title: str
    option: str
    greeting: bytes
    messages: Callable[[bytes], list[bytes]]


MCP = Protocol(
    "mcp",
    "the MCP server",
    "--mcp",
    _request(
        "initialize",
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _WHO},
        id=1,
    )
    + b"\n",
    _lines,
)
LSP = Protocol(
    "lsp",
    "the language server",
    "--lsp",
    b"".join(
        map(
            _with_length,
            (
                _request(
                    "initialize",
                    {"processId": None, "rootUri": None, "capabilities": {}, "clientInfo": _WHO},
                    id=1,
                ),
                _request("shutdown", id=2),
                _request("exit"),
            ),
        )
    ),
    _framed,
)


@dataclass(frozen=True, slots=True)
class Greeted:
    """A registration of a server. name, line: its place; lines count from 1. error: why it did
    not answer, "" where it did."""

    protocol: Protocol
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
            "protocol": self.protocol.name,
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
    """Greet each server of ours in each scope of ``client`` in which it is registered."""
    yield from _greet(client, MCP, around, scopes)
    yield from _greet(client.of_languages(), LSP, around, scopes)


def _greet(
    client: Client, protocol: Protocol, around: Surroundings, scopes: Iterable[str]
) -> Iterator[Greeted]:
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
        error = _error_of(command, protocol, around)
        took = 1000 * (perf_counter() - began)
        line = LineIndex(found.text).line_of(node.span.start) + 1
        current = entry == client.servers.entry(place.scope)
        name = shown(file, around)
        yield Greeted(protocol, place.scope, name, line, command, current, error, took)


def troubles(client: Client, greeted: Iterable[Greeted]) -> Iterator[Trouble]:
    """What is wrong with the registrations."""
    for one in greeted:
        what, option = one.protocol.title, one.protocol.option
        again = f"Run `synapse install {option} --client {client.name} --scope {one.scope}`."
        place = (one.name, one.line)
        if one.error:
            said = f"{what} in {one.name} does not answer: {one.error}"
            yield Trouble("silent-server", "warning", client.name, said, again, *place)
        elif not one.current:
            said = f"{what} in {one.name} is not registered as it would be now"
            yield Trouble("outdated-registration", "warning", client.name, said, again, *place)


def _error_of(command: tuple[str, ...], protocol: Protocol, around: Surroundings) -> str:
    """Why the server does not answer a greeting, "" where it does."""
    try:
        done = subprocess.run(
            command,
            input=protocol.greeting,
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
    for message in protocol.messages(done.stdout):
        try:
            answer = loads(message.decode("utf-8", "replace"))
        except JsonError:
            continue
        if isinstance(answer, dict) and isinstance(answer.get("result"), dict):
            return ""
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return said[0] if said else f"it ended with exit code {done.returncode}"
