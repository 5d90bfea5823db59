"""This module builds the command lines that call the hook and the servers, and recognises them.

Where settings are a user's own, the line names the interpreter itself: what a version manager
puts in its place costs more than the hook. Where settings are shared, it has to work on every
machine and to be read at a glance: it calls ``synapse-ls`` of the search path, since other programs
are called ``synapse``, and nothing of the repository; where there is none, ``{}`` is what every
client takes as "nothing to say". POSIX shells, fish, ``cmd.exe`` and PowerShell 7 read that line;
older releases of PowerShell know no ``||``.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path, PureWindowsPath
from typing import Any

from synapse_ls.integrations.client_definition import PROJECT
from synapse_ls.integrations.event_reader import KINDS_BY_NAME
from synapse_ls.integrations.hook_event import TOOL_BEFORE
from synapse_ls.integrations.payload_values import fold_name

BASH_SHELL, POWERSHELL_SHELL, CMD_SHELL = "bash", "powershell", "cmd"

SHARED_PROGRAM = "synapse-ls"
"""The program that shared settings call; other people's programs are called ``synapse``."""


_SCRIPT = Path(__file__).parent.parent / "hook.py"
_ESCAPED_CHARACTERS = '\\"$`'  # what a POSIX shell reads inside double quotes
_HOOK = re.compile(
    r"""synapse_ls/hook\.py
      | (?:^|[\s"'/;&|(=]) synapse (?:-ls)? (?:\.exe)? ["']? \s+ hook (?:\s|$)
      | -m \s+ synapse_ls \s+ hook (?:\s|$)""",
    re.VERBOSE,
)
_STATUS_LINE = re.compile(
    r"(?:synapse(?:-ls)?(?:\.exe)?[\"']?|-m\s+synapse_ls)\s+statusline(?:\s|$)"
)
_OPTION = re.compile(r"--(event|client|scope)[ =](\S+)")


def hook_command(
    client: str,
    event: str,
    scope: str,
    *,
    windows: str = BASH_SHELL,
    python: str = "",
    script: str = "",
    prints_nothing: bool = False,
) -> str:
    """Returns the command line that calls the hook for one event.

    prints_nothing: whether the client takes an empty object for something that was said.
    windows: the shell of the client on Windows. python, script: the interpreter and ``hook.py``, those of this
    process unless given.
    """
    words = f"--event {event} --client {client}"
    if scope == PROJECT and prints_nothing:
        return f"{SHARED_PROGRAM} hook {words} || true"
    if scope == PROJECT:
        nothing = "'{}'" if windows == POWERSHELL_SHELL else "{}"  # cmd.exe would print the quotes
        return f"{SHARED_PROGRAM} hook {words} || echo {nothing}"
    in_powershell = os.name == "nt" and windows == POWERSHELL_SHELL
    interpreter, file = quote_path(python or sys.executable), quote_path(script or str(_SCRIPT))
    line = f"{interpreter} -I -S {file} {words} --scope {scope}"
    if in_powershell:
        line = f"& {line}"
    if KINDS_BY_NAME.get(fold_name(event)) != TOOL_BEFORE:
        return line
    # An interpreter that is gone must not keep the agent from its tools: some clients take any
    # failure of this hook for a refusal.
    return f"{line}; if (-not $?) {{ '{{}}'; exit 0 }}" if in_powershell else f"{line} || echo {{}}"


def plain_command(client: str, event: str) -> str:
    """Returns the command line of the hook that POSIX shells and every PowerShell read alike, for a
    client that goes on where its hook fails.
    """
    return f"{SHARED_PROGRAM} hook --event {event} --client {client}"


def hook_arguments(client: str, event: str, scope: str) -> list[str]:
    """Returns the program and the arguments that call the hook of this process without a shell."""
    own = () if scope == PROJECT else ("--scope", scope)
    words = ("--event", event, "--client", client)
    return [sys.executable, "-I", "-S", str(_SCRIPT), *words, *own]


def powershell_command(client: str, event: str) -> str:
    """Returns the command line of the hook for PowerShell, whose older releases know no ``||``."""
    words = f"--event {event} --client {client}"
    return f"try {{ {SHARED_PROGRAM} hook {words} }} catch {{ '{{}}' }}"


def status_line_command(scope: str) -> str:
    """Returns the command line of the status line."""
    if scope == PROJECT:
        return f"{SHARED_PROGRAM} statusline || true"
    return f"{quote_path(sys.executable)} -I -m synapse_ls statusline"


def server_command(scope: str, *arguments: str) -> dict[str, Any]:
    """Returns the command line of the MCP server, as clients want it: the program and its
    arguments.
    """
    if scope == PROJECT:
        return {"command": SHARED_PROGRAM, "args": ["mcp", *arguments]}
    python = Path(sys.executable).as_posix() if os.name == "nt" else sys.executable
    return {"command": python, "args": ["-I", "-m", "synapse_ls", "mcp", *arguments]}


def hook_server_command(client: str, scope: str) -> dict[str, Any]:
    """Returns the command line of the hook server, as `server_command` does."""
    found = server_command(scope)
    *first, _ = found["args"]
    own = () if scope == PROJECT else ("--scope", scope)
    return {**found, "args": [*first, "hook-server", "--client", client, *own]}


def language_server_command(scope: str) -> dict[str, Any]:
    """Returns the command line of the language server, as `server_command` does."""
    found = server_command(scope)
    *first, _ = found["args"]
    return {**found, "args": [*first, "serve", "--stdio"]}


def is_status_line_command(command: str) -> bool:
    """Tells whether a command line shows our status line."""
    return _STATUS_LINE.search(command) is not None


def quote_path(path: str) -> str:
    """Returns a path as one word of the hook's command line, for a POSIX shell, ``cmd.exe`` or
    PowerShell.
    """
    if os.name == "nt":
        return f'"{PureWindowsPath(path).as_posix()}"'  # Git Bash would read backslashes
    # Settings with comments are stripped by patterns that would take // for one.
    plain = re.sub("/{2,}", "/", path)
    return '"' + "".join(f"\\{c}" if c in _ESCAPED_CHARACTERS else c for c in plain) + '"'


def is_hook_command(command: str) -> bool:
    """Tells whether a command line of a client's settings calls the hook, in any of its forms."""
    return _HOOK.search(command.replace("\\", "/")) is not None


def option_value(command: str, name: str) -> str:
    """Returns what a command line of the hook says for ``--name``, "" for nothing."""
    return next((m[2] for m in _OPTION.finditer(command) if m[1] == name), "")
