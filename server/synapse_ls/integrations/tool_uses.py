"""What a client's tool use does: run a command; read, write or delete files.

The last part of a tool's name says what it does with the files that it is given, also that of an
MCP server; any other tool runs the command lines that it is given, one of an MCP server only if the
name says so. An agent may add fields that the client's tool does not have, so what stands in each
field of any client counts.

Sources: the tool references of Claude Code, VS Code, GitHub Copilot, Cursor, Codex, Gemini CLI,
Antigravity and Cline; the patch format is that of ``apply_patch`` in Codex.
"""

from __future__ import annotations

import os

from synapse_ls.guard.agent_action import (
    DELETE,
    POSIX,
    POWERSHELL,
    READ,
    UNKNOWN_FILE,
    WRITE,
    AgentAction,
)
from synapse_ls.integrations import hook_event
from synapse_ls.text.fast_json import loads
from synapse_ls.text.lazy_import import load_module
from synapse_ls.text.path_globs import relative_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Final

# Names as `hook_event.fold_name` spells them.
EDITING_TOOLS: Final = frozenset(
    (
        "edit", "write", "multiedit", "notebookedit", "delete", "strreplace",  # Claude Code, Cursor
        "editnotebook", "searchreplace", "applypatch", "editfile", "deletefile", "writefile",
        "create", "strreplaceeditor", "strreplacebasededittool", "insert",  # Copilot
        "editfiles", "createfile", "inserteditintofile", "replacestringinfile",  # VS Code
        "multireplacestringinfile", "editnotebookfile",
        "replace",  # Gemini CLI
        "writetofile", "replacefilecontent", "multireplacefilecontent",  # Antigravity
        "movefile", "patch",
        "editor",  # Cline
        "strreplacefile",  # Kimi
        "createtextfile",  # Serena
    )
)  # fmt: skip
READING_TOOLS: Final = frozenset(
    (
        "read", "notebookread", "view", "readfile", "readmanyfiles", "readtextfile",
        "readnotebook", "viewfile", "viewcodeitem", "viewfileoutline", "viewimage", "getfile",
        "readfiles",  # Cline
    )
)  # fmt: skip

# Fields that name one file, and fields that name several or hold objects that do.
PATH_FIELDS: Final = (
    "file_path", "filePath", "notebook_path", "notebookPath", "absolute_path", "target_file",
    "target_notebook", "TargetFile", "AbsolutePath", "File", "path", "filename", "destination",
    "relative_path",
)  # fmt: skip
PATH_LIST_FIELDS: Final = (
    "files", "paths", "file_paths", "filePaths", "edits", "replacements", "include",
)  # fmt: skip

# Fields that say which files a tool searches.
NAME_FIELDS: Final = ("glob", "include", "includePattern", "file_pattern")

_SHOWING_PROGRAMS: Final = frozenset(
    ("awk", "bat", "cat", "get-content", "grep", "head", "less", "nl", "rg", "sed", "tail", "type")
)
_ENDS_OF_COMMANDS: Final = str.maketrans(";|&", "\n\n\n")
_INPUT_FIELDS: Final = ("tool_input", "toolArgs", "toolInput", "tool_args", "args", "input")
_OUTPUT_FIELDS: Final = (
    "tool_response", "tool_output", "toolResult", "tool_result", "toolResponse",
)  # fmt: skip
_EXIT_CODE_FIELDS: Final = ("exit_code", "exitCode", "returncode", "code")
_ERROR_MARKS: Final = (
    "xit code", "xit Code", "xit status", "xited with", "xit_code", "xitCode", '"error"',
    "is_error", "isError",
)  # fmt: skip
_PATCH_FIELDS: Final = ("patch", "input", "command", "patchText", "diff")
_PATCH_START: Final = "begin patch"


