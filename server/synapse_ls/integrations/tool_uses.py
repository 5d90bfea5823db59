"""What a client's tool use does: run a command; read, write or delete files.

Clients rename tools, so fields decide: a command line is run, whatever the tool's name; for MCP
tools only if the name says so. File tools are recognised by the last part of their name, also those
of MCP servers. What an unknown tool does is unknown.

Sources: the tool references of Claude Code, VS Code, GitHub Copilot, Cursor, Codex, Gemini CLI,
Antigravity and Cline; the patch format is that of ``apply_patch`` in Codex.
"""

from __future__ import annotations

import os

from synapse_ls.guard.agent_action import DELETE, POSIX, POWERSHELL, READ, WRITE, AgentAction
from synapse_ls.integrations import hook_event
from synapse_ls.text.fast_json import loads
from synapse_ls.text.path_globs import relative_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
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
)  # fmt: skip
PATH_LIST_FIELDS: Final = (
    "files", "paths", "file_paths", "filePaths", "edits", "replacements", "include",
)  # fmt: skip

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
_PATCH_START: Final = "*** Begin Patch"
_PATCH_FILE_MARKS: Final = (
    "*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ",
)  # fmt: skip


def event_files(raw: dict[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files of the tool use in a payload, and those of them that it changed."""
    name, tool_input = called_tool(raw)
    used = tool_input_files(
        normalise_tool_name(name or "edit" * ("file_path" in raw)),
        _parse_input(tool_input) if isinstance(tool_input, str) else tool_input,
    )  # an event for edits only
    return used if used[0] else (tuple(_shown_files(tool_command(name, tool_input))), ())


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
    return name, _parse_input(tool_input) if isinstance(tool_input, str) else tool_input


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


def tool_input_files(tool: str, tool_input: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files of a use of a tool, and those of them that it changed.

    tool: its name as `normalise_tool_name` gives it. tool_input: an object.
    """
    if changed := patched_paths(tool_input):
        return changed, changed
    if tool not in EDITING_TOOLS and tool not in READING_TOOLS:
        return (), ()
    files = named_paths(tool_input)
    reads = tool in READING_TOOLS or hook_event.text_field(tool_input, "command") == "view"
    return files, () if reads else files


def _parse_input(written_input: str) -> object:
    """Return the object that a client has written as a text; a patch is its own input; None for
    neither.
    """
    if _PATCH_START in written_input[:200]:
        return {"patch": written_input}
    try:
        return loads(written_input)
    except ValueError:
        return None


def named_paths(tool_input: object) -> tuple[str, ...]:
    """Return the files that the input of a tool names."""
    if not isinstance(tool_input, dict):
        return ()
    names = [hook_event.text_field(tool_input, field) for field in PATH_FIELDS]
    for field in PATH_LIST_FIELDS:
        value = tool_input.get(field)
        names += hook_event.text_items(value)
        items = value if isinstance(value, list) else ()
        names += [hook_event.text_field(item, name) for item in items for name in PATH_FIELDS]
    return hook_event.local_paths(names)


def patched_paths(
    tool_input: object, marks: tuple[str, ...] = _PATCH_FILE_MARKS
) -> tuple[str, ...]:
    """Return the files of a patch in the input of a tool, those that stand behind ``marks``."""
    fields = ("patch", "input", "command", "patchText")
    patches = [hook_event.text_field(tool_input, field) for field in fields]
    return hook_event.local_paths(
        line[len(mark) :].strip()
        for patch in patches
        if _PATCH_START in patch[:200]
        for line in patch.splitlines()
        for mark in marks
        if line.startswith(mark)
    )


COMMAND_FIELDS: Final = (
    "command", "cmd", "CommandLine", "commandLine", "command_line", "shell_command", "script",
    "chars",
)  # fmt: skip
FOLDER_FIELDS: Final = (
    "workdir", "cwd", "Cwd", "working_directory", "workingDirectory", "dir_path", "directory",
)  # fmt: skip
# What is typed into a shell that runs already.
TYPED_INPUT_FIELDS: Final = ("input", "data", "text")

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
_DELETE_MARKS: Final = ("*** Delete File: ",)
_UNQUOTED_CHARACTERS: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%"
)


def announced_use(event: hook_event.Event, root: str) -> AgentAction:
    """Return the action of a tool that ``event`` announces, for the guard, in the tree at
    ``root``.
    """
    name, tool_input = called_tool(event.raw)
    tool = normalise_tool_name(name)
    command = tool_command(name, tool_input)
    if not name and not command:
        tool = "read"  # an event for reading only
    is_powershell = "powershell" in tool or tool == "pwsh"
    is_powershell = is_powershell or (os.name == "nt" and "bash" not in tool)
    return AgentAction(
        command=command,
        shell=POWERSHELL if is_powershell else POSIX,
        files=() if command else tuple(_file_uses(tool, tool_input)),
        tool=name,
        given=tool_input,
        folder=_command_folder(
            hook_event.text_field(tool_input, *FOLDER_FIELDS) if command else "", event.cwd, root
        ),
    )


def tool_command(name: str, tool_input: object) -> str:
    """Return the command line that the tool ``name`` was given to run, "" for any other tool."""
    tool = normalise_tool_name(name)
    if not isinstance(tool_input, dict) or tool in EDITING_TOOLS or tool in READING_TOOLS:
        return ""
    runs_commands = any(word in tool for word in RUNNING_WORDS)
    if (name.startswith(("mcp_", "MCP:", "mcp.")) or "__" in name) and not runs_commands:
        return ""
    for field in (*COMMAND_FIELDS, *TYPED_INPUT_FIELDS) if runs_commands else COMMAND_FIELDS:
        value = tool_input.get(field)
        if isinstance(value, list):
            if words := hook_event.text_items(value):
                return " ".join(map(_quote_word, words))
        elif line := hook_event.text_field(tool_input, field):
            return line
    return ""


def _file_uses(tool: str, tool_input: object) -> Iterator[tuple[str, str]]:
    """Yield (what is done, path) for each file of a tool that works on files."""
    named, edited = tool_input_files(tool, tool_input)
    if tool in DELETING_TOOLS:
        yield from ((DELETE, path) for path in named_paths(tool_input))
    elif tool in MOVING_TOOLS:
        # Under its new name a file can be read by everybody, so moving one is reading it, too.
        for verb in (READ, DELETE):
            yield from (
                (verb, hook_event.local_path(hook_event.text_field(tool_input, name)))
                for name in _SOURCE_FIELDS
                if hook_event.text_field(tool_input, name)
            )
        yield from (
            (WRITE, hook_event.local_path(hook_event.text_field(tool_input, field)))
            for field in _TARGET_FIELDS
            if hook_event.text_field(tool_input, field)
        )
    elif tool in SEARCHING_TOOLS:
        yield from ((READ, path) for path in named_paths(tool_input))
    else:
        deleted = patched_paths(tool_input, _DELETE_MARKS)
        for path in named:
            yield (DELETE if path in deleted else WRITE if path in edited else READ), path


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
