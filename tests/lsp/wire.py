"""A server in this process, spoken to in decoded JSON: the protocol without the pipe."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.stdio_transport import FrameReader

Message = dict[str, Any]
PATIENCE = 60.0  # seconds until a condition that does not come true fails a test

WATCHES: Message = {
    "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True}
}
"""The part of ``workspace`` of a client that watches files, so that the server does not."""


class Wire:
    """Both ends of a connection: sends, keeps all that is said, answers what the server asks."""

    def __init__(self) -> None:
        self.server = Server()
        self.said: list[Message] = []
        self.answers: dict[str, Any] = {"workspace/configuration": [None]}
        self.left: list[int] = []
        self._frames = FrameReader()
        self._ids = count(1)
        self._news = asyncio.Event()
        self.server.stop = self.left.append
        self.server.protocol.set_writer(self)

    # What the server writes to

    def write(self, data: bytes) -> None:
        for body in self._frames.feed(data):
            message = json.loads(body)
            self.said.append(message)
            if "method" in message and "id" in message and message["method"] in self.answers:
                answer = {"id": message["id"], "result": self.answers[message["method"]]}
                asyncio.get_running_loop().call_soon(self.send, answer)
            elif "method" in message and "id" in message and self.answers:
                answer = {"id": message["id"], "result": None}
                asyncio.get_running_loop().call_soon(self.send, answer)
        self._news.set()

    def close(self) -> None:
        """The server has nothing more to say."""

    # What a test says

    def send(self, *messages: Message) -> None:
        """Let the server read these at once."""
        self.server.protocol.enqueue_messages(
            [{"jsonrpc": "2.0", **message} for message in messages]
        )

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: Any = None) -> int:
        """Send a request; its id."""
        number = next(self._ids)
        self.send({"id": number, "method": method, "params": params})
        return number

    async def answer(self, number: int) -> Message:
        """The response to a request."""
        return await self.first(
            lambda message: message.get("id") == number and "method" not in message
        )

    async def request(self, method: str, params: Any = None) -> Any:
        """The result of a request."""
        response = await self.answer(self.ask(method, params))
        assert "error" not in response, response
        return response["result"]

    async def refusal(self, method: str, params: Any = None) -> Message:
        """The error of a request."""
        response = await self.answer(self.ask(method, params))
        error: Message = response["error"]
        return error

    async def first(self, wanted: Callable[[Message], bool], after: int = 0) -> Message:
        """The first message from number ``after`` on that is wanted, once there is one."""

        def found() -> list[Message]:
            return [message for message in self.said[after:] if wanted(message)]

        await self.until(lambda: bool(found()))
        return found()[0]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for a condition, looked at with every message and otherwise now and then."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self._news.clear()
                try:
                    await asyncio.wait_for(self._news.wait(), 0.02)
                except TimeoutError:
                    continue

    async def settled(self) -> None:
        """Wait until everything that was sent is worked off."""
        trees = self.server.trees
        async with asyncio.timeout(PATIENCE):
            await self.until(lambda: not self.server.protocol.is_busy)
            await trees.scan_finished.wait()
            while True:
                await self.server.worker.run(int)
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                if not any(
                    root.pending_buffers or not root.settled.is_set()
                    for root in trees.roots.values()
                ):
                    break

    # Shorthands

    async def initialize(
        self,
        *folders: Path,
        capabilities: Message | None = None,
        options: Any = None,
        locale: str | None = None,
    ) -> Message:
        """Begin the session; the server's capabilities."""
        result = await self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": None,
                "capabilities": capabilities or {},
                "locale": locale,
                "initializationOptions": options,
                "workspaceFolders": [
                    {"uri": path_to_uri(str(folder)), "name": folder.name} for folder in folders
                ],
            },
        )
        self.notify("initialized", {})
        capabilities_: Message = result["capabilities"]
        return capabilities_

    def open(self, uri: str, text: str, version: int = 1) -> None:
        """Open a document."""
        item = {"uri": uri, "languageId": "synapse", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, *changes: Message) -> None:
        """Change a document; a change is ``{"text": …}`` with or without a range."""
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)},
        )

    def notifications(self, method: str) -> list[Any]:
        """The parameters of all notifications of a method so far."""
        return [message["params"] for message in self.said if message.get("method") == method]

    def diagnostics(self, uri: str) -> list[Message]:
        """What was last published for a document."""
        published = self.notifications("textDocument/publishDiagnostics")
        found = [params["diagnostics"] for params in published if params["uri"] == uri]
        last: list[Message] = found[-1] if found else []
        return last

    def text(self, uri: str) -> str:
        """The text that the server has of an open document."""
        document = self.server.documents.get(uri)
        assert document is not None
        return document.text


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> Message:
    """A change of a range, each end a line and a column."""
    return {
        "range": {
            "start": {"line": start[0], "character": start[1]},
            "end": {"line": end[0], "character": end[1]},
        },
        "text": text,
    }


def at(uri: str, line: int, character: int) -> Message:
    """The parameters of a request about a place."""
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


def codes(found: Iterable[Message]) -> list[str]:
    """The codes of diagnostics, in order."""
    return [one["code"] for one in found]


@asynccontextmanager
async def connected(
    *folders: Path,
    capabilities: Message | None = None,
    options: Any = None,
    locale: str | None = None,
) -> AsyncIterator[Wire]:
    """A connection that is initialized with folders."""
    wire = Wire()
    given = {"workspace": WATCHES} if capabilities is None else capabilities
    await wire.initialize(*folders, capabilities=given, options=options, locale=locale)
    await wire.server.trees.scan_finished.wait()
    try:
        yield wire
    finally:
        await wire.request("shutdown")
        wire.server.close()
