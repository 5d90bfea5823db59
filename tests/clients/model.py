"""Stands in for a language model on loopback, and keeps every request that it was sent.

It speaks what the clients speak: Anthropic's Messages, OpenAI's Responses and Chat Completions, and
Gemini's generateContent. What it says, which tools it calls and what it claims to have used is up to
the test. Nothing but the standard library is needed.
"""

from __future__ import annotations

import gzip
import json
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, NamedTuple

from tests.clients import wire

SAYING = "The stand-in has answered."


class Usage(NamedTuple):
    """Tokens: sent anew, read from the provider's cache, written to it, and answered with."""

    fresh: int = 1000
    read: int = 200
    written: int = 30
    output: int = 12

    @property
    def sent(self) -> int:
        """All that the model read; the figure that Responses, Chat and Gemini report."""
        return self.fresh + self.read + self.written


class Call(NamedTuple):
    """A tool that an answer calls."""

    tool: str
    arguments: Mapping[str, Any]
    namespace: str = ""
    """That the tool was offered in, where it was."""


_SUMMARIZES = ("create a detailed summary", "Summarize the conversation history", "<summary>")


class Asked(NamedTuple):
    """One request: where it went, its JSON, and when it came, in nanoseconds."""

    path: str
    body: dict[str, Any]
    at: int = 0

    @property
    def text(self) -> str:
        """All that the model reads: system prompt and messages, in their order, a line each."""
        parts = ("system", "systemInstruction", "instructions", "messages", "input", "contents")
        return "\n".join(text for part in parts for text in _texts(self.body.get(part)))

    @property
    def tools(self) -> frozenset[str]:
        return frozenset(_tool_names(self.body.get("tools")))

    @property
    def of_a_turn(self) -> bool:
        """Whether it moves the conversation on: most titles and summaries are asked without tools."""
        last = "".join(_texts((self.body.get("messages") or [""])[-1]))
        return bool(self.tools) and not any(words in last for words in _SUMMARIZES)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _tool_names(value: object) -> Iterator[str]:
    """Every dialect has the name in another depth of ``tools``."""
    if isinstance(value, list):
        for tool in value:
            if isinstance(tool, dict):
                function = tool.get("function")
                name = (function if isinstance(function, dict) else tool).get("name")
                if isinstance(name, str):
                    yield name
                yield from _tool_names(tool.get("functionDeclarations"))
                yield from _tool_names(tool.get("tools"))


def _namespace(tool: str, body: Mapping[str, Any]) -> str:
    groups = (group for group in body.get("tools", ()) if group.get("type") == "namespace")
    return next((g["name"] for g in groups if tool in _tool_names(g["tools"])), "")


