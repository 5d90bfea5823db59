"""A hook server as a client starts it, which is spoken to in lines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from synapse_ls.__main__ import CONVERSATION
from synapse_ls.integrations.hook_commands import TOOL_NAME, fill_input, tool_input
from synapse_ls.integrations.settings_registry import CLIENTS

PATIENT = """
from synapse_ls.hooks import hook_command, hook_server, lint_feedback, hook_timeout
hook_server.ANSWER_SECONDS = lint_feedback.LINT_SECONDS = 120.0  # however busy the machine of the tests is
hook_timeout.watch_seconds = lambda *_: 120.0
main = hook_server.main
"""


class ServedHook:
    """A server for ``client`` in the folder ``cwd`` while the ``with`` block lasts. code: what imports
    ``main``, and changes what the test is about.
    """

    def __init__(
        self,
        cwd: Path,
        *arguments: str,
        client: str = "claude",
        environment: Mapping[str, str] | None = None,
        code: str = PATIENT,
    ) -> None:
        tool_hooks = CLIENTS[client].tool_hooks
        assert tool_hooks is not None
        self.fields = tool_hooks.fields
        self._number = 0
        start = f"import sys\n{code}\nsys.exit(main(sys.argv[1:], {CONVERSATION!r}))"
        self.process = subprocess.Popen(
            [sys.executable, "-c", start, "--client", client, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=cwd,
            env={**os.environ, **(environment or {})},
        )

    def __enter__(self) -> ServedHook:
        self.ask("initialize", {"protocolVersion": "2025-11-25"})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        try:
            self.process.wait(60)
        finally:
            self.process.kill()
            self.process.stdout.close()

    def write(self, data: bytes) -> None:
        """Sends what may be no message."""
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read_line(self) -> bytes:
        """The next message as it comes."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, "the server has ended"
        return line

    def read(self) -> dict[str, Any]:
        """The next message."""
        message: dict[str, Any] = json.loads(self.read_line())
        return message

    def request(self, method: str, params: object = None) -> bytes:
        """The bytes of a request with a number of its own."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}}
        return json.dumps(message).encode() + b"\n"

    def send(self, method: str, params: object = None) -> int:
        """Sends a request and returns its number."""
        self.write(self.request(method, params))
        return self._number

    def ask(self, method: str, params: object = None) -> dict[str, Any]:
        """The answer to a request."""
        number = self.send(method, params)
        answer = self.read()
        assert answer["id"] == number
        return answer

    def event_request(self, event: str, payload: dict[str, Any]) -> bytes:
        """The bytes with which the client would call the tool for an event."""
        arguments = fill_input(tool_input(event, self.fields[event]), payload)
        return self.request("tools/call", {"name": TOOL_NAME, "arguments": arguments})

    def send_event(self, event: str, payload: dict[str, Any]) -> int:
        """Calls the tool as the client would for an event."""
        self.write(self.event_request(event, payload))
        return self._number

    def reply(self, event: str, payload: dict[str, Any]) -> str:
        """What the tool answers to an event."""
        number = self.send_event(event, payload)
        answer = self.read()
        assert answer["id"] == number
        return said(answer)


def said(answer: dict[str, Any]) -> str:
    """The text of an answer to a call."""
    (part,) = answer["result"]["content"]
    assert part["type"] == "text" and answer["result"]["isError"] is False
    text: str = part["text"]
    return text
