"""A server of one of the programs at the other end of its pipes, which is asked one thing at a time."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

from tests.compare.place import SECONDS, Place
from tests.compare.programs import REPOSITORY, Program

Message = dict[str, Any]
CONVERSATION_SECONDS = 5 * SECONDS


class LineServer:
    """A server that speaks in lines of JSON, as those of MCP and the hook server do, while the ``with``
    block lasts.
    """

    def __init__(self, program: Program, place: Place, *arguments: str) -> None:
        self._number = 0
        self._errors = (place.folder / "tmp" / "server-errors").open("w+b")
        self._process = subprocess.Popen(
            [program.python, "-m", "tests.compare.server_host", place.project, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=REPOSITORY,
            env={**place.environment, "PYTHONPATH": str(REPOSITORY)},
        )
        # A server that does not answer is ended, and reading from it with it.
        self._timer = threading.Timer(CONVERSATION_SECONDS, self._process.kill)
        self._timer.start()
        assert self._process.stdin and self._process.stdout
        self._to, self._from = self._process.stdin, self._process.stdout

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._to.close()
        self._process.wait()
        self._timer.cancel()
        self._from.close()
        self._errors.close()

    def request(self, method: str, params: object) -> tuple[Message, list[Message]]:
        """The response to a request, and what the server has said before it."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        said: list[Message] = []
        while True:
            message = self._receive()
            if message is None:
                return {"error": f"The server has ended.\n{self.error_text()}"}, said
            if "method" not in message and message.get("id") == self._number:
                return message, said
            said.append(message)
            if "method" in message and "id" in message:
                self._send({"id": message["id"], "result": _editor_answer(message)})

    def notify(self, method: str, params: object) -> None:
        """Sends a notification."""
        self._send({"method": method, "params": params})

    def error_text(self) -> str:
        """What the server has written to standard error."""
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "backslashreplace")

    def exit_code(self) -> int:
        """The exit code, once nobody speaks to it any more."""
        self._to.close()
        self._from.read()
        return self._process.wait()

    def _send(self, message: Message) -> None:
        try:
            self._to.write(self._encode(json.dumps({"jsonrpc": "2.0", **message}).encode()))
            self._to.flush()
        except BrokenPipeError:
            pass  # to read says that it has ended

    def _encode(self, body: bytes) -> bytes:
        return body + b"\n"

    def _receive(self) -> Message | None:
        line = self._from.readline()
        return _decode(line) if line else None


class FramedServer(LineServer):
    """A server that speaks in frames, as language servers do."""

    def _encode(self, body: bytes) -> bytes:
        return b"Content-Length: %d\r\n\r\n" % len(body) + body

    def _receive(self) -> Message | None:
        length = 0
        for line in iter(self._from.readline, b""):
            if line == b"\r\n":
                return _decode(self._from.read(length))
            name, _, value = line.partition(b":")
            if name == b"Content-Length":
                length = int(value)
        return None


def _decode(data: bytes) -> Message:
    message: Message = json.loads(data)
    return message


def _editor_answer(message: Message) -> object:
    """What an editor answers to what a server asks it."""
    match message["method"]:
        case "workspace/applyEdit":
            return {"applied": True}
        case "window/showDocument":
            return {"success": True}
        case "workspace/configuration":
            return [None] * len(message["params"]["items"])
        case "roots/list":
            return {"roots": []}
    return None


def answer_text(messages: Iterable[object]) -> str:
    """Messages as text."""
    return "".join(json.dumps(one, indent=1, ensure_ascii=False) + "\n" for one in messages)
