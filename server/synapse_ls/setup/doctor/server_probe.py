"""This module probes the MCP and language servers of a client's settings: it starts what an entry
of ours would start, by a line of its own, and sends it the first request, as the client would.

An entry that is not one of ours is shown and never started.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from synapse_ls.integrations.client_definition import (
    Client,
    SettingsPlace,
    Surroundings,
    Trouble,
    shown_path,
)
from synapse_ls.integrations.client_registrations import (
    CURRENT,
    OUTDATED,
    UNKNOWN,
    server_arguments,
    server_state,
)
from synapse_ls.integrations.settings_entries import server_words
from synapse_ls.integrations.settings_files import read_settings
from synapse_ls.setup.doctor.canary_prompt import MAX_SECONDS
from synapse_ls.setup.install.settings_merge import find_server
from synapse_ls.storage.program_search import find_program, safe_search_path
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.text.line_index import LineIndex
from synapse_ls.version import VERSION
from synapse_ls.workspace.edit_plan import EditError

_FOLDER_VARIABLE = "${workspaceFolder}"
_LENGTH = re.compile(rb"Content-Length: *([0-9]{1,9})\r\n")
_CLIENT_INFO = {"name": "synapse doctor", "version": VERSION}


def _encode_request(method: str, params: Any = None, **more: Any) -> bytes:
    return dumps(
        {"jsonrpc": "2.0", "method": method, "params": params or {}, **more}, None
    ).encode()


def _split_lines(data: bytes) -> list[bytes]:
    """Returns the messages of MCP's transport: a line each."""
    return data.splitlines()


def _split_frames(data: bytes) -> list[bytes]:
    """Returns the messages of LSP's base protocol: each after a header with its length."""
    found = []
    while size := _LENGTH.search(data):
        start = data.find(b"\r\n\r\n", size.end()) + 4
        found.append(data[start : start + int(size[1])])
        data = data[start + int(size[1]) :]
    return found


def _add_header(message: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)


@dataclass(frozen=True, slots=True)
class ServerProtocol:
    """A ServerProtocol says how a server that is probed is spoken to. name: as reports have it.
    title: what the server is. option: of `synapse install`. greeting: what is written to it;
    messages: those in what it has written.
    """

    name: str
    title: str
    option: str
    greeting: bytes
    messages: Callable[[bytes], list[bytes]]


MCP_PROTOCOL = ServerProtocol(
    "mcp",
    "the MCP server",
    "--mcp",
    _encode_request(
        "initialize",
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _CLIENT_INFO},
        id=1,
    )
    + b"\n",
    _split_lines,
)
HOOKS_PROTOCOL = replace(MCP_PROTOCOL, name="hooks", title="the hook server", option="--via mcp")
LSP_PROTOCOL = ServerProtocol(
    "lsp",
    "the language server",
    "--lsp",
    b"".join(
        map(
            _add_header,
            (
                _encode_request(
                    "initialize",
                    {
                        "processId": None,
                        "rootUri": None,
                        "capabilities": {},
                        "clientInfo": _CLIENT_INFO,
                    },
                    id=1,
                ),
                _encode_request("shutdown", id=2),
                _encode_request("exit"),
            ),
        )
    ),
    _split_frames,
)


@dataclass(frozen=True, slots=True)
class ProbedServer:
    """A ProbedServer is a registration of a server that was probed. name, line: its place; lines
    count from 1. state: current, outdated or unknown; an unknown one was not started. error: why it
    did not answer, "" where it did.
    """

    protocol: ServerProtocol
    scope: str
    name: str
    line: int
    command: tuple[str, ...]
    state: str
    error: str
    milliseconds: float

    def to_json(self) -> dict[str, Any]:
        """Returns the probe as data for JSON."""
        return {
            "protocol": self.protocol.name,
            "scope": self.scope,
            "path": self.name,
            "line": self.line,
            "command": list(self.command),
            "current": self.state == CURRENT,
            "state": self.state,
            "ok": self.state != UNKNOWN and not self.error,
            "error": self.error,
            "milliseconds": round(self.milliseconds, 1),
        }


