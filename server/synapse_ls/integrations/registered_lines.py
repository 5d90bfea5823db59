"""This module compares what stands in a client's settings with what `install` writes, now and in
earlier versions.

Settings of a repository may hold anything that looks like a line of ours. What is neither of these
is unknown, and nobody but its client runs it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from synapse_ls.integrations.client_definition import PROJECT, SCOPES, Client, Servers
from synapse_ls.integrations.hook_commands import (
    SHARED_PROGRAM,
    hook_arguments,
    hook_command,
    option_value,
    plain_command,
    powershell_command,
    server_words,
)

CURRENT, OUTDATED, UNKNOWN = "current", "outdated", "unknown"
COMMAND_KEYS = ("command", "bash", "powershell", "windows", "linux", "osx", "commandWindows")
"""The keys that hold a command line: one for all, or one for each shell or system."""

EARLIER_PROGRAM = "synapse"
_EARLIER_FOLDERS = (
    "$(git rev-parse --show-toplevel 2>/dev/null || echo .)",
    "${CLAUDE_PROJECT_DIR:-.}",
    "${COPILOT_PROJECT_DIR:-.}",
    "$CURSOR_PROJECT_DIR",
    "$GEMINI_PROJECT_DIR",
)
_PATH = r'"(?:[^"\\$`\n]|\\["\\$`])+"'
_ENDINGS = ("", " || echo {}", "; if (-not $?) { '{}'; exit 0 }")
_INTERPRETER_ARGUMENTS = ["-I", "-m", "synapse_ls"]


def hook_state(client: Client, event: str, scope: str, commands: Mapping[str, str]) -> str:
    """Returns whether the command lines of a hook, by their keys, are those that would be written
    now, those of an earlier version or another installation, or unknown.
    """
    written = _written_commands(client, event, scope)
    if commands == written:
        return CURRENT
    spoken = _client_word(client, event)
    known = all(_is_known_line(line, spoken, event) for line in commands.values())
    return OUTDATED if commands and known else UNKNOWN


def tool_hook_state(client: Client, event: str, entry: Any) -> str:
    """Returns whether an element of an event's list that calls the tool of our hook server is one that
    would be written now. Nothing of it is run.
    """
    written = [
        one
        for enforces in (False, True)
        for one in client.through_tool(enforces).hook_entries(event, PROJECT)
    ]
    return CURRENT if entry in written else OUTDATED


def server_state(servers: Servers, scope: str, entry: Any) -> str:
    """Returns the same of the entry of a server; what it has beside its program and arguments
    counts as well.
    """
    if entry == servers.entry(scope):
        return CURRENT
    words = server_words(entry)
    if not isinstance(entry, dict) or not words:
        return UNKNOWN
    by_name = words[0] in (SHARED_PROGRAM, EARLIER_PROGRAM)
    if not by_name and not _is_absolute(words[0]):
        return UNKNOWN
    for other in SCOPES:
        wanted = servers.entry(other)
        extra = entry.keys() - {"command", "args"}
        if any(entry[key] != wanted.get(key) for key in extra):
            continue
        own = server_words(wanted)[1:]
        if own[: len(_INTERPRETER_ARGUMENTS)] == _INTERPRETER_ARGUMENTS:
            own = own[len(_INTERPRETER_ARGUMENTS) :]
        if words[1:] == (own if by_name else [*_INTERPRETER_ARGUMENTS, *own]):
            return OUTDATED
    return UNKNOWN


def probe_arguments(client: Client, event: str, scope: str) -> list[str]:
    """Returns the program and the arguments that do what the line of an event does; nothing of
    them comes from settings.
    """
    return hook_arguments(_client_word(client, event), event, scope)


def server_arguments(servers: Servers, scope: str) -> list[str]:
    """Returns the program and the arguments that start the server which a line of ours starts."""
    args = server_words(servers.entry(scope))[1:]
    return [sys.executable, *(_INTERPRETER_ARGUMENTS if scope == PROJECT else ()), *args]


def _written_commands(client: Client, event: str, scope: str) -> dict[str, str]:
    entry = client.hook_entry(event, scope)
    hook = entry.get("hooks", [entry])[0]
    return {key: hook[key] for key in COMMAND_KEYS if key in hook}


def _client_word(client: Client, event: str) -> str:
    """Returns what the lines of a client say after ``--client``; two may share their settings."""
    (line, *_) = _written_commands(client, event, PROJECT).values()
    return option_value(line, "client")


def _is_known_line(line: str, client: str, event: str) -> bool:
    if line in _shared_lines(client, event):
        return True
    words = re.escape(f"--event {event} --client {client}")
    endings = "|".join(map(re.escape, _ENDINGS))
    pattern = rf"(?:& )?({_PATH}) -I -S ({_PATH}) {words}(?: --scope (?:local|user))?(?:{endings})"
    found = re.fullmatch(pattern, line)
    if found is None:
        return False
    python, script = (part[1:-1].replace("\\", "/") for part in found.groups())
    return _is_absolute(python) and _is_absolute(script) and script.endswith("synapse_ls/hook.py")


@cache
def _shared_lines(client: str, event: str) -> frozenset[str]:
    """Returns every shared line that `install` has ever written for an event."""
    words = f"--event {event} --client {client}"
    look = f"command -v {EARLIER_PROGRAM} >/dev/null"
    call = f"! {look} && echo {{}} || {EARLIER_PROGRAM} hook {words} || echo {{}}"
    lines = {hook_command(client, event, PROJECT, windows=s) for s in ("bash", "powershell", "cmd")}
    lines |= {powershell_command(client, event), plain_command(client, event)}
    for folder in _EARLIER_FOLDERS:
        extend = f'export PATH="$PATH:{folder}/.venv/bin"'
        lines |= {f"{extend}; {call}", f"{look} || {extend}; {call}"}
    lines.add(
        f"$env:PATH += ';.venv\\Scripts'; if (Get-Command {EARLIER_PROGRAM} -ErrorAction Ignore) "
        f"{{ {EARLIER_PROGRAM} hook {words} }} else {{ '{{}}' }}"
    )
    return frozenset(lines)


def _is_absolute(path: str) -> bool:
    """Tells whether a path is one on POSIX or on Windows; settings may come from either."""
    return path.startswith("/") or re.match(r"[A-Za-z]:[\\/]", path) is not None