def event_files(raw: dict[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files of the tool use in a payload, and those of them that it changed."""
    name, tool_input = called_tool(raw)
    tool = normalise_tool_name(name or "edit" * ("file_path" in raw))  # an event for edits only
    uses = () if tool in SEARCHING_TOOLS else input_file_uses(tool, tool_input)
    files = dict.fromkeys(path for _, path in uses if path != UNKNOWN_FILE)
    changed = [path for verb, path in uses if verb != READ and path in files]
    if not files:
        return tuple(_shown_files(tool_command(name, tool_input))), ()
    return tuple(files), tuple(dict.fromkeys(changed))


def _shown_files(line: str) -> Iterator[str]:
    """Yield the files that a command line shows, the only way in which Codex reads any:
    ``cd web && sed -n 1,200p app.ts``.
    """
    folder = ""
    for part in line.translate(_ENDS_OF_COMMANDS).split("\n"):
        program, *words = part.split() or [""]
        if program == "cd" and len(words) == 1:
            folder = f"{words[0]}/"
        for word in words if program in _SHOWING_PROGRAMS else ():
            path = word.strip("\"'")
            if "." in path.rpartition("/")[2] and not path.startswith(("-", "$")):
                yield path if path.startswith(("/", "~")) else folder + path


def called_tool(raw: dict[str, Any]) -> tuple[str, object]:
    """Return the tool whose files are looked for, of the event in a payload, as the client spells
    it, and its input.

    An event that is about one kind of tool has no name for it, and its fields are the input.
    """
    call = raw.get("toolCall")
    holder = call if isinstance(call, dict) else raw
    name = hook_event.text_field(holder, "tool_name", "toolName", "name")
    tool_input = next((holder[field] for field in _INPUT_FIELDS if field in holder), raw)
    if isinstance(tool_input, str):
        try:
            tool_input = loads(tool_input)
        except ValueError:
            tool_input = {"input": tool_input}
    # A text that is no object may be a command line or a patch.
    return name, tool_input if isinstance(tool_input, dict) else {"input": tool_input}


def may_have_failed(raw: dict[str, Any], event_name: str) -> bool:
    """Return whether the use of a tool that the event ``event_name`` reports could have failed, and
    so changed no files: nearly none is, and that is cheap to see.
    """
    if event_name[-7:].lower() == "failure" or "error" in raw or "error_message" in raw:
        return True
    for field in _OUTPUT_FIELDS:
        if field in raw:
            response = raw[field]
            if isinstance(response, dict):
                return any(_is_error_field(name, value) for name, value in response.items())
            return isinstance(response, str) and _has_error_mark(response)
    return False


def _is_error_field(name: str, value: object) -> bool:
    """Return whether a field of a tool's response could mean a failure."""
    if isinstance(value, str):
        return name in ("error", "resultType", "result_type", "status") or _has_error_mark(value)
    if isinstance(value, bool):
        return value is (name != "success")
    return name in ("error", "metadata", "content") or (name in _EXIT_CODE_FIELDS and value != 0)


def _has_error_mark(words: str) -> bool:
    return any(mark in part for part in (words[:400], words[-400:]) for mark in _ERROR_MARKS)


def normalise_tool_name(name: str) -> str:
    """Return the last part of a tool's name, as the tables of this module spell it."""
    return hook_event.fold_name(name.rpartition("__")[2].rpartition(".")[2])


def input_file_uses(tool: str, tool_input: object) -> tuple[tuple[str, str], ...]:
    """Return (what is done, path) for each file in the input of a tool.

    tool: its name as `normalise_tool_name` gives it.
    """
    if not isinstance(tool_input, dict):
        return ()
    uses: list[tuple[str, str]] = []
    if tool in MOVING_TOOLS:
        targets = _field_paths(tool_input, _TARGET_FIELDS)
        sources = _field_paths(tool_input, _SOURCE_FIELDS)
        sources += tuple(path for path in _named_paths(tool_input) if path not in targets)
        # Under its new name a file can be read by everybody, so moving one is reading it, too.
        uses += [(verb, path) for verb in (READ, DELETE) for path in sources]
        uses += [(WRITE, path) for path in targets]
    elif tool in DELETING_TOOLS:
        uses += [(DELETE, path) for path in _named_paths(tool_input)]
    elif tool in READING_TOOLS or tool in SEARCHING_TOOLS:
        folders = _named_paths(tool_input)
        names = hook_event.text_field(tool_input, *NAME_FIELDS).replace(",", " ").split()
        paths = ["/".join((*folders[:1], name)) for name in names if name[0] != "!"]
        uses += [(READ, path) for path in (*folders, *paths)]
    elif tool in EDITING_TOOLS:
        # One that has its act in a field may only show a file.
        has_act = tool in ("strreplaceeditor", "strreplacebasededittool")
        verb = READ if has_act and tool_input.get("command") == "view" else WRITE
        uses += [(verb, path) for path in _named_paths(tool_input)]
    is_patch_tool = tool == "applypatch"
    for field in _PATCH_FIELDS:
        text = hook_event.text_field(tool_input, field) if field in tool_input else ""
        if (text and is_patch_tool) or ("***" in text and _PATCH_START in text.lower()):
            patched = list(load_module("synapse_ls.guard.patch_files").codex_files(text))
            uses += patched or ([(WRITE, UNKNOWN_FILE)] if is_patch_tool else [])
    return tuple(
        dict.fromkeys((verb, hook_event.local_path(path) or UNKNOWN_FILE) for verb, path in uses)
    )


def _named_paths(tool_input: dict[str, Any]) -> tuple[str, ...]:
    """Return the files that the input of a tool names."""
    lists = [field for field in PATH_LIST_FIELDS if isinstance(tool_input.get(field), list)]
    return _field_paths(tool_input, (*PATH_FIELDS, *lists))


def _field_paths(tool_input: dict[str, Any], fields: Iterable[str]) -> tuple[str, ...]:
    """Return the files that fields name, each of which has a text, an object or a list of these."""
    values = [tool_input[field] for field in fields if field in tool_input]
    items = [item for value in values for item in (value if isinstance(value, list) else [value])]
    objects = [item for item in items if isinstance(item, dict)]
    names = [hook_event.text_field(item, name) for item in objects for name in PATH_FIELDS]
    return hook_event.local_paths((*hook_event.text_items(items), *names))


COMMAND_FIELDS: Final = (
    "command", "cmd", "CommandLine", "commandLine", "command_line", "shell_command", "script",
    "chars",
)  # fmt: skip
FOLDER_FIELDS: Final = (
    "workdir", "cwd", "Cwd", "working_directory", "workingDirectory", "dir_path", "directory",
)  # fmt: skip
# Those of tools that surely run something: a program, lines, what is typed into a running shell.
RUNNING_FIELDS: Final = (
    "argv", "commands", "program", "executable", "input", "data", "text",
)  # fmt: skip

# One of these stands in the name of a tool of an MCP server that runs commands.
RUNNING_WORDS: Final = (
    "shell", "bash", "terminal", "exec", "command", "process", "cmd", "script", "stdin",
)  # fmt: skip

DELETING_TOOLS: Final = frozenset(
    ("delete", "deletefile", "removefile", "deletefiles", "rm", "remove")
)
MOVING_TOOLS: Final = frozenset(("movefile", "renamefile", "move", "rename"))
SEARCHING_TOOLS: Final = frozenset(
    ("grep", "greptool", "grepsearch", "ripgrep", "searchfilecontent", "searchfiles", "rg")
)
_SOURCE_FIELDS: Final = ("source", "source_path", "old_path", "oldPath", "from", "src")
_TARGET_FIELDS: Final = (
    "destination", "destination_path", "new_path", "newPath", "to", "dst", "target",
)  # fmt: skip
_UNQUOTED_CHARACTERS: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%"
)


def announced_use(event: hook_event.Event, root: str, folder_field: str = "") -> AgentAction:
    """Return the action of a tool that ``event`` announces, for the guard, in the tree at
    ``root``. folder_field: that of its client.
    """
    name, tool_input = called_tool(event.raw)
    tool = normalise_tool_name(name)
    lines = command_lines(name, tool_input)
    if not name and not lines:
        tool = "read"  # an event for reading only
    files = input_file_uses(tool, tool_input)
    if not files and tool in EDITING_TOOLS and not _is_mcp_tool(name, event.name):
        files = ((WRITE, UNKNOWN_FILE),)
    is_powershell = "powershell" in tool or tool == "pwsh"
    is_powershell = is_powershell or (os.name == "nt" and "bash" not in tool)
    # It runs where the client does, unless the client's own field says another folder.
    fields = [folder_field, *FOLDER_FIELDS] if lines else [""]
    named = {name: hook_event.text_field(tool_input, name) for name in fields if name}
    names = dict.fromkeys((named.get(folder_field, ""), *filter(None, named.values())))
    folders = [_command_folder(name, event.cwd, root) for name in names]
    return AgentAction(
        command="\n".join(lines),
        shell=POWERSHELL if is_powershell else POSIX,
        files=files,
        tool=name,
        given=tool_input,
        folder=folders[0],
        readings=[(line, folder) for line in lines for folder in dict.fromkeys(folders)],
    )


def tool_command(name: str, tool_input: object) -> str:
    """Return what the tool ``name`` was given to run, "" for a tool that runs no commands."""
    return "\n".join(command_lines(name, tool_input))


def command_lines(name: str, tool_input: object) -> tuple[str, ...]:
    """Return each command line that the tool ``name`` was given to run."""
    tool = normalise_tool_name(name)
    if not isinstance(tool_input, dict) or tool in EDITING_TOOLS or tool in READING_TOOLS:
        return ()
    runs_commands = any(word in tool for word in RUNNING_WORDS)
    if _is_mcp_tool(name) and not runs_commands:
        return ()
    lines: list[str] = []
    task = tool_input.get("task")  # of VS Code
    for holder in (tool_input, task) if isinstance(task, dict) else (tool_input,):
        rest = [_quote_word(word) for word in hook_event.text_items(holder.get("args"))]
        for field in (*COMMAND_FIELDS, *RUNNING_FIELDS) if runs_commands else COMMAND_FIELDS:
            if field not in holder:
                continue
            words = hook_event.text_items(holder[field])
            if field == "commands":
                lines += words
            elif words:
                lines.append(" ".join(map(_quote_word, words)))
            elif line := hook_event.text_field(holder, field):
                lines += [line, " ".join((line, *rest))] if rest else [line]
    return tuple(dict.fromkeys(lines))


def _is_mcp_tool(name: str, event_name: str = "") -> bool:
    is_named_so = name.startswith(("mcp_", "MCP:", "mcp.")) or "__" in name
    return is_named_so or event_name == "beforeMCPExecution"


def _command_folder(named_folder: str, cwd: str, root: str) -> str:
    """Return where a command runs: relative to the root, or absolute where that is elsewhere."""
    base = hook_event.local_path(cwd)
    folder = hook_event.local_path(named_folder)
    if folder and not (folder.startswith(("/", "~")) or folder[1:2] == ":"):
        folder = f"{base or root}/{folder}"
    folder = folder or base
    if not folder:
        return ""
    inside = relative_path(f"{folder}/x", root)
    return inside[:-1].rstrip("/") if inside else folder


def _quote_word(word: str) -> str:
    """Return a word of a list as one of a command line."""
    if word and _UNQUOTED_CHARACTERS.issuperset(word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"
