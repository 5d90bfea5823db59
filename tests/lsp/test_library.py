"""What pygls 2.1 does otherwise, each with a test that fails without our way around it."""

from __future__ import annotations

import ast
import asyncio
import logging
import os
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from lsprotocol.types import LogMessageParams, MessageType

from synapse_ls.lsp import background_work, stdio_server, stdio_transport
from synapse_ls.lsp.background_work import Worker
from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.stdio_transport import FrameReader, read_messages
from tests.lsp.wire import PATIENCE, WATCHES, Wire, at, connected, edit
from tests.trees import TEAM, write_tree

URI = "file:///elsewhere/notes"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "team", TEAM)


def manifest_of(tree: Path) -> tuple[str, str]:
    path = tree / ".synapse" / "manifest"
    return path_to_uri(str(path)), path.read_text(encoding="utf-8")


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\v", "\f", "\x1c"])
async def test_only_line_feeds_and_returns_end_a_line(mark: str) -> None:
    """pygls splits lines as Python does, so everything behind such a character moves down."""
    async with connected() as wire:
        wire.open(URI, f"one{mark}two\nthree")
        wire.change(URI, 2, edit((1, 0), (1, 5), "3"))
        await wire.settled()
        assert wire.text(URI) == f"one{mark}two\n3"


async def test_a_range_beyond_the_last_line_loses_no_character() -> None:
    """pygls puts a column beyond the end one place before it where no break follows."""
    async with connected() as wire:
        wire.open(URI, "abc")
        wire.change(URI, 2, edit((0, 0), (0, 99), "X"))
        await wire.settled()
        assert wire.text(URI) == "X"


async def test_a_busy_worker_does_not_make_the_server_deaf(tree: Path) -> None:
    """pygls reads input in the pool of its thread handlers: with all of them busy, nothing is read.

    Here the worker is busy until the answer that is waited for has come; the input is a real pipe.
    """
    async with connected(tree) as wire:
        done = Event()
        busy = wire.server.worker.run(done.wait, PATIENCE)
        reading, writing = os.pipe()
        read_messages(reading, asyncio.get_running_loop(), wire.server.protocol.enqueue_messages)
        body = b'{"jsonrpc": "2.0", "id": "ping", "method": "no/suchMethod"}'
        os.write(writing, b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        answer = await wire.first(lambda message: message.get("id") == "ping")
        assert answer["error"]["code"] == -32601
        done.set()
        assert await busy
        os.close(writing)


async def test_a_request_that_is_cancelled_before_its_turn_is_never_begun() -> None:
    """pygls begins each request before it reads the cancellation that came with it."""
    async with connected() as wire:
        begun: list[int] = []

        async def handle(params: Any) -> None:
            begun.append(1)

        wire.server.feature("test/slow")(handle)
        requests = [{"id": f"r{n}", "method": "test/slow"} for n in range(20)]
        cancels = [{"method": "$/cancelRequest", "params": {"id": f"r{n}"}} for n in range(19)]
        wire.send(*requests, *cancels)
        await wire.until(lambda: sum(str(m.get("id")).startswith("r") for m in wire.said) == 20)
        answers = {m["id"]: m.get("error", {}).get("code") for m in wire.said if "id" in m}
        assert len(begun) == 1
        assert answers["r19"] is None
        assert all(answers[f"r{n}"] == -32800 for n in range(19))


async def test_a_request_that_is_cancelled_while_it_waits_is_answered_at_once(tree: Path) -> None:
    """The job that it waits for is never done either."""
    async with connected(tree) as wire:
        uri, _ = manifest_of(tree)
        await wire.settled()
        done = Event()
        wire.server.worker.run(done.wait, PATIENCE)
        number = wire.ask("textDocument/hover", at(uri, 0, 1))
        await asyncio.sleep(0)
        wire.notify("$/cancelRequest", {"id": number})
        answer = await wire.answer(number)
        done.set()
        assert answer["error"]["code"] == -32800


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", {"textDocument": 5}),
        ("textDocument/hover", {"textDocument": {"uri": "file:///x"}, "position": {"line": "x"}}),
        ("textDocument/definition", []),
        ("textDocument/documentSymbol", None),
        ("synapse/context", {"prompt": 5}),
        ("synapse/context", {"remaining": True}),
        ("synapse/status", {"uri": ["file:///x"]}),
        ("synapse/domains", "tree"),
    ],
)
async def test_invalid_parameters_are_answered(method: str, params: Any) -> None:
    """pygls shows a message box and never answers, so the client waits for ever."""
    async with connected() as wire:
        error = await wire.refusal(method, params)
        assert error["code"] == -32602
        assert method in error["message"]
        assert not wire.notifications("window/showMessage")


