"""Probes of our servers in a client's settings, with the first request that the client would send.

Only what `synapse install` would write is started, or for an older entry a line of our own; an
entry that is not ours is shown and never started.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from synapse_ls.integrations.client_definition import (
    HOOK_SERVER_NAME,
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
    MissingProgram,
    edited_server_remedy,
    missing_hook_server,
    missing_server_program,
    registered_hook_server,
    server_arguments,
    server_state,
)
from synapse_ls.integrations.hook_commands import TOOL_HOOK_TIMEOUT, server_words
from synapse_ls.integrations.settings_files import read_settings
from synapse_ls.setup.doctor.canary_prompt import MAX_SECONDS, run_program
from synapse_ls.setup.install.settings_merge import find_server
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.user_error import UserError
from synapse_ls.version import VERSION
from synapse_ls.workspace.program_search import safe_search_path

_FOLDER_VARIABLE = "${workspaceFolder}"
_LENGTH = re.compile(rb"Content-Length: *([0-9]{1,9})\r\n")
_CLIENT_INFO = {"name": "synapse doctor", "version": VERSION}


def _encode_request(method: str, params: Any = None, **more: Any) -> bytes:
    return dumps(
        {"jsonrpc": "2.0", "method": method, "params": params or {}, **more}, None
    ).encode()


def _split_lines(data: bytes) -> list[bytes]:
    """Return the messages of MCP's transport: a line each."""
    return data.splitlines()


def _split_frames(data: bytes) -> list[bytes]:
    """Return the messages of LSP's base protocol: each after a header with its length."""
    frames = []
    while size := _LENGTH.search(data):
        start = data.find(b"\r\n\r\n", size.end()) + 4
        frames.append(data[start : start + int(size[1])])
        data = data[start + int(size[1]) :]
    return frames


def _add_header(message: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)


@dataclass(frozen=True, slots=True)
class ServerProtocol:
    """How a server that is probed is spoken to. name: as reports have it. title: what the server
    is. option: of `synapse install`. greeting: what is written to it; messages: those in what it
    has written. patience: the seconds that an answer may take.
    """

    name: str
    title: str
    option: str
    greeting: bytes
    messages: Callable[[bytes], list[bytes]]
    patience: float = MAX_SECONDS


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
HOOKS_PROTOCOL = replace(
    MCP_PROTOCOL,
    name="hooks",
    title="the hook server",
    option="--via mcp",
    patience=TOOL_HOOK_TIMEOUT,
)
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
    """A registration of a server that was probed. name, line: its place; lines count from 1. state:
    current, outdated or unknown; an unknown one was not started. error: why it did not answer, ""
    where it did. remedy: what to do where something is wrong.
    """

    protocol: ServerProtocol
    scope: str
    name: str
    line: int
    command: tuple[str, ...]
    state: str
    error: str
    milliseconds: float
    remedy: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the probe as data for JSON."""
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
    """Probe each server of ours in each scope of ``client`` in which it is registered."""
    yield from _probe_protocol(client, MCP_PROTOCOL, around, scopes)
    yield from _probe_protocol(client.for_language_server(), LSP_PROTOCOL, around, scopes)
    yield from _probe_protocol(client.for_hook_server(), HOOKS_PROTOCOL, around, scopes)


def _probe_protocol(
    client: Client, protocol: ServerProtocol, around: Surroundings, scopes: Iterable[str]
) -> Iterator[ProbedServer]:
    for place in client.servers.places if client.servers is not None else ():
        view = client.with_servers_at(place, around)
        server_entry = _server_entry(view, place, around) if place.scope in scopes else None
        if client.servers is None or server_entry is None:
            continue
        entry, line = server_entry
        command = tuple(server_words(entry))
        state = server_state(client.servers, place.scope, entry)
        name = shown_path(client.path_of(place, around), around)
        again = f"synapse install {protocol.option} --client {client.name} --scope {place.scope}"
        began = perf_counter()
        error, remedy = "", edited_server_remedy(client.servers, entry, name, again)
        if state != UNKNOWN:
            if missing := missing_server_program(entry, again, around):
                error, remedy = missing.reason, missing.remedy
            else:
                root = str(around.root)
                started = server_arguments(client.servers, place.scope, state, root)
                error = _probe_error(started, protocol, around)
                if error and state == CURRENT:
                    remedy = f"Run `{shlex.join(command)}` by hand, and see what it says."
        took = 1000 * (perf_counter() - began)
        fields = (protocol, place.scope, name, line, command, state, error, took, remedy)
        yield ProbedServer(*fields)


def _server_entry(
    client: Client, place: SettingsPlace, around: Surroundings
) -> tuple[Any, int] | None:
    """Return the entry of our server in one of a client's files and its line, from 1; None where
    there is none, or nobody could read it.
    """
    file = client.path_of(place, around)
    name = shown_path(file, around)
    try:
        settings = read_settings(file, name)
        ours = client.servers is not None and client.servers.name == HOOK_SERVER_NAME
        entry = (
            find_server(client, settings.text, name, by_name=ours) if settings is not None else None
        )
    except UserError:
        return None
    if settings is None or entry is None:
        return None
    return entry[0], LineIndex(settings.text).line_of(entry[1]) + 1


def unreached_hook_server(
    client: Client, scope: str, around: Surroundings
) -> MissingProgram | None:
    """Return why it cannot be said that a client reaches our hook server in a scope: the server is
    not there, or its entry is none that we know. None where the entry is ours.
    """
    server = registered_hook_server(client, scope, around)
    if server is None or server.entry is None or server.state != UNKNOWN:
        return missing_hook_server(client, scope, around)
    return MissingProgram(
        f"the server {server.servers.name} in {server.file_name} is not one that `synapse install` "
        "writes",
        edited_server_remedy(server.servers, server.entry, server.file_name, server.again),
    )


def server_troubles(client: Client, greeted: Iterable[ProbedServer]) -> Iterator[Trouble]:
    """Yield what is wrong with the servers that were probed."""
    for probe in greeted:
        what, again, place = probe.protocol.title, probe.remedy, (probe.name, probe.line)
        if probe.state == UNKNOWN:
            sentence = (
                f"{what} in {probe.name} is not one that `synapse install` writes: not checked"
            )
            yield Trouble("unknown-line", "warning", client.name, sentence, again, *place)
        elif probe.error:
            sentence = f"{what} in {probe.name} does not answer: {probe.error}"
            yield Trouble("silent-server", "warning", client.name, sentence, again, *place)
        elif probe.state == OUTDATED:
            sentence = f"{what} in {probe.name} is not registered as it would be now"
            yield Trouble("outdated-registration", "warning", client.name, sentence, again, *place)


def _probe_error(command: list[str], protocol: ServerProtocol, around: Surroundings) -> str:
    """Return why the server does not answer a greeting, "" where it does."""
    root = str(around.root)
    line = [word.replace(_FOLDER_VARIABLE, root) for word in command]
    environment = {**os.environ, "PATH": safe_search_path(root)}
    done = run_program(line, protocol.greeting, around.root, environment, protocol.patience)
    for message in protocol.messages(done.out):
        try:
            answer = loads(message.decode("utf-8", "replace"))
        except JsonError:
            continue
        if isinstance(answer, dict) and isinstance(answer.get("result"), dict):
            return ""
    complaints = done.err.decode("utf-8", "replace").strip().splitlines()
    return complaints[0] if complaints else f"it ended with exit code {done.code}"
