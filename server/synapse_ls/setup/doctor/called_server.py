"""This module calls the tool of our hook server for `synapse doctor`, as a client would that has it
as its hook.

What is started is what the entry would start that `synapse install` writes, or a line of our own that
does the same; nothing that settings hold.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from queue import Empty, SimpleQueue
from threading import Thread
from time import perf_counter
from types import TracebackType
from typing import Any

from synapse_ls.integrations.client_definition import Client, Surroundings
from synapse_ls.integrations.client_registrations import UNKNOWN, server_arguments
from synapse_ls.integrations.hook_programs import registered_hook_server
from synapse_ls.integrations.tool_hooks import TOOL_NAME, fill_input, tool_input
from synapse_ls.setup.doctor.started_program import ProgramResult, end_program
from synapse_ls.text.fast_json import dumps, loads
from synapse_ls.version import VERSION

_CLIENT_INFO = {"name": "synapse doctor", "version": VERSION}


class CalledServer:
    """A CalledServer is a hook server that the doctor calls, and that runs while the ``with`` block
    lasts. scope: of the registration that it stands for; patience: the seconds that an answer may
    take.
    """

    def __init__(
        self,
        client: Client,
        scope: str,
        around: Surroundings,
        environment: Mapping[str, str],
        patience: float,
    ) -> None:
        assert client.tool_hooks is not None
        self._tool_hooks = client.tool_hooks
        self._patience = patience
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._requests = 0
        self._complaint = ""
        found = registered_hook_server(client, scope, around)
        state = found.state if found is not None else UNKNOWN
        self._process = subprocess.Popen(
            server_arguments(client.tool_hooks.servers, scope, state, str(around.root)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=around.root,
            env=dict(environment),
            start_new_session=True,
        )
        Thread(target=self._read_lines, daemon=True).start()

    def __enter__(self) -> CalledServer:
        greeting = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _CLIENT_INFO}
        _, self._complaint = self._ask("initialize", greeting)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
            self._process.wait(0 if self._complaint else self._patience)
        except (OSError, subprocess.TimeoutExpired):
            pass
        if self._process.poll() is None:
            end_program(self._process)
            self._process.wait()

    def call(self, event: str, payload: dict[str, Any]) -> tuple[ProgramResult, float]:
        """Returns what one event comes to, as of a command, and its milliseconds."""
        if self._complaint:
            return ProgramResult(-1, b"", self._complaint.encode()), 0.0
        wanted = tool_input(event, self._tool_hooks.fields[event])
        began = perf_counter()
        params = {"name": TOOL_NAME, "arguments": fill_input(wanted, payload)}
        result, complaint = self._ask("tools/call", params)
        took = 1000 * (perf_counter() - began)
        content = result.get("content") if isinstance(result, dict) else None
        if complaint or not isinstance(content, list):
            said = complaint or "it answers nothing"
            return ProgramResult(-1, b"", said.encode()), took
        said = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
        return ProgramResult(0, said.encode("utf-8", "replace"), b""), took

    def _ask(self, method: str, params: dict[str, Any]) -> tuple[Any, str]:
        """Returns the result of a request, and what is wrong."""
        self._requests += 1
        request = {"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params}
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(dumps(request, None).encode("utf-8", "replace") + b"\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it has ended, and its output says so
        try:
            line = self._lines.get(timeout=self._patience)
            answer = loads(line.decode("utf-8", "replace")) if line else None
        except Empty:
            return None, f"the server gave no answer within {self._patience:g} s"
        except ValueError:
            return None, "the server answers with what is no JSON"
        if not line:
            return None, self._end_of_server()
        if not isinstance(answer, dict) or "error" in answer:
            return None, "the server answers with an error"
        return answer.get("result"), ""

    def _end_of_server(self) -> str:
        """Returns how the server has ended that closed its output."""
        try:
            return f"the server ended with exit code {self._process.wait(self._patience)}"
        except subprocess.TimeoutExpired:
            return "the server closed its output"

    def _read_lines(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line)
        self._lines.put(b"")
