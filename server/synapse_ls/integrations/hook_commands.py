"""Build the commands and settings entries that call our programs, and recognise them and rivals'.

Settings of a user name the interpreter: the wrapper of a version manager is slower than the hook.
Shared settings must work on every machine, so they call ``synapse-ls`` from the search path and
print ``{}`` if there is none, which every client accepts. POSIX shells, fish, ``cmd.exe`` and
PowerShell 7 read that line; older PowerShell has no ``||``.

In a hook that calls a tool, the client fills placeholders with fields of the event. Claude Code
converts values to text, "" for a missing field; Codex keeps types, and skips the call if one is
missing (measured with Claude Code 2.1.330 and Codex CLI 0.169.0).
"""

import os
import re
import sys
from pathlib import Path, PureWindowsPath
from typing import Any

from synapse_ls.integrations.client_registry import load_client
from synapse_ls.integrations.client_settings import HOOK_SERVER_NAME, PROJECT
from synapse_ls.integrations.hook_event import KINDS_BY_NAME, TOOL_BEFORE, Payload, fold_name
from synapse_ls.text.fast_json import dumps, loads

TOOL_NAME = "synapse_hook"
EVENT_FIELD = "hook_event_name"
# What may be an object, or a list.
_OBJECT_FIELDS = ("tool_input", "tool_response")
_SWITCH_FIELDS = ("is_interrupt", "stop_hook_active")
_SWITCHES = {"true": True, "false": False}


def tool_input(event: str, fields: tuple[str, ...]) -> dict[str, str]:
    """Return what the settings of a client have it hand to the tool for an event."""
    return {EVENT_FIELD: event, **{name: f"${{{name}}}" for name in fields}}


def fill_input(template: dict[str, str], payload: Payload) -> Payload:
    """Return what a client hands to the tool for an event with this payload, in texts alone."""
    filled: Payload = {}
    for name, written in template.items():
        value = payload.get(name) if written == f"${{{name}}}" else written
        filled[name] = (
            "" if value is None else value if isinstance(value, str) else dumps(value, None)
        )
    return filled


def read_payload(arguments: Payload) -> Payload:
    """Read the payload of the event that the ``arguments`` of a hook's tool are about: without what
    was not there, and with the types that clients make texts of.
    """
    return {name: _read_value(name, value) for name, value in arguments.items() if value != ""}


def _read_value(name: str, value: object) -> object:
    """Return the value that a text stands for in a field whose values are none; else ``value``
    itself.
    """
    if not isinstance(value, str):
        return value
    if name in _SWITCH_FIELDS:
        return _SWITCHES.get(value, value)
    if name in _OBJECT_FIELDS and value[0] in "{[":
        try:
            return loads(value)
        except ValueError:
            pass
    return value


BASH_SHELL, POWERSHELL_SHELL, CMD_SHELL = "bash", "powershell", "cmd"

# The program that shared settings call; other people's programs are called ``synapse``.
SHARED_PROGRAM = "synapse-ls"


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


def hook_words(client: str, event: str) -> str:
    """Return the options of the hook's command line for one event."""
    hook_client = load_client(client)
    limit = hook_client.written_limit if hook_client else 0
    return f"--event {event} --client {client}" + (f" --limit {limit}" if limit else "")


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
    """Return the command line that calls the hook for one event.

    prints_nothing: whether the client takes an empty object for something that was said.
    windows: the shell of the client on Windows. python, script: the interpreter and ``hook.py``,
    those of this process unless given.
    """
    words = hook_words(client, event)
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


# What a line before a tool ends with, and what it ends with where the tool is not to be used then.
_CLOSED_ENDINGS = {
    " || echo {}": " || exit 2",
    " || echo '{}'": " || exit 2",
    " catch { '{}' }": " catch { exit 2 }",
    "; if (-not $?) { '{}'; exit 0 }": "; if (-not $?) { exit 2 }",
}