def probe_servers(
    client: Client, around: Surroundings, scopes: Iterable[str]
) -> Iterator[ProbedServer]:
    """Probes each server of ours in each scope of ``client`` in which it is registered."""
    yield from _probe_protocol(client, MCP_PROTOCOL, around, scopes)
    yield from _probe_protocol(client.for_language_server(), LSP_PROTOCOL, around, scopes)
    yield from _probe_protocol(client.for_hook_server(), HOOKS_PROTOCOL, around, scopes)


def _probe_protocol(
    client: Client, protocol: ServerProtocol, around: Surroundings, scopes: Iterable[str]
) -> Iterator[ProbedServer]:
    for place in client.servers.places if client.servers is not None else ():
        found = registered_server(client, place, around) if place.scope in scopes else None
        if client.servers is None or found is None:
            continue
        entry, line = found
        command = tuple(server_words(entry))
        state = server_state(client.servers, place.scope, entry)
        began = perf_counter()
        error = ""
        if state != UNKNOWN:
            error = _missing_program(command[0], around) or _probe_error(
                server_arguments(client.servers, place.scope), protocol, around
            )
        took = 1000 * (perf_counter() - began)
        name = shown_path(client.path_of(place, around), around)
        yield ProbedServer(protocol, place.scope, name, line, command, state, error, took)


def registered_server(
    client: Client, place: SettingsPlace, around: Surroundings
) -> tuple[Any, int] | None:
    """Returns the entry of our server in one of a client's files and its line, from 1; None where
    there is none, or nobody could read it.
    """
    file = client.path_of(place, around)
    name = shown_path(file, around)
    try:
        settings = read_settings(file, name)
        found = find_server(client, settings.text, name) if settings is not None else None
    except EditError:
        return None
    if settings is None or found is None:
        return None
    return found[0], LineIndex(settings.text).line_of(found[1]) + 1


def missing_hook_server(client: Client, scope: str, around: Surroundings) -> str:
    """Returns why a client that calls our hook server in a scope does not reach it, "" where it
    does.
    """
    told = client.for_hook_server()
    place = told.servers.place(scope) if told.servers is not None else None
    if told.servers is None or place is None:
        return f"{client.title} has no servers of scope {scope}"
    name = shown_path(told.path_of(place, around), around)
    found = registered_server(told, place, around)
    if found is None:
        return f"the server {told.servers.name} is not registered in {name}"
    if server_state(told.servers, scope, found[0]) == UNKNOWN:
        return f"the server {told.servers.name} in {name} is not one that `synapse install` writes"
    return _missing_program(server_words(found[0])[0], around)


def server_troubles(client: Client, greeted: Iterable[ProbedServer]) -> Iterator[Trouble]:
    """Yields what is wrong with the servers that were probed."""
    for one in greeted:
        what, option = one.protocol.title, one.protocol.option
        again = f"Run `synapse install {option} --client {client.name} --scope {one.scope}`."
        place = (one.name, one.line)
        if one.state == UNKNOWN:
            said = f"{what} in {one.name} is not one that `synapse install` writes: not checked"
            yield Trouble("unknown-line", "warning", client.name, said, again, *place)
        elif one.error:
            said = f"{what} in {one.name} does not answer: {one.error}"
            yield Trouble("silent-server", "warning", client.name, said, again, *place)
        elif one.state == OUTDATED:
            said = f"{what} in {one.name} is not registered as it would be now"
            yield Trouble("outdated-registration", "warning", client.name, said, again, *place)


def _missing_program(command: str, around: Surroundings) -> str:
    """Returns what is missing where an entry names its program; "" where that is there."""
    is_there = (
        Path(command).exists()
        if Path(command).is_absolute()
        else bool(find_program(command, str(around.root)))
    )
    return "" if is_there else f"there is no program {command}"


def _probe_error(command: list[str], protocol: ServerProtocol, around: Surroundings) -> str:
    """Returns why the server does not answer a greeting, "" where it does."""
    root = str(around.root)
    try:
        done = subprocess.run(
            [word.replace(_FOLDER_VARIABLE, root) for word in command],
            input=protocol.greeting,
            capture_output=True,
            cwd=root,
            env={**os.environ, "PATH": safe_search_path(root)},
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"nothing came within {MAX_SECONDS:g} seconds"
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
