"""What a client is about to do, from the event that says so.

A tool is known by its fields rather than by its name, since clients have new names all the time: what
names a command line is run, whatever the tool is called. Of an MCP server's tools, only those whose name
says that they run something are read so.

Sources: the tool references of the clients, as in ``tools``.
"""

from __future__ import annotations

import os

from synapse_ls.engine.globs import relative
from synapse_ls.guard.use import DELETE, POSIX, POWERSHELL, READ, WRITE, Use
from synapse_ls.hosts import tools
from synapse_ls.hosts.fields import place, text, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from synapse_ls.hosts.event import Event

COMMANDS: Final = (
    "command", "cmd", "CommandLine", "commandLine", "command_line", "shell_command", "script",
    "chars",
)  # fmt: skip
FOLDERS: Final = (
    "workdir", "cwd", "Cwd", "working_directory", "workingDirectory", "dir_path", "directory",
)  # fmt: skip
TYPED: Final = ("input", "data", "text")
"""What is typed into a shell that runs already."""

RUNNING: Final = (
    "shell", "bash", "terminal", "exec", "command", "process", "cmd", "script", "stdin",
)  # fmt: skip
"""One of these stands in the name of a tool of an MCP server that runs commands."""

DELETERS: Final = frozenset(("delete", "deletefile", "removefile", "deletefiles", "rm", "remove"))
MOVERS: Final = frozenset(("movefile", "renamefile", "move", "rename"))
SEARCHERS: Final = frozenset(
    ("grep", "greptool", "grepsearch", "ripgrep", "searchfilecontent", "searchfiles", "rg")
)
_SOURCES: Final = ("source", "source_path", "old_path", "oldPath", "from", "src")
_TARGETS: Final = ("destination", "destination_path", "new_path", "newPath", "to", "dst", "target")
_DELETED: Final = ("*** Delete File: ",)
_PLAIN: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%"
)


def use_of(event: Event, root: str) -> Use:
    """What ``event`` announces, in the tree at ``root``."""
    name, given = tools.called(event.raw)
    tool = tools.plain(name)
    command = _command(name, tool, given)
    if not name and not command:
        tool = "read"  # an event for reading only
    return Use(
        command=command,
        shell=POWERSHELL if _is_powershell(tool) else POSIX,
        files=() if command else tuple(_files(tool, given)),
        tool=name,
        folder=_folder(text(given, *FOLDERS) if command else "", event.cwd, root),
    )


def command_of(name: str, given: object) -> str:
    """The command line that the tool ``name`` was given to run, "" for any other tool."""
    return _command(name, tools.plain(name), given)


def _command(name: str, tool: str, given: object) -> str:
    if not isinstance(given, dict) or tool in tools.EDITORS or tool in tools.READERS:
        return ""
    if _is_foreign(name) and not _runs(tool):
        return ""
    for field in (*COMMANDS, *TYPED) if _runs(tool) else COMMANDS:
        value = given.get(field)
        if isinstance(value, list):
            if words := texts(value):
                return " ".join(map(_quoted, words))
        elif line := text(given, field):
            return line
    return ""


def _runs(tool: str) -> bool:
    return any(word in tool for word in RUNNING)


def _is_powershell(tool: str) -> bool:
    """On Windows it is the shell of every tool that does not say another."""
    return "powershell" in tool or tool == "pwsh" or (os.name == "nt" and "bash" not in tool)


def _is_foreign(name: str) -> bool:
    """Whether a tool is one of an MCP server."""
    return name.startswith(("mcp_", "MCP:", "mcp.")) or "__" in name


def _files(tool: str, given: object) -> Iterator[tuple[str, str]]:
    """(what is done, path) for each file of a tool that works on files."""
    named, edited = tools.worked(tool, given)
    if tool in DELETERS:
        yield from ((DELETE, path) for path in tools.named(given))
    elif tool in MOVERS:
        # Under its new name a file can be read by everybody, so moving one is reading it, too.
        for verb in (READ, DELETE):
            yield from ((verb, place(text(given, name))) for name in _SOURCES if text(given, name))
        yield from ((WRITE, place(text(given, field))) for field in _TARGETS if text(given, field))
    elif tool in SEARCHERS:
        yield from ((READ, path) for path in tools.named(given))
    else:
        deleted = tools.patched(given, _DELETED)
        for path in named:
            yield (DELETE if path in deleted else WRITE if path in edited else READ), path


def _folder(given: str, cwd: str, root: str) -> str:
    """Where a command runs: relative to the root, or absolute where that is elsewhere."""
    base = place(cwd)
    folder = place(given)
    if folder and not (folder.startswith(("/", "~")) or folder[1:2] == ":"):
        folder = f"{base or root}/{folder}"
    folder = folder or base
    if not folder:
        return ""
    inside = relative(f"{folder}/x", root)
    return inside[:-1].rstrip("/") if inside else folder


def _quoted(word: str) -> str:
    """A word of a list as one of a command line."""
    return word if word and not set(word) - _PLAIN else "'" + word.replace("'", "'\\''") + "'"
