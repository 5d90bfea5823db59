"""Serving one client on standard input and output, until it leaves."""

from __future__ import annotations

import logging
import os
import sys

import anyio
from mcp.server.stdio import stdio_server

from synapse_ls.mcp.server import server


def serve(start: str) -> int:
    """Serve the tree that is found from ``start`` upward ("": from the usual places); 0."""
    level = logging.DEBUG if os.environ.get("SYNAPSE_DEBUG") else logging.WARNING
    logging.basicConfig(stream=sys.stderr, level=level, format="synapse mcp: %(message)s")
    anyio.run(_serve, start)
    return 0


async def _serve(start: str) -> None:
    made = server(start)
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())
