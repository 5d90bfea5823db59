"""Probe our servers in a client's settings with the first request that the client would send.

Only what `synapse install` would write is started, or, for an older entry, a line of our own. Other
entries are shown and never started.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from synapse_ls.integrations import client_settings, hook_registrations, settings_syntax
from synapse_ls.integrations.hook_commands import TOOL_HOOK_TIMEOUT, server_words
from synapse_ls.setup.doctor.hook_trial import CLIENT_INFO, MAX_SECONDS, MCP_GREETING, run_program
from synapse_ls.setup.install.settings_merge import find_server
from synapse_ls.text.fast_json import JsonError, dumps, loads
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.program_search import safe_environment

_FOLDER_VARIABLE = "${workspaceFolder}"
# What stands before each message of LSP.
_HEADERS = re.compile(rb"(?:[\w-]+: [^\r\n]*\r\n)+\r\n")


def _encode_request(method: str, params: Any = None, **more: Any) -> bytes:
    return dumps(
        {"jsonrpc": "2.0", "method": method, "params": params or {}, **more}, None
    ).encode()


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
    _encode_request("initialize", MCP_GREETING, id=1) + b"\n",
    bytes.splitlines,
)
HOOKS_PROTOCOL = replace(
    MCP_PROTOCOL,
    name="hooks",
    title="the hook server",
    option="--via mcp",
    patience=TOOL_HOOK_TIMEOUT,
)
_LSP_GREETING = {"processId": None, "rootUri": None, "capabilities": {}, "clientInfo": CLIENT_INFO}
_LSP_MESSAGES = (
    _encode_request("initialize", _LSP_GREETING, id=1),
    _encode_request("shutdown", id=2),
    _encode_request("exit"),
)
LSP_PROTOCOL = ServerProtocol(
    "lsp",
    "the language server",
    "--lsp",
    b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(m), m) for m in _LSP_MESSAGES),
    _HEADERS.split,
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
            "current": self.state == hook_registrations.CURRENT,
            "state": self.state,
            "ok": self.state != hook_registrations.UNKNOWN and not self.error,
            "error": self.error,
            "milliseconds": round(self.milliseconds, 1),
        }


def probe_servers(
    client: client_settings.Client, around: client_settings.Surroundings, scopes: Iterable[str]
) -> Iterator[ProbedServer]:
    """Probe each server of ours in each scope of ``client`` in which it is registered."""
    for protocol, registering in (
        (MCP_PROTOCOL, client),
        (LSP_PROTOCOL, client.for_language_server()),
        (HOOKS_PROTOCOL, client.for_hook_server()),
    ):
        for place in registering.servers.places if registering.servers is not None else ():
            if place.scope in scopes:
                yield from _probe_place(registering, protocol, place, around)


def _probe_place(
    client: client_settings.Client,
    protocol: ServerProtocol,
    place: client_settings.SettingsPlace,
    around: client_settings.Surroundings,
) -> Iterator[ProbedServer]:
    """Probe the server that one of a client's files registers; none where nobody could read it."""
    servers = client.servers
    assert servers is not None
    view = client.with_servers_at(place, around)
    file, scope = view.path_of(place, around), place.scope
    name = client_settings.shown_path(file, around)
    ours = view.servers is not None and view.servers.name == client_settings.HOOK_SERVER_NAME
    try:
        if (settings := settings_syntax.read_settings(file, name)) is None:
            return
        server_entry = find_server(view, settings.text, name, by_name=ours)
    except UserError:
        return
    if server_entry is None:
        return
    entry, offset = server_entry
    line = LineIndex(settings.text).line_of(offset) + 1
    command = tuple(server_words(entry))
    state = hook_registrations.server_state(servers, scope, entry)
    again = f"synapse install {protocol.option} --client {client.name} --scope {scope}"
    began = perf_counter()
    error, remedy = "", hook_registrations.edited_server_remedy(servers, entry, name, again)
    if state != hook_registrations.UNKNOWN:
        if missing := hook_registrations.missing_server_program(entry, again, around):
            error, remedy = missing.reason, missing.remedy
        else:
            started = hook_registrations.server_arguments(servers, scope, state, str(around.root))
            error = _probe_error(started, protocol, around)
            if error and state == hook_registrations.CURRENT:
                remedy = f"Run `{shlex.join(command)}` by hand, and see what it says."
    took = 1000 * (perf_counter() - began)
    yield ProbedServer(protocol, scope, name, line, command, state, error, took, remedy)


def server_troubles(
    client: client_settings.Client, greeted: Iterable[ProbedServer]
) -> Iterator[client_settings.Trouble]:
    """Yield what is wrong with the servers that were probed."""
    for probe in greeted:
        server, place = f"{probe.protocol.title} in {probe.name}", (probe.name, probe.line)
        if probe.state == hook_registrations.UNKNOWN:
            code = "unknown-line"
            sentence = f"{server} is not one that `synapse install` writes: not checked"
        elif probe.error:
            code, sentence = "silent-server", f"{server} does not answer: {probe.error}"
        elif probe.state == hook_registrations.OUTDATED:
            code = "outdated-registration"
            sentence = f"{server} is not registered as it would be now"
        else:
            continue
        yield client_settings.Trouble(code, "warning", client.name, sentence, probe.remedy, *place)


def _probe_error(
    command: list[str], protocol: ServerProtocol, around: client_settings.Surroundings
) -> str:
    root = str(around.root)
    line = [word.replace(_FOLDER_VARIABLE, root) for word in command]
    environment = safe_environment(root)
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
