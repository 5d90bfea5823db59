"""Detect the installed agent clients and their versions.

A client without support for hooks that call a tool may silently ignore the whole file with one. A
client's program is searched for, and run, outside of the project.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from synapse_ls.integrations.client_settings import (
    USER,
    Client,
    Surroundings,
    ToolHooks,
    Trouble,
    shown_path,
)
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.program_search import find_program, safe_environment


def detect_clients(around: Surroundings, *, for_user: bool = False) -> dict[str, str]:
    """Detect the clients that are in use -> what shows it; with ``for_user`` it looks beyond the
    project only.
    """
    signs = {c.name: next(_client_signs(c, around, for_user), "") for c in CLIENTS.values()}
    return {name: sign for name, sign in signs.items() if sign}


def _client_signs(client: Client, around: Surroundings, for_user: bool) -> Iterator[str]:
    if not for_user:
        for name in client.signs:
            if (around.root / name).exists():
                yield f"the project has {name}"
    for variable in client.variables:
        if os.environ.get(variable):
            yield f"this terminal is one of {client.title}'s"
    yield from (f"`{program}` is installed" for program in client.programs if shutil.which(program))
    if (file := client.file(USER, around)) is not None and file.exists():
        yield "it has settings of the user"


MAX_SECONDS = 30.0
_VERSION = re.compile(r"(?<![\d.])(\d{1,6})\.(\d{1,6})\.(\d{1,6})")


def client_version(client: Client, around: Surroundings) -> tuple[int, ...] | None:
    """Return the version of a client as its own program tells it; None where it cannot be told."""
    root = str(around.root)
    program = next(filter(None, (find_program(name, root) for name in client.programs)), "")
    if not program:
        return None
    try:
        done = subprocess.run(
            [program, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=Path(program).parent,
            env=safe_environment(root),
            timeout=MAX_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(done.stdout[:10_000].decode("utf-8", "replace"))
    return tuple(map(int, match.groups())) if match and done.returncode == 0 else None


def check_version(client: Client, around: Surroundings) -> None:
    """Raise UserError unless the version of a client is known to read hooks that call a tool."""
    if client.tool_hooks is None:
        able = " or ".join(c.name for c in CLIENTS.values() if c.tool_hooks is not None)
        raise UserError(
            f"{client.title} calls no server as its hook.", f"Use --via mcp with --client {able}."
        )
    version = client_version(client, around)
    what = _describe_need(client, client.tool_hooks)
    if version is None:
        name = client.programs[0]
        raise UserError(
            f"{what}, and which version is here `{name} --version` did not say: "
            f"{client.tool_hooks.older}. Nothing was written.",
            f"See that `{name}` is on the search path, outside of the project, or leave --via mcp "
            "out.",
        )
    if version < client.tool_hooks.since:
        raise UserError(
            f"{what}, and this is {_write_version(version)}: {client.tool_hooks.older}. "
            "Nothing was written.",
            f"Update {client.title}, or leave --via mcp out.",
        )


def version_troubles(client: Client, scope: str, around: Surroundings) -> Iterator[Trouble]:
    """Yield that the version of a client here is older than the hooks that its settings of a scope
    have, which call a tool. One that is not here, or does not tell its version, is not judged.
    """
    tool_hooks, place = client.tool_hooks, client.place(scope)
    version = client_version(client, around) if tool_hooks is not None else None
    if tool_hooks is None or place is None or version is None or version >= tool_hooks.since:
        return
    severity = "error" if tool_hooks.older_drops_settings else "warning"
    need = f"{_describe_need(client, tool_hooks)}, and this is {_write_version(version)}"
    command = f"synapse install --via command --client {client.name} --scope {scope}"
    remedy = f"Update {client.title}, or run `{command}`."
    path = shown_path(client.path_of(place, around), around)
    sentence = f"{need}: {tool_hooks.older}"
    yield Trouble("old-client", severity, client.name, sentence, remedy, path, scope=scope)


def tool_hook_version(client: Client, around: Surroundings) -> str:
    """Return the version of a client that can call our hook server; "" where it cannot, or does not
    tell its version.
    """
    version = client_version(client, around) if client.tool_hooks is not None else None
    if client.tool_hooks is None or version is None or version < client.tool_hooks.since:
        return ""
    return _write_version(version)


def _describe_need(client: Client, tool_hooks: ToolHooks) -> str:
    since = _write_version(tool_hooks.since)
    return f"{client.title} reads hooks that call a server from {since} on"


def _write_version(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