class Model:
    """A server while the ``with`` block lasts."""

    def __init__(self) -> None:
        self.usage = self.claimed = Usage()
        """What the answers of turns say that they have used, and what the last one has said."""
        self.summary = SAYING
        """What it says where it is not asked to move a conversation on."""
        self.begun = 0
        """Answers of which the first words were sent."""
        self._usages: list[Usage] = []
        self._requests: list[Asked] = []
        self._calls: list[Call] = []
        self._lock = Lock()
        self._server = _Server(self)
        self._clients = ExitStack()
        self._answered_at_once = 0
        self._may_answer = Event()
        self._may_answer.set()
        self._may_end = Event()
        self._may_end.set()

    def __enter__(self) -> Model:
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *reason: object) -> None:
        self._may_answer.set()
        self._may_end.set()
        self._clients.close()
        self._server.shutdown()
        self._server.server_close()

    def before_end(self, act: Callable[[], object]) -> None:
        """Have something done when nobody asks any more, as the end of a client that goes on."""
        self._clients.callback(act)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def requests(self) -> tuple[Asked, ...]:
        with self._lock:
            return tuple(self._requests)

    @property
    def turns(self) -> tuple[Asked, ...]:
        """The requests that moved a conversation on."""
        return tuple(request for request in self.requests if request.of_a_turn)

    @contextmanager
    def thinking(self, after: int = 0) -> Iterator[None]:
        """Answer no request that moves a conversation on, but the first ``after`` of them, until the
        ``with`` block ends."""
        self._answered_at_once = after
        self._may_answer.clear()
        try:
            yield
        finally:
            self._may_answer.set()

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """End no streamed answer after its first words, until the ``with`` block ends."""
        self._may_end.clear()
        try:
            yield
        finally:
            self._may_end.set()

    def will_call(self, tool: str, **arguments: object) -> None:
        """Call a tool, once, in the next answer to a request that offers it."""
        with self._lock:
            self._calls.append(Call(tool, arguments))

    def will_claim(self, *usages: Usage) -> None:
        """What the next answers of turns say that they have used, before it is `usage` again."""
        with self._lock:
            self._usages.extend(usages)

    def wait_for_end(self) -> None:
        """Wait until an answer may go on behind its first words."""
        self.begun += 1
        self._may_end.wait()

    def answer(self, asked: Asked) -> wire.Said:
        """Keep a request; the answer to it."""
        with self._lock:
            self._requests.append(asked)
            calls = self._calls if asked.of_a_turn else ()
            call = next((call for call in calls if call.tool in asked.tools), None)
            if call:
                self._calls.remove(call)
                call = call._replace(namespace=_namespace(call.tool, asked.body))
            claimed = bool(self._usages) and asked.of_a_turn
            usage = self._usages.pop(0) if claimed else self.usage
            self.claimed = usage if asked.of_a_turn else self.claimed
            waits = asked.of_a_turn and self._answered_at_once < 1
            self._answered_at_once -= asked.of_a_turn
        if waits:
            self._may_answer.wait()
        text = SAYING if asked.of_a_turn else self.summary
        if asked.of_a_turn and not self._may_end.is_set():
            text += "\n\nIt goes on."  # clients draw whole lines
        model = str(asked.body.get("model") or "stand-in")
        return wire.Said(model, "" if call else text, call, usage)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Model) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model

    def handle_error(self, request: object, client_address: object) -> None:
        """A client may hang up whenever it likes."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *arguments: object) -> None:
        """Standard error belongs to the tests."""

    def do_HEAD(self) -> None:
        self._send(b"", "text/plain")

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        answer = wire.models() if path.endswith("/models") else {}
        self._send(json.dumps(answer).encode(), "application/json")

    def do_POST(self) -> None:
        body = json.loads(self._body() or b"{}")
        now = time.time_ns()
        asked = Asked(self.path.partition("?")[0], body if isinstance(body, dict) else {}, now)
        dialect = wire.dialect_of(asked.path)
        if dialect is None:
            counted = {"input_tokens": 10, "totalTokens": 10}  # asked for by …/count_tokens
            self._send(json.dumps(counted).encode(), "application/json")
            return
        said = self.server.model.answer(asked)
        streamed = bool(asked.body.get("stream")) or asked.path.endswith("streamGenerateContent")
        if streamed:
            self._send(wire.stream(dialect.events(said)), "text/event-stream", asked.of_a_turn)
        else:
            self._send(json.dumps(dialect.whole(said)).encode(), "application/json")

    def _send(self, data: bytes, kind: str, pauses: bool = False) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        words = data.find(b"\n\n", data.find(SAYING.encode())) + 2 if pauses else 0
        if words > 2:
            self.wfile.write(data[:words])
            self.wfile.flush()
            self.server.model.wait_for_end()
            data = data[words:]
        self.wfile.write(data)

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            data = b"".join(iter(self._chunk, b""))
        else:
            data = self.rfile.read(int(self.headers.get("content-length", 0)))
        encoding = self.headers.get("content-encoding", "")
        if encoding == "gzip":
            return gzip.decompress(data)
        if encoding == "deflate":
            return zlib.decompress(data)
        return data

    def _chunk(self) -> bytes:
        size = int(self.rfile.readline().partition(b";")[0], 16)
        data = self.rfile.read(size)
        self.rfile.readline()
        return data