def close_line(line: str) -> str:
    """Return a line of the hook that refuses the tool where the program is missing or fails: exit
    code 2, which clients take for that.
    """
    for opened, closed in _CLOSED_ENDINGS.items():
        if line.endswith(opened):
            return line.removesuffix(opened) + closed
    return line


def close_entry(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the settings entry of a hook; its lines refuse the tool where the program fails."""
    return {
        key: [close_entry(inner) for inner in value]
        if key == "hooks"
        else close_line(value)
        if key in ("command", "bash", "powershell")
        else value
        for key, value in entry.items()
    }


def plain_command(client: str, event: str) -> str:
    """Return the command line of the hook that POSIX shells and every PowerShell read alike, for a
    client that goes on where its hook fails.
    """
    return f"{SHARED_PROGRAM} hook {hook_words(client, event)}"


def hook_arguments(client: str, event: str, scope: str) -> list[str]:
    """Return the program and the arguments that call the hook of this process without a shell."""
    scope_words = () if scope == PROJECT else ("--scope", scope)
    words = hook_words(client, event).split()
    return [sys.executable, "-I", "-S", str(_SCRIPT), *words, *scope_words]


def powershell_command(client: str, event: str) -> str:
    """Return the command line of the hook for PowerShell, whose older releases know no ``||``."""
    return f"try {{ {plain_command(client, event)} }} catch {{ '{{}}' }}"


def status_line_command(scope: str) -> str:
    """Return the command line of the status line."""
    if scope == PROJECT:
        return f"{SHARED_PROGRAM} statusline || true"
    return f"{quote_path(sys.executable)} -I -m synapse_ls statusline"


def server_command(scope: str, *arguments: str) -> dict[str, Any]:
    """Return the command line of the MCP server, or of that which ``arguments`` begin with, as
    clients want it: the program and its arguments.
    """
    words = arguments or ("mcp",)
    if scope == PROJECT:
        return {"command": SHARED_PROGRAM, "args": [*words]}
    python = Path(sys.executable).as_posix() if os.name == "nt" else sys.executable
    return {"command": python, "args": ["-I", "-m", "synapse_ls", *words]}


def hook_server_command(client: str, scope: str) -> dict[str, Any]:
    """Return the command line of the hook server, as `server_command` does."""
    scope_words = () if scope == PROJECT else ("--scope", scope)
    return server_command(scope, "hook-server", "--client", client, *scope_words)


def is_status_line_command(command: str) -> bool:
    """Return whether a command line shows our status line."""
    return _STATUS_LINE.search(command) is not None


def quote_path(path: str) -> str:
    """Return a path as one word of the hook's command line, for a POSIX shell, ``cmd.exe`` or
    PowerShell.
    """
    if os.name == "nt":
        return f'"{PureWindowsPath(path).as_posix()}"'  # Git Bash would read backslashes
    # Settings with comments are stripped by patterns that would take // for one.
    plain = re.sub("/{2,}", "/", path)
    return '"' + "".join(f"\\{c}" if c in _ESCAPED_CHARACTERS else c for c in plain) + '"'


def is_hook_command(command: str) -> bool:
    """Return whether a command line of a client's settings calls the hook, in any of its forms."""
    return _HOOK.search(command.replace("\\", "/")) is not None


TOOL_HOOK_TYPE = "mcp_tool"

TOOL_HOOK_TIMEOUT = 5  # seconds; the server answers in less

_SERVER = re.compile(
    r"(?:(?:^|/)synapse(?:-ls)?(?:\.exe)?|-m\s+synapse_ls)\s+(?:mcp|serve|hook-server)(?:\s|$)"
)


def command_hook(command: str, timeout: int, **more: Any) -> dict[str, Any]:
    """Return the entry of a command hook; the unit of ``timeout`` is the client's."""
    return {"type": "command", **more, "command": command, "timeout": timeout}


def hook_group(command: str, timeout: int, **more: Any) -> dict[str, Any]:
    """Return the settings entry of a group of one hook, as Claude Code introduced it; without a
    matcher it is for all.
    """
    return {"hooks": [command_hook(command, timeout, **more)]}


def tool_hook(event: str, fields: tuple[str, ...], **more: Any) -> dict[str, Any]:
    """Return the entry of a hook for which a client calls the tool of our hook server."""
    return {
        "type": TOOL_HOOK_TYPE,
        "server": HOOK_SERVER_NAME,
        "tool": TOOL_NAME,
        "input": tool_input(event, fields),
        "timeout": TOOL_HOOK_TIMEOUT,
        **more,
    }


def is_tool_hook(entry: Any) -> bool:
    """Return whether an entry of a client's settings calls the tool of our hook server."""
    return isinstance(entry, dict) and (entry.get("server"), entry.get("tool")) == (
        HOOK_SERVER_NAME,
        TOOL_NAME,
    )


def server_entry(scope: str) -> dict[str, Any]:
    """Return the entry of an MCP server as Claude Code introduced it; it works where the client
    does.
    """
    return {"type": "stdio", **server_command(scope)}


def folder_server_entry(scope: str) -> dict[str, Any]:
    """Return the entry of an MCP server for an editor, which fills in the folder that it has
    open.
    """
    return {"type": "stdio", **server_command(scope, "mcp", "--root", "${workspaceFolder}")}


def is_server_entry(entry: Any) -> bool:
    """Return whether an entry of a client's settings starts our MCP server, or our language
    server.
    """
    return _SERVER.search(" ".join(server_words(entry)).replace("\\", "/")) is not None


def server_words(entry: Any) -> list[str]:
    """Return the program and the arguments in the settings entry of a server, which has them in one
    list or apart; none where it has none.
    """
    if not isinstance(entry, dict):
        return []
    command, arguments = entry.get("command"), entry.get("args")
    words = [*(command if isinstance(command, list) else [command])]
    words += arguments if isinstance(arguments, list) else []
    return [word for word in words if isinstance(word, str)]


# The engines that tell rules of the same trees, as sentences name them.
ORIGINAL_ENGINE, CARL_HOOK = "the original engine", "CARL's hook"

_ENGINE = re.compile(
    r"""(?:^|[\s"'/])
        (?: synapse-(?:engine|wrapper) | precompact-(?:wrapper|session-digest|runner) )
        \.[cm]?js (?:[\s"']|$)""",
    re.VERBOSE,
)

_CARL = re.compile(r"(?:^|[\s\"'/])carl-hook\.py(?:[\s\"']|$)")


def engine_title(command: str) -> str:
    """Return which other engine a hook belongs to, "" for none: one that tells the rules of the
    same tree, or keeps notes about the same sessions.
    """
    if _ENGINE.search(command.replace("\\", "/")):
        return ORIGINAL_ENGINE
    return CARL_HOOK if is_carl_command(command) else ""


def script_of(command: str) -> str:
    """Return the script that a hook of another engine runs, relative to the project where it says
    so by a variable; "" where that cannot be known.
    """
    match = _ENGINE_SCRIPT.search(command.replace("\\", "/"))
    path = _PROJECT_VARIABLE.sub("", match[0]) if match else ""
    return "" if "$" in path or "%" in path else path


_ENGINE_SCRIPT = re.compile(r"""(?<![^\s"'=;&|])[^\s"'=;&|]+\.(?:[cm]?js|py)(?=[\s"']|$)""")
_PROJECT_VARIABLE = re.compile(r"^(?:\$\{?\w+(?::-[^}]*)?\}?|%\w+%)/")


def is_carl_command(command: str) -> bool:
    """Return whether a command line runs the hook of CARL, one of the other engines."""
    return _CARL.search(command.replace("\\", "/")) is not None
