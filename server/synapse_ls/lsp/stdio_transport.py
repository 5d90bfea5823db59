"""LSP messages on standard input and output, and a watch on the client's process.

pygls keeps ``InitializeParams.processId`` and does nothing with it, but a server must not outlive
its client. All arrived messages are passed on at once, so that a cancellation precedes its request.
"""

import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread
from typing import Any, BinaryIO

_CHUNK = 1 << 16
_LONGEST_HEADER = 1 << 16  # bytes; what is longer without an end is none
_LONGEST_BODY = 1 << 30  # bytes that a message may announce
_FOREIGN = (
    "What came is no message of the Language Server Protocol: it begins with %r, where a "
    "message begins with `Content-Length: `. An editor starts `synapse serve`; `synapse --help` "
    "lists what people run."
)
_NO_LENGTH = (
    "The header %r does not say how long its message is, so nothing after it can be read. The "
    "server ends; an editor starts it again."
)
_HEADER_NAME = b"content-length:"
_log = logging.getLogger(__name__)
# What is handed over for a body that is no JSON, and when nothing more will come.
BROKEN_MESSAGE, END_OF_INPUT = object(), object()


class FrameReader:
    """A FrameReader splits the bytes of the base protocol (LSP 3.18, "Base Protocol") into message
    bodies.

    Names of header fields may be written in any case. Nothing can be read after a header without a
    length, since nobody knows where the next one begins: ``problem`` is then the sentence that says
    so, with ``foreign``, the beginning of what came in its place.
    """

    def __init__(self) -> None:
        self._data = bytearray()
        self._length: int | None = None
        self.foreign = b""
        self.problem = ""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the bodies that ``data`` completes."""
        self._data += data
        while not self.problem:
            if self._length is None:
                if (end := self._data.find(b"\r\n\r\n")) < 0:
                    first, line_break, _ = bytes(self._data[:200]).partition(b"\n")
                    if len(self._data) > _LONGEST_HEADER or (line_break and b":" not in first):
                        self._note_foreign(first)
                    return
                header = bytes(self._data[:end])
                # Of several fields with a length the first counts.
                fields = (line.partition(b":")[::2] for line in header.split(b"\r\n"))
                lengths = (
                    int(value) if value.strip().isdigit() and len(value) < 20 else -1
                    for name, value in fields
                    if name.strip().lower() == b"content-length"
                )
                length = next(lengths, -1)
                if not 0 <= length <= _LONGEST_BODY:
                    self._note_foreign(header)
                    return
                self._length = length
                del self._data[: end + 4]
            elif len(self._data) >= self._length:
                body = bytes(self._data[: self._length])
                del self._data[: self._length]
                self._length = None
                yield body
            else:
                return

    def finish(self) -> None:
        """Note what is left of the input where nothing more comes and no message had begun."""
        first = bytes(self._data[:200]).partition(b"\n")[0]
        if self._length is None and first and not _HEADER_NAME.startswith(first.lower()[:15]):
            self._note_foreign(first)

    def _note_foreign(self, data: bytes) -> None:
        if not self.problem:
            self.foreign = data[:40].strip() or b" "
            self.problem = _NO_LENGTH if data.lower().startswith(_HEADER_NAME) else _FOREIGN


def decode_body(body: bytes) -> Any:
    """Return the JSON value of the body of an LSP message; `BROKEN_MESSAGE` where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return BROKEN_MESSAGE


class MessageOutput:
    """What LSP messages are written to; ``on_lost`` is called when nobody reads them any more."""

    def __init__(self, stream: BinaryIO, on_lost: Callable[[], None]) -> None:
        self._stream = stream
        self._on_lost = on_lost

    def write(self, data: bytes) -> None:
        """Write a whole frame."""
        try:
            self._stream.write(data)
            self._stream.flush()
        except (OSError, ValueError):
            self._on_lost()

    def close(self) -> None:
        """Do nothing: pygls calls it when nothing more is written."""


def read_messages(
    handle: int, loop: asyncio.AbstractEventLoop, receive: Callable[[list[Any]], None]
) -> None:
    """Read LSP messages from standard input, ``handle``, in a thread of its own; the loop gets each
    batch, and at last `END_OF_INPUT`.
    """

    def read() -> None:
        frames = FrameReader()
        data = b"."
        try:
            while data:
                data = b""
                with suppress(OSError):
                    data = os.read(handle, _CHUNK)
                if data:
                    batch = [decode_body(body) for body in frames.feed(data)]
                else:
                    frames.finish()
                    batch = []
                if frames.problem:
                    _log.error(frames.problem, frames.foreign.decode(errors="replace"))
                    data = b""
                if not data:
                    batch.append(END_OF_INPUT)
                if batch:
                    loop.call_soon_threadsafe(receive, batch)
        except RuntimeError:
            return  # the loop is closed: the server has left

    Thread(target=read, name="synapse-input", daemon=True).start()


def claim_standard_output() -> BinaryIO:
    """Return standard output for messages alone; what anything else prints goes to standard
    error.
    """
    stream = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return stream


_POLL_SECONDS = 2.0


def watch_process(
    process: int, loop: asyncio.AbstractEventLoop, on_exit: Callable[[], object]
) -> None:
    """Watch the parent process: calls ``on_exit`` in the loop when it has ended, or now if there is
    none.
    """

    def wait() -> None:
        if sys.platform == "win32":
            import ctypes

            kernel = ctypes.windll.kernel32  # type: ignore[attr-defined]
            synchronize, forever = 0x00100000, 0xFFFFFFFF
            if handle := kernel.OpenProcess(synchronize, False, process):
                kernel.WaitForSingleObject(handle, forever)
                kernel.CloseHandle(handle)
        else:
            with suppress(ProcessLookupError):
                while True:
                    with suppress(PermissionError):  # it is somebody else's, and alive
                        os.kill(process, 0)
                    time.sleep(_POLL_SECONDS)
        with suppress(RuntimeError):  # the server has left already
            loop.call_soon_threadsafe(on_exit)

    Thread(target=wait, name="synapse-parent", daemon=True).start()
