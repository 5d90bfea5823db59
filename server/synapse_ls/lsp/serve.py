"""Running the server on standard input and output, until it is told to leave."""

from __future__ import annotations

import gc

# The imports below make a thousand classes, of which one half is thrown away at once and the other
# stays: looking at young objects alone finds the former and never goes through the latter again.
gc.set_threshold(5_000, 1_000)

import asyncio  # noqa: E402
import linecache  # noqa: E402
import logging  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402
from typing import BinaryIO  # noqa: E402

from synapse_ls.lsp.app import Server  # noqa: E402
from synapse_ls.lsp.errors import configure_logging  # noqa: E402
from synapse_ls.lsp.transport import Output, own_standard_output, read_all  # noqa: E402

linecache.clearcache()  # the source of each method that attrs has generated
gc.freeze()

# While the worker computes, a message waits for its turn several times on its way. Of the usual 5 ms
# each time a person would feel the sum.
sys.setswitchinterval(0.0005)


def serve() -> int:
    """Serve one client; 0 when it said ``shutdown`` before it went, else 1 (LSP 3.18, "Exit")."""
    configure_logging(logging.DEBUG if os.environ.get("SYNAPSE_DEBUG") else logging.INFO)
    return asyncio.run(run(Server(), 0, own_standard_output()))


async def run(server: Server, handle: int, output: BinaryIO) -> int:
    """Serve until the client says ``exit``, closes its end, or dies."""
    loop = asyncio.get_running_loop()
    left: asyncio.Future[int] = loop.create_future()

    def leave(code: int) -> None:
        if not left.done():
            left.set_result(code)

    server.leave = leave
    server.protocol.set_writer(Output(output, lambda: leave(1)))
    read_all(handle, loop, server.protocol.arrived)
    return await left
