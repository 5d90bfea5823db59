"""This module finds the files that a tool has read or changed, from its name and input in any
client.

Tools are known by the last part of their name, so those of MCP servers are known too; what an
unknown tool does to which files, nobody can say.

Sources: the tool references of Claude Code, VS Code, GitHub Copilot, Cursor, Codex, Gemini
CLI, Antigravity and Cline; the patch format is that of ``apply_patch`` in Codex.
"""

from __future__ import annotations

from synapse_ls.integrations.payload_values import fold_name, local_paths, text_field, text_items
from synapse_ls.text.fast_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final

# Names as `payload_values.fold_name` spells them.
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
    "files",
    "paths",
    "file_paths",
    "filePaths",
    "edits",
    "replacements",
    "include",
)

_INPUT_FIELDS: Final = ("tool_input", "toolArgs", "toolInput", "tool_args", "args", "input")
_OUTPUT_FIELDS: Final = (
    "tool_response",
    "tool_output",
    "toolResult",
    "tool_result",
    "toolResponse",
)
_EXIT_CODE_FIELDS: Final = ("exit_code", "exitCode", "returncode", "code")
_ERROR_MARKS: Final = (
    "xit code", "xit Code", "xit status", "xited with", "xit_code", "xitCode", '"error"', "is_error", "isError",
)  # fmt: skip
_PATCH_START: Final = "*** Begin Patch"
_PATCH_FILE_MARKS: Final = (
    "*** Update File: ",
    "*** Add File: ",
    "*** Delete File: ",
    "*** Move to: ",
)


def event_files(raw: dict[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the files of the tool use in a payload, and those of them that it changed."""
    name, given = called_tool(raw)
    return tool_use_files(name or "edit" * ("file_path" in raw), given)  # an event for edits only


def called_tool(raw: dict[str, Any]) -> tuple[str, object]:
    """Returns the tool whose files are looked for, of the event in a payload, as the client spells
    it, and its input.

    An event that is about one kind of tool has no name for it, and its fields are the input.
    """
    call = raw.get("toolCall")
    holder = call if isinstance(call, dict) else raw
    name = text_field(holder, "tool_name", "toolName", "name")
    given = next((holder[field] for field in _INPUT_FIELDS if field in holder), raw)
    return name, _parse_input(given) if isinstance(given, str) else given


def may_have_failed(raw: dict[str, Any], event_name: str) -> bool:
    """Tells whether the use of a tool that the event ``event_name`` reports could have failed, and
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
    """Tells whether a field of a tool's response could mean a failure."""
    if isinstance(value, str):
        return name in ("error", "resultType", "result_type", "status") or _has_error_mark(value)
    if isinstance(value, bool):
        return value is (name != "success")
    return name in ("error", "metadata", "content") or (name in _EXIT_CODE_FIELDS and value != 0)


def _has_error_mark(words: str) -> bool:
    return any(mark in part for part in (words[:400], words[-400:]) for mark in _ERROR_MARKS)


def normalise_tool_name(name: str) -> str:
    """Returns the last part of a tool's name, as the tables of this module spell it."""
    return fold_name(name.rpartition("__")[2].rpartition(".")[2])


def tool_use_files(name: str, tool_input: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the files of a use of the tool ``name``, and those of them that it changed.

    tool_input: an object, or the text of one, or a patch.
    """
    return tool_input_files(
        normalise_tool_name(name),
        _parse_input(tool_input) if isinstance(tool_input, str) else tool_input,
    )


def tool_input_files(tool: str, tool_input: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the files of a use of a tool, and those of them that it changed.

    tool: its name as `normalise_tool_name` gives it. tool_input: an object.
    """
    if changed := patched_paths(tool_input):
        return changed, changed
    if tool not in EDITING_TOOLS and tool not in READING_TOOLS:
        return (), ()
    files = named_paths(tool_input)
    reads = tool in READING_TOOLS or text_field(tool_input, "command") == "view"
    return files, () if reads else files


def _parse_input(written_input: str) -> object:
    """Returns the object that a client has written as a text; a patch is its own input; None for
    neither.
    """
    if _PATCH_START in written_input[:200]:
        return {"patch": written_input}
    try:
        return loads(written_input)
    except ValueError:
        return None


def named_paths(tool_input: object) -> tuple[str, ...]:
    """Returns the files that the input of a tool names."""
    return local_paths(_path_values(tool_input))


def patched_paths(
    tool_input: object, marks: tuple[str, ...] = _PATCH_FILE_MARKS
) -> tuple[str, ...]:
    """Returns the files of a patch in the input of a tool, those that stand behind ``marks``."""
    return local_paths(_patch_values(tool_input, marks))


def _path_values(tool_input: object) -> Iterator[str]:
    for field in PATH_FIELDS:
        yield text_field(tool_input, field)
    if isinstance(tool_input, dict):
        for field in PATH_LIST_FIELDS:
            value = tool_input.get(field)
            yield from text_items(value)
            for item in value if isinstance(value, list) else ():
                for name in PATH_FIELDS:
                    yield text_field(item, name)


def _patch_values(tool_input: object, marks: tuple[str, ...]) -> Iterator[str]:
    for field in ("patch", "input", "command", "patchText"):
        patch = text_field(tool_input, field)
        if _PATCH_START in patch[:200]:
            for line in patch.splitlines():
                for start in marks:
                    if line.startswith(start):
                        yield line[len(start) :].strip()
