"""This module tells what a client is about to do with a tool: run a command, read, write or
delete files.

A tool is known by its fields rather than by its name, since clients have new names all the
time: what names a command line is run, whatever the tool is called. Of an MCP server's tools,
only those whose name says that they run something are read so.

Sources: the tool references of the clients, as in `tool_files`.
"""

from __future__ import annotations

import os

from synapse_ls.engine.path_globs import relative_path
from synapse_ls.guard.agent_action import DELETE, POSIX, POWERSHELL, READ, WRITE, AgentAction
from synapse_ls.integrations import tool_files
from synapse_ls.integrations.payload_values import local_path, text_field, text_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from synapse_ls.integrations.hook_event import Event

COMMAND_FIELDS: Final = (
    "command", "cmd", "CommandLine", "commandLine", "command_line", "shell_command", "script",
    "chars",
)  # fmt: skip
FOLDER_FIELDS: Final = (
    "workdir", "cwd", "Cwd", "working_directory", "workingDirectory", "dir_path", "directory",
)  # fmt: skip
TYPED_INPUT_FIELDS: Final = ("input", "data", "text")
"""What is typed into a shell that runs already."""

RUNNING_WORDS: Final = (
    "shell", "bash", "terminal", "exec", "command", "process", "cmd", "script", "stdin",
)  # fmt: skip
"""One of these stands in the name of a tool of an MCP server that runs commands."""

DELETING_TOOLS: Final = frozenset(
    ("delete", "deletefile", "removefile", "deletefiles", "rm", "remove")
)
MOVING_TOOLS: Final = frozenset(("movefile", "renamefile", "move", "rename"))
SEARCHING_TOOLS: Final = frozenset(
    ("grep", "greptool", "grepsearch", "ripgrep", "searchfilecontent", "searchfiles", "rg")
)
_SOURCE_FIELDS: Final = ("source", "source_path", "old_path", "oldPath", "from", "src")
_TARGET_FIELDS: Final = (
    "destination",
    "destination_path",
    "new_path",
    "newPath",
    "to",
    "dst",
    "target",
)
_DELETE_MARKS: Final = ("*** Delete File: ",)
_UNQUOTED_CHARACTERS: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%"
)


def announced_use(event: Event, root: str) -> AgentAction:
    """Returns the action of a tool that ``event`` announces, for the guard, in the tree at
    ``root``.
    """
    name, given = tool_files.called_tool(event.raw)
    tool = tool_files.normalise_tool_name(name)
    command = _command_line(name, tool, given)
    if not name and not command:
        tool = "read"  # an event for reading only
    return AgentAction(
        command=command,
        shell=POWERSHELL if _is_powershell(tool) else POSIX,
        files=() if command else tuple(_file_uses(tool, given)),
        tool=name,
        given=given,
        folder=_command_folder(
            text_field(given, *FOLDER_FIELDS) if command else "", event.cwd, root
        ),
    )


def tool_command(name: str, tool_input: object) -> str:
    """Returns the command line that the tool ``name`` was given to run, "" for any other tool."""
    return _command_line(name, tool_files.normalise_tool_name(name), tool_input)


def _command_line(name: str, tool: str, tool_input: object) -> str:
    if (
        not isinstance(tool_input, dict)
        or tool in tool_files.EDITING_TOOLS
        or tool in tool_files.READING_TOOLS
    ):
        return ""
    if _is_foreign(name) and not _runs_commands(tool):
        return ""
    for field in (*COMMAND_FIELDS, *TYPED_INPUT_FIELDS) if _runs_commands(tool) else COMMAND_FIELDS:
        value = tool_input.get(field)
        if isinstance(value, list):
            if words := text_items(value):
                return " ".join(map(_quote_word, words))
        elif line := text_field(tool_input, field):
            return line
    return ""


def _runs_commands(tool: str) -> bool:
    return any(word in tool for word in RUNNING_WORDS)


def _is_powershell(tool: str) -> bool:
    """Tells whether a tool's shell is PowerShell; on Windows it is, unless the tool says
    another.
    """
    return "powershell" in tool or tool == "pwsh" or (os.name == "nt" and "bash" not in tool)


def _is_foreign(name: str) -> bool:
    """Tells whether a tool is one of an MCP server."""
    return name.startswith(("mcp_", "MCP:", "mcp.")) or "__" in name


def _file_uses(tool: str, tool_input: object) -> Iterator[tuple[str, str]]:
    """Yields (what is done, path) for each file of a tool that works on files."""
    named, edited = tool_files.tool_input_files(tool, tool_input)
    if tool in DELETING_TOOLS:
        yield from ((DELETE, path) for path in tool_files.named_paths(tool_input))
    elif tool in MOVING_TOOLS:
        # Under its new name a file can be read by everybody, so moving one is reading it, too.
        for verb in (READ, DELETE):
            yield from (
                (verb, local_path(text_field(tool_input, name)))
                for name in _SOURCE_FIELDS
                if text_field(tool_input, name)
            )
        yield from (
            (WRITE, local_path(text_field(tool_input, field)))
            for field in _TARGET_FIELDS
            if text_field(tool_input, field)
        )
    elif tool in SEARCHING_TOOLS:
        yield from ((READ, path) for path in tool_files.named_paths(tool_input))
    else:
        deleted = tool_files.patched_paths(tool_input, _DELETE_MARKS)
        for path in named:
            yield (DELETE if path in deleted else WRITE if path in edited else READ), path


def _command_folder(named_folder: str, cwd: str, root: str) -> str:
    """Returns where a command runs: relative to the root, or absolute where that is elsewhere."""
    base = local_path(cwd)
    folder = local_path(named_folder)
    if folder and not (folder.startswith(("/", "~")) or folder[1:2] == ":"):
        folder = f"{base or root}/{folder}"
    folder = folder or base
    if not folder:
        return ""
    inside = relative_path(f"{folder}/x", root)
    return inside[:-1].rstrip("/") if inside else folder


def _quote_word(word: str) -> str:
    """Returns a word of a list as one of a command line."""
    return (
        word
        if word and not set(word) - _UNQUOTED_CHARACTERS
        else "'" + word.replace("'", "'\\''") + "'"
    )
