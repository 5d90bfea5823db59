"""The settings with which an agent client calls the hook: what they say, and where they stand.

Source of the format: the Claude Code hooks reference ("Hook configuration").
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from synapse_ls.hosts import registry
from synapse_ls.text.json import JsonError, loads
from synapse_ls.text.lines import LineIndex

CLIENTS = tuple(registry.HOSTS)
TIMEOUT = 10  # seconds; the hook needs milliseconds, the first one after a change a little more

PROJECT_FILES = (".claude/settings.json", ".claude/settings.local.json")
USER_FILE = ".claude/settings.json"

_SCRIPT = Path(__file__).parent.parent / "hook.py"
_SPECIAL = '\\"$`'  # what a POSIX shell reads inside double quotes


def hook_settings(client: str, *, python: str = "", script: str = "") -> dict[str, Any]:
    """The settings that register the hook for every event that it answers.

    python, script: the interpreter and ``hook.py``, those of this process unless given.
    """
    host = registry.host(client)
    assert host is not None
    return {
        "hooks": {
            event: [
                {
                    "hooks": [
                        {
                            "type": "command",
                            "command": hook_command(client, event, python=python, script=script),
                            "timeout": TIMEOUT,
                        }
                    ]
                }
            ]
            for event in host.KINDS
        }
    }


def hook_command(client: str, event: str, *, python: str = "", script: str = "") -> str:
    """The command line of one event.

    It names the interpreter itself, since what a version manager puts in its place costs more than
    the hook, and leaves out everything that an interpreter looks for when it starts.
    """
    interpreter = quoted(python or sys.executable)
    return f"{interpreter} -I -S {quoted(script or str(_SCRIPT))} --event {event} --client {client}"


def quoted(path: str) -> str:
    """A path as one word of a POSIX shell or of ``cmd.exe``."""
    if os.name == "nt":
        return f'"{Path(path).as_posix()}"'  # Git Bash would read backslashes
    return '"' + "".join(f"\\{c}" if c in _SPECIAL else c for c in path) + '"'


def registered(root: str, *, home: str = "") -> tuple[str, ...]:
    """The settings files that register the hook, the project's own before the user's.

    A file that is no JSON registers nothing: the client could not read it either.
    """
    return tuple(
        name for name, path in _files(root, home) if any(map(is_hook, _read(path).commands))
    )


def hook_troubles(root: str, *, home: str = "") -> tuple[str, ...]:
    """Why a client could not call the hook, a sentence each: settings that are no JSON, and commands
    whose interpreter or script is not there."""
    found: dict[str, None] = {}
    for name, path in _files(root, home):
        settings = _read(path)
        if settings.problem:
            found[f"{name}{settings.problem}"] = None
        for command in filter(is_hook, settings.commands):
            for word in _absent(command, root):
                found[f"the hook in {name} calls {word}, which does not exist"] = None
    return tuple(found)


def is_hook(command: str) -> bool:
    """Whether a command line of a client's settings calls the hook, in any of its forms."""
    spelled = command.replace("\\", "/")
    return "synapse_ls/hook.py" in spelled or "synapse hook" in " ".join(spelled.split())


class _Settings(NamedTuple):
    """The hook commands in a settings file, and what is wrong with it: its place and why, or ""."""

    commands: tuple[str, ...]
    problem: str


def _files(root: str, home: str) -> tuple[tuple[str, Path], ...]:
    """The settings files that count in a project, by the names that people know."""
    user = Path(home or Path.home()) / USER_FILE
    return (*((name, Path(root, name)) for name in PROJECT_FILES), (f"~/{USER_FILE}", user))


def _read(path: Path) -> _Settings:
    try:
        text = path.read_text("utf-8-sig", errors="replace")
    except OSError:
        return _Settings((), "")
    try:
        settings = loads(text)
    except JsonError as error:
        line, column = LineIndex(text).position(error.offset)
        return _Settings((), f":{line + 1}:{column + 1} is no JSON, so nothing in it counts")
    found: list[str] = []
    _collect(settings.get("hooks") if isinstance(settings, dict) else None, found)
    return _Settings(tuple(found), "")


def _absent(command: str, root: str) -> Iterator[str]:
    """The interpreter and the script of a hook's command line, where they do not exist."""
    try:
        words = shlex.split(command.replace("$CLAUDE_PROJECT_DIR", root), posix=os.name != "nt")
    except ValueError:
        return
    for place, quoted_word in enumerate(words):
        word = quoted_word.strip('"')
        if "$" in word or (place and not word.replace("\\", "/").endswith("synapse_ls/hook.py")):
            continue
        if not (shutil.which(word) if place == 0 else Path(root, word).exists()):
            yield word


def _collect(value: object, found: list[str]) -> None:
    if isinstance(value, dict):
        command = value.get("command")
        if isinstance(command, str):
            found.append(command)
        for inner in value.values():
            _collect(inner, found)
    elif isinstance(value, list):
        for inner in value:
            _collect(inner, found)
