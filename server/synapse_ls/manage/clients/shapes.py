"""How an entry of a settings file is written: the shapes that clients share."""

from __future__ import annotations

from typing import Any

from synapse_ls.manage.clients.commands import server_command


def handler(command: str, timeout: int, **more: Any) -> dict[str, Any]:
    """A command hook; the unit of ``timeout`` is the client's."""
    return {"type": "command", **more, "command": command, "timeout": timeout}


def group(command: str, timeout: int, **more: Any) -> dict[str, Any]:
    """A group of one hook, as Claude Code introduced it; without a matcher it is for all."""
    return {"hooks": [handler(command, timeout, **more)]}


def server_entry(scope: str) -> dict[str, Any]:
    """An MCP server as Claude Code introduced it; it works where the client does."""
    return {"type": "stdio", **server_command(scope)}


def server_in_folder(scope: str) -> dict[str, Any]:
    """An MCP server of an editor, which fills in the folder that it has open."""
    return {"type": "stdio", **server_command(scope, "--root", "${workspaceFolder}")}
