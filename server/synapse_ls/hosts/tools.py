"""The files that a tool has read or changed, as its client spells them.

Tools are known by the last part of their name, so those of MCP servers are known too; what an unknown
tool does to which files, nobody can say.

Sources: the tool references of Claude Code, VS Code, GitHub Copilot, Cursor, Codex, Gemini CLI and
Antigravity; the patch format is that of ``apply_patch`` in Codex.
"""

from __future__ import annotations

from synapse_ls.hosts.fields import folded, places, text, texts
from synapse_ls.text.json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final

# Names as `fields.folded` spells them.
EDITORS: Final = frozenset(
    (
        "edit", "write", "multiedit", "notebookedit", "delete", "strreplace",  # Claude Code, Cursor
        "editnotebook", "searchreplace", "applypatch", "editfile", "deletefile", "writefile",
        "create", "strreplaceeditor", "strreplacebasededittool", "insert",  # Copilot
        "editfiles", "createfile", "inserteditintofile", "replacestringinfile",  # VS Code
        "multireplacestringinfile", "editnotebookfile",
        "replace",  # Gemini CLI
        "writetofile", "replacefilecontent", "multireplacefilecontent",  # Antigravity
        "movefile", "patch",
    )
)  # fmt: skip
READERS: Final = frozenset(
    (
        "read", "notebookread", "view", "readfile", "readmanyfiles", "readtextfile",
        "readnotebook", "viewfile", "viewcodeitem", "viewfileoutline", "viewimage", "getfile",
    )
)  # fmt: skip

# Fields that name one file, and fields that name several or hold objects that do.
PLACES: Final = (
    "file_path", "filePath", "notebook_path", "notebookPath", "absolute_path", "target_file",
    "target_notebook", "TargetFile", "AbsolutePath", "File", "path", "filename", "destination",
)  # fmt: skip
LISTS: Final = ("files", "paths", "file_paths", "filePaths", "edits", "replacements", "include")

_INPUTS: Final = ("tool_input", "toolArgs", "toolInput", "tool_args", "args", "input")
_OUTPUTS: Final = ("tool_response", "tool_output", "toolResult", "tool_result", "toolResponse")
_CODES: Final = ("exit_code", "exitCode", "returncode", "code")
_CODED: Final = (
    "xit code", "xit Code", "xit status", "xited with", "xit_code", "xitCode", '"error"', "is_error", "isError",
)  # fmt: skip
_PATCH: Final = "*** Begin Patch"
_PATCHED: Final = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")


def touched(raw: dict[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files of the tool use in a payload, and those of them that it changed."""
    name, given = called(raw)
    return used(name or "edit" * ("file_path" in raw), given)  # an event for edits only


def called(raw: dict[str, Any]) -> tuple[str, object]:
    """The tool of the event in a payload, as the client spells it, and its input.

    An event that is about one kind of tool has no name for it, and its fields are the input.
    """
    call = raw.get("toolCall")
    holder = call if isinstance(call, dict) else raw
    name = text(holder, "tool_name", "toolName", "name")
    given = next((holder[field] for field in _INPUTS if field in holder), raw)
    return name, _object(given) if isinstance(given, str) else given


def may_have_failed(raw: dict[str, Any], told: str) -> bool:
    """Whether the event ``told`` could be about a failure: nearly none is, and that is cheap to see."""
    if told[-7:].lower() == "failure" or "error" in raw or "error_message" in raw:
        return True
    for field in _OUTPUTS:
        if field in raw:
            response = raw[field]
            if isinstance(response, dict):
                return any(_is_bad(name, value) for name, value in response.items())
            return isinstance(response, str) and _ends_badly(response)
    return False


def _is_bad(name: str, value: object) -> bool:
    """Whether a field of a tool's response could tell of a failure."""
    if isinstance(value, str):
        return name in ("error", "resultType", "result_type", "status") or _ends_badly(value)
    if isinstance(value, bool):
        return value is (name != "success")
    return name in ("error", "metadata", "content") or (name in _CODES and value != 0)


def _ends_badly(words: str) -> bool:
    return any(mark in part for part in (words[:400], words[-400:]) for mark in _CODED)


def plain(name: str) -> str:
    """The last part of a tool's name, as this module spells them."""
    return folded(name.rpartition("__")[2].rpartition(".")[2])


def used(name: str, given: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files of a use of the tool ``name``, and those of them that it changed.

    given: its input, an object, or the text of one, or a patch.
    """
    return worked(plain(name), _object(given) if isinstance(given, str) else given)


def worked(tool: str, given: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The same, of a tool in its plain spelling with an object for its input."""
    if changed := patched(given):
        return changed, changed
    if tool not in EDITORS and tool not in READERS:
        return (), ()
    files = named(given)
    reads = tool in READERS or text(given, "command") == "view"
    return files, () if reads else files


def _object(given: str) -> object:
    """The object that a client has written as a text; a patch is its own input."""
    if _PATCH in given[:200]:
        return {"patch": given}
    try:
        return loads(given)
    except ValueError:
        return None


def named(given: object) -> tuple[str, ...]:
    """The files that the input of a tool names."""
    return places(_named(given))


def patched(given: object, marks: tuple[str, ...] = _PATCHED) -> tuple[str, ...]:
    """The files of a patch in the input of a tool, behind these marks."""
    return places(_patched(given, marks))


def _named(given: object) -> Iterator[str]:
    for field in PLACES:
        yield text(given, field)
    if isinstance(given, dict):
        for field in LISTS:
            value = given.get(field)
            yield from texts(value)
            for item in value if isinstance(value, list) else ():
                for name in PLACES:
                    yield text(item, name)


def _patched(given: object, marks: tuple[str, ...]) -> Iterator[str]:
    for field in ("patch", "input", "command", "patchText"):
        patch = text(given, field)
        if _PATCH in patch[:200]:
            for line in patch.splitlines():
                for start in marks:
                    if line.startswith(start):
                        yield line[len(start) :].strip()
