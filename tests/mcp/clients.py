"""Clients of the server: the official one, in process and over standard input and output."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters, types

from synapse_ls.mcp.server import create_server
from synapse_ls.storage.session_changes import record_prompt
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from tests.forked_programs import forked_line

HANDSHAKE, MODERN = "legacy", "auto"
MODES = (HANDSHAKE, MODERN)
"""How the protocol version is found: up to 2025-11-25, and from 2026-07-28 on."""


def here(root: Path, mode: str, **more: Any) -> Client:
    """A client of a server in this process."""
    return Client(create_server(str(root)), mode=mode, **more)


def beside(root: Path, mode: str, *arguments: str, **more: Any) -> Client:
    """A client of a server of its own, in ``root``: a fork, for to start one takes two seconds."""
    program, *words = forked_line([sys.executable, "-m", "synapse_ls", "mcp", *arguments])
    parameters = StdioServerParameters(
        command=program,
        args=words,
        cwd=root,
        env={**os.environ},
    )
    return Client(parameters, mode=mode, **more)


async def said(client: Client, tool: str, **arguments: Any) -> str:
    """The text that a tool answers with."""
    return text_in(await client.call_tool(tool, arguments))


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """The text with which a tool refuses."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def text_in(result: types.CallToolResult) -> str:
    """The text of a result that is no error."""
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    assert not result.is_error, content.text
    return content.text


async def read(client: Client, uri: str) -> str:
    """The text of a resource."""
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, types.TextResourceContents)
    return content.text


def begin_session(root: Path, name: str = "session-one") -> str:
    """A session that has just had a prompt."""
    now = time.time()
    SessionStore(sessions_folder(str(root))).update(
        name, lambda session: record_prompt(session, "Hello there", now), cwd=str(root), now=now
    )
    return name