@pytest.mark.parametrize("message", [{"id": True, "method": "shutdown"}, {"id": 7, "jsonrpc": "1"}])
async def test_what_is_no_request_is_refused(message: dict[str, Any]) -> None:
    """pygls ignores what it cannot place."""
    async with connected() as wire:
        before = len(wire.said)
        if "jsonrpc" in message:
            wire.server.protocol.enqueue_messages([message])
        else:
            wire.send(message)
        error = await wire.first(lambda said: "error" in said, before)
        assert error["error"]["code"] == -32600


async def test_broken_json_is_answered_and_harms_nothing() -> None:
    """A parse error has no id to answer to; JSON-RPC 2.0 wants null then."""
    async with connected() as wire:
        loop = asyncio.get_running_loop()
        reading, writing = os.pipe()
        read_messages(reading, loop, wire.server.protocol.enqueue_messages)
        os.write(writing, b"Content-Length: 3\r\n\r\n{,}")
        answer = await wire.first(lambda message: message.get("error", {}).get("code") == -32700)
        assert answer["id"] is None
        os.close(writing)


async def test_a_request_before_initialize_is_refused() -> None:
    """pygls runs the handler, which fails for want of a workspace."""
    wire = Wire()
    assert (await wire.refusal("textDocument/hover", at(URI, 0, 0)))["code"] == -32002


async def test_a_second_initialize_is_refused() -> None:
    """pygls begins anew, with other folders and half of the old state."""
    async with connected() as wire:
        error = await wire.refusal("initialize", {"processId": None, "capabilities": {}})
        assert error["code"] == -32600


@pytest.mark.parametrize(
    "capabilities", [None, [], "x", {"general": True}, {"general": {"positionEncodings": 5}}]
)
async def test_capabilities_that_are_none_are_refused(capabilities: Any) -> None:
    error = await Wire().refusal("initialize", {"processId": None, "capabilities": capabilities})
    assert error["code"] == -32602
    assert "initialize" in error["message"]


async def test_a_request_after_shutdown_is_refused() -> None:
    """pygls drops it, so the client waits for ever."""
    wire = Wire()
    await wire.initialize()
    await wire.request("shutdown")
    assert (await wire.refusal("synapse/status"))["code"] == -32600


async def test_a_response_after_shutdown_is_taken() -> None:
    """pygls drops it, so whoever waits for it waits for ever."""
    wire = Wire()
    await wire.initialize()
    await wire.settled()
    await wire.request("shutdown")
    wire.answers = {"test/ask": 5}
    future = wire.server.protocol.send_request_async("test/ask")
    assert await asyncio.wait_for(future, PATIENCE) == 5


async def test_a_failing_notification_is_shown_once() -> None:
    """pygls shows a message box for each: one per key stroke where ``didChange`` fails."""
    async with connected() as wire:

        def fail(params: Any) -> None:
            raise ZeroDivisionError("a bug")

        wire.server.feature("test/fails")(fail)
        for _ in range(5):
            wire.notify("test/fails")
        await wire.until(lambda: wire.server.errors.counts["ZeroDivisionError"] == 5)
        (box,) = wire.notifications("window/showMessage")
        assert "a bug" in box["message"]


async def test_a_failing_request_is_answered_without_a_traceback() -> None:
    """pygls sends its own source lines to the client."""
    async with connected() as wire:

        async def fail(params: Any) -> None:
            raise ZeroDivisionError("a bug")

        wire.server.feature("test/fails")(fail)
        error = await wire.refusal("test/fails")
        assert error == {"code": -32603, "message": "ZeroDivisionError: a bug"}
        assert not wire.notifications("window/showMessage")


async def test_a_change_of_a_document_that_is_not_open_is_ignored() -> None:
    """pygls raises KeyError, and shows it."""
    async with connected() as wire:
        wire.change("file:///never/opened", 2, {"text": "x"})
        await wire.settled()
        assert wire.server.documents.get("file:///never/opened") is None
        assert not wire.notifications("window/showMessage")


