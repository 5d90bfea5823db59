"""Run the language server on standard input and output, until it is told to exit."""

import gc

# The imports below make a thousand classes, of which one half is thrown away at once and the other
# stays: looking at young objects alone finds the former and never goes through the latter again.
gc.set_threshold(5_000, 1_000)

import sys  # noqa: E402
from typing import Any, BinaryIO  # noqa: E402

from synapse_ls.lsp.protocol_classes import import_protocol_types  # noqa: E402

# Import asyncio as on a Python without OpenSSL, of which a server on a pipe uses nothing: that is 8
# MB. Whoever imports ``ssl`` itself later has it.
_modules: dict[str, Any] = sys.modules
_has_ssl = "asyncio" in _modules or "ssl" in _modules
if not _has_ssl:
    _modules["ssl"] = None  # so that importing it fails
try:
    import asyncio
finally:
    if not _has_ssl:
        del _modules["ssl"]
import_protocol_types()

import linecache  # noqa: E402

from synapse_ls.lsp import stdio_transport  # noqa: E402
from synapse_ls.lsp.background_work import configure_logging, usual_level  # noqa: E402
from synapse_ls.lsp.language_server import Server  # noqa: E402

linecache.clearcache()  # the source of each method that attrs has generated
gc.freeze()

# While the worker computes, a message waits for its turn several times on its way. Of the usual 5
# ms each time a person would feel the sum.
sys.setswitchinterval(0.0005)


def serve_stdio() -> int:
    """Serve one client on standard input and output; return 0 when it said ``shutdown`` before it
    went, else 1 (LSP 3.18, "Exit").
    """
    configure_logging(usual_level())
    return asyncio.run(run_server(Server(), 0, stdio_transport.claim_standard_output()))


async def run_server(server: Server, handle: int, output: BinaryIO) -> int:
    """Run the language server on standard input and output until the client says ``exit``, closes
    its end, or dies; return the exit code.
    """
    loop = asyncio.get_running_loop()
    exit_code: asyncio.Future[int] = loop.create_future()

    def leave(code: int) -> None:
        if not exit_code.done():
            exit_code.set_result(code)

    server.stop = leave
    server.protocol.set_writer(stdio_transport.MessageOutput(output, lambda: leave(1)))
    stdio_transport.read_messages(handle, loop, server.protocol.enqueue_messages)
    return await exit_code
