"""This module builds the entries of hooks and servers in the settings of agent clients, and
recognises ours.
"""

from __future__ import annotations

import re
from typing import Any

from synapse_ls.integrations.client_definition import HOOK_SERVER_NAME
from synapse_ls.integrations.hook_commands import server_command
from synapse_ls.integrations.tool_hooks import TOOL_NAME, tool_input

TOOL_HOOK_TYPE = "mcp_tool"

TOOL_HOOK_TIMEOUT = 5  # seconds; the server answers in less

_SERVER = re.compile(
    r"(?:(?:^|/)synapse(?:-ls)?(?:\.exe)?|-m\s+synapse_ls)\s+(?:mcp|serve|hook-server)(?:\s|$)"
)


def command_hook(command: str, timeout: int, **more: Any) -> dict[str, Any]:
    """Returns the entry of a command hook; the unit of ``timeout`` is the client's."""
    return {"type": "command", **more, "command": command, "timeout": timeout}


def hook_group(command: str, timeout: int, **more: Any) -> dict[str, Any]:
    """Returns the settings entry of a group of one hook, as Claude Code introduced it; without a
    matcher it is for all.
    """
    return {"hooks": [command_hook(command, timeout, **more)]}


def tool_hook(event: str, fields: tuple[str, ...], **more: Any) -> dict[str, Any]:
    """Returns the entry of a hook for which a client calls the tool of our hook server."""
    return {
        "type": TOOL_HOOK_TYPE,
        "server": HOOK_SERVER_NAME,
        "tool": TOOL_NAME,
        "input": tool_input(event, fields),
        "timeout": TOOL_HOOK_TIMEOUT,
        **more,
    }


def is_tool_hook(entry: Any) -> bool:
    """Tells whether an entry of a client's settings calls the tool of our hook server."""
    return isinstance(entry, dict) and (entry.get("server"), entry.get("tool")) == (
        HOOK_SERVER_NAME,
        TOOL_NAME,
    )


def server_entry(scope: str) -> dict[str, Any]:
    """Returns the entry of an MCP server as Claude Code introduced it; it works where the client
    does.
    """
    return {"type": "stdio", **server_command(scope)}


def folder_server_entry(scope: str) -> dict[str, Any]:
    """Returns the entry of an MCP server for an editor, which fills in the folder that it has
    open.
    """
    return {"type": "stdio", **server_command(scope, "--root", "${workspaceFolder}")}


def is_server_entry(entry: Any) -> bool:
    """Tells whether an entry of a client's settings starts our MCP server, or our language
    server.
    """
    return _SERVER.search(" ".join(server_words(entry)).replace("\\", "/")) is not None


def server_words(entry: Any) -> list[str]:
    """Returns the program and the arguments in the settings entry of a server, which has them in
    one list or apart; none where it has none.
    """
    command = entry.get("command") if isinstance(entry, dict) else None
    words = command if isinstance(command, list) else [command]
    given = _list_value(entry.get("args")) if isinstance(entry, dict) else []
    return [word for word in (*words, *given) if isinstance(word, str)]


def _list_value(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