async def test_a_log_handler_that_writes_to_the_client_ends() -> None:
    """pygls logs each message that it sends, with its body: such a handler would call itself."""
    async with connected() as wire:

        class Forward(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                wire.server.protocol.notify(
                    "window/logMessage", LogMessageParams(MessageType.Log, "x")
                )

        root = logging.getLogger()
        before = root.handlers[:], root.level
        try:
            background_work.configure_logging(logging.DEBUG)
            root.addHandler(forward := Forward())
            root.setLevel(logging.DEBUG)
            logging.getLogger("synapse_ls.lsp").info("once")
            assert len(wire.notifications("window/logMessage")) == 1
        finally:
            root.removeHandler(forward)
            root.handlers[:], root.level = before


@pytest.mark.parametrize("params", [{}, {"id": None}, {"id": []}, None, 5])
async def test_a_cancellation_that_names_no_request_is_nobody_s_business(params: object) -> None:
    """pygls fails, which would be shown to the person."""
    async with connected() as wire:
        wire.notify("$/cancelRequest", params)
        assert (await wire.refusal("no/suchMethod"))["code"] == -32601
        assert not wire.notifications("window/showMessage")
        assert not wire.server.errors.counts


@pytest.mark.parametrize("uri", [12, None, ["file:///x"]])
async def test_a_document_whose_uri_is_no_string_is_an_error_of_the_client(uri: object) -> None:
    """The converter of pygls makes the string ``12`` of the number."""
    async with connected() as wire:
        params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
        error = await wire.refusal("textDocument/hover", params)
        assert error["code"] == -32602
        assert "textDocument.uri is not a string" in error["message"]


async def test_a_reply_to_a_question_that_was_given_up_harms_nothing() -> None:
    """pygls raises InvalidStateError in the loop that reads messages."""
    async with connected() as wire:
        wire.answers = {}
        asked = wire.server.protocol.send_request_async("test/ask")
        asked.cancel()
        await asyncio.sleep(0)
        question = await wire.first(lambda message: message.get("method") == "test/ask")
        wire.send({"id": question["id"], "result": 5})
        wire.send({"id": question["id"], "result": 6})
        assert (await wire.refusal("no/suchMethod"))["code"] == -32601
        assert not wire.server.errors.counts


async def test_a_closed_file_is_read_as_it_is_on_disk(tree: Path) -> None:
    """pygls reads a closed file anew for each look, with other line breaks and the byte order mark."""
    path = tree / ".synapse" / "global"
    path.write_bytes("\ufeffGLOBAL_RULE_0=First\r\nGLOBAL_RULE_1=Second\r\n".encode())
    async with connected(tree) as wire:
        found = await wire.request("textDocument/hover", at(path_to_uri(str(path)), 1, 3))
        assert found["range"]["start"]["line"] == found["range"]["end"]["line"] == 1


async def test_a_file_that_does_not_exist_has_no_hover(tree: Path) -> None:
    """pygls raises FileNotFoundError into the handler."""
    async with connected(tree) as wire:
        gone = path_to_uri(str(tree / ".synapse" / "gone"))
        assert await wire.request("textDocument/hover", at(gone, 0, 0)) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///c%3A/tree/x", "file:///C:/tree/x"),
        ("file:///tree/a%5Bb%5D", "file:///tree/a[b]"),
        ("file:///tree/%C3%A4", "file:///tree/ä"),
        ("file://localhost/tree/x", "file:///tree/x"),
    ],
)
async def test_spellings_of_one_uri_are_one_document(one: str, other: str) -> None:
    """pygls takes drive letters of both cases for different documents."""
    async with connected() as wire:
        wire.open(one, "a")
        wire.change(other, 2, {"text": "b"})
        await wire.settled()
        assert wire.text(one) == wire.text(other) == "b"


async def test_parameters_of_our_methods_keep_their_names(tree: Path) -> None:
    """pygls makes named tuples of them, in which ``class`` and ``my-key`` have other names."""
    async with connected(tree) as wire:
        given = {"class": 1, "my-key": 2, "prompt": "raise the coverage", "bracket": "MODERATE"}
        context = await wire.request("synapse/context", given)
        assert "Arrange, act, assert" in context["block"]


async def test_an_object_with_a_jsonrpc_key_inside_a_message_is_data() -> None:
    """pygls takes every such object, however deep, for a message."""
    async with connected() as wire:
        wire.notify("workspace/didChangeConfiguration", {"settings": {"jsonrpc": "2.0", "id": 1}})
        assert (await wire.refusal("no/suchMethod"))["code"] == -32601
        assert not wire.server.errors.counts


def test_the_case_of_header_names_does_not_matter() -> None:
    """pygls waits for ever after ``content-length``."""
    assert list(FrameReader().feed(b"content-length: 2\r\nX: y\r\n\r\n{}")) == [b"{}"]


@pytest.mark.parametrize("header", [b"X: y", b"Content-Length: -2", b"Content-Length: %d" % 2**60])
def test_nothing_is_read_after_a_header_without_a_length(header: bytes) -> None:
    frames = FrameReader()
    assert not list(frames.feed(header + b"\r\n\r\nContent-Length: 2\r\n\r\n{}"))
    assert frames.problem


@pytest.mark.parametrize(
    "data",
    [
        b"garbage\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"x" * 99_999,
        b'{"jsonrpc": "2.0"}',  # a line, and no end of it
    ],
)
def test_what_is_no_message_is_named_once(data: bytes) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "synapse_ls", "serve"], input=data, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.count(b"is no message of the Language Server Protocol") == 1
    assert repr(data[:4].decode())[1:-1].encode() in done.stderr


def test_frames_may_arrive_in_any_pieces() -> None:
    data = b"Content-Length: 2\r\n\r\n{}" * 3
    frames = FrameReader()
    found = [body for n in range(len(data)) for body in frames.feed(data[n : n + 1])]
    assert found == [b"{}"] * 3


@pytest.mark.skipif(sys.platform == "win32", reason="the child is ended with a POSIX signal")
async def test_the_end_of_the_clients_process_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """pygls keeps the number of the process and does nothing with it."""
    monkeypatch.setattr(stdio_transport, "_POLL_SECONDS", 0.01)
    client = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=-1)
    gone = asyncio.Event()
    stdio_transport.watch_process(client.pid, asyncio.get_running_loop(), gone.set)
    await asyncio.sleep(0)
    assert not gone.is_set()
    client.kill()
    client.wait()
    assert client.stdin is not None
    client.stdin.close()
    await asyncio.wait_for(gone.wait(), PATIENCE)


async def test_a_client_that_is_gone_already_is_noticed() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    gone = asyncio.Event()
    stdio_transport.watch_process(child.pid, asyncio.get_running_loop(), gone.set)
    await asyncio.wait_for(gone.wait(), PATIENCE)


@pytest.mark.parametrize("shut_down", [True, False])
async def test_the_end_of_input_ends_the_server_though_its_worker_is_busy(shut_down: bool) -> None:
    """pygls joins its pool first, so a long job delays the exit; its exit code is 0 either way."""
    server = Server()
    never = Event()
    server.worker.run(never.wait, 60.0)
    reading, writing = os.pipe()
    out, sink = os.pipe()
    running = asyncio.create_task(stdio_server.run_server(server, reading, os.fdopen(sink, "wb")))
    bodies = [b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}']
    if shut_down:
        bodies.append(b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}')
    for body in bodies:
        os.write(writing, b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    os.close(writing)
    assert await asyncio.wait_for(running, PATIENCE) == (0 if shut_down else 1)
    never.set()
    os.close(reading)
    os.close(out)


async def test_what_is_answered_is_forgotten(tree: Path) -> None:
    """pygls keeps the future of every notification for ever."""
    async with connected(tree) as wire:
        uri, text = manifest_of(tree)
        wire.open(uri, text)
        for version in range(2, 200):
            wire.change(uri, version, edit((0, 0), (0, 0), "#"))
        await wire.settled()
        await wire.until(lambda: not wire.server.protocol._request_futures)


def test_no_code_of_ours_blocks_the_loop_for_a_reply() -> None:
    """A synchronous handler that calls ``.result()`` on a request to the client waits for itself."""
    folder = Path(stdio_server.__file__).parent
    modules = set(folder.rglob("*.py")) - {folder / "json_rpc.py"}  # asks futures that are done
    for path in sorted(modules):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        names = [node.func.attr for node in calls if isinstance(node.func, ast.Attribute)]
        assert "result" not in names, path.name
        assert "thread" not in names, path.name


async def test_a_job_that_was_cancelled_before_its_turn_is_not_done() -> None:
    worker = Worker("test")
    done = Event()
    ran: list[int] = []
    first = worker.run(done.wait, PATIENCE)
    second = worker.run(ran.append, 1)
    second.cancel()
    await asyncio.sleep(0)
    done.set()
    await first
    await worker.run(int)
    assert not ran


async def test_a_client_that_never_answers_cannot_keep_the_server_from_starting(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from synapse_ls.lsp import language_server

    monkeypatch.setattr(language_server, "_SETTINGS_TIMEOUT", 0.01)
    wire = Wire()
    wire.answers = {}
    await wire.initialize(tree, capabilities={"workspace": {"configuration": True, **WATCHES}})
    uri, _ = manifest_of(tree)
    assert await wire.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
