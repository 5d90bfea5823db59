"""Compute the text of a file after a client's tool: whole text, replacements, insertions, patches.

Sources: the tool references of the clients, as in `tool_uses`.
"""

from synapse_ls.integrations import hook_event, tool_uses

_OLD = ("old_string", "oldString", "old_str", "oldText", "TargetContent")
_NEW = ("new_string", "newString", "new_str", "newText", "ReplacementContent")
_ALL = ("replace_all", "replaceAll", "AllowMultiple")
_WHOLE = ("content", "file_text", "contents", "fileText", "CodeContent")
_LISTS = ("edits", "replacements", "ReplacementChunks")
_LINE = ("insert_line", "insertLine")
_INSERTED = ("insert_text", "insertText", "new_str", "new_string")
_PATCHES = ("patch", "input", "patchText", "diff")
_FILE_MARK = "*** Update File: "


def edited_text(name: str, tool_input: object, before: str) -> str | None:
    """Return the text of the one file that the tool ``name`` changes, after ``tool_input`` is
    done; None where that cannot be told. before: its text now.
    """
    if not isinstance(tool_input, dict):
        return None
    before = before.replace("\r\n", "\n")
    patches = (hook_event.text_field(tool_input, field) for field in _PATCHES)
    if patch := next((patch for patch in patches if "*** " in patch), ""):
        # A patch of one file in the notation of Codex.
        if patch.count("\n*** ") != 2 or _FILE_MARK not in patch:
            return None
        patch_text: str | None = f"\n{before}\n"
        for old, new in _patch_hunks(patch):
            if patch_text is not None and old != new:
                patch_text = _replace_text(patch_text, f"\n{old}\n", f"\n{new}\n")
        return None if patch_text is None else patch_text[1:-1]
    if tool_uses.normalise_tool_name(name) not in tool_uses.EDITING_TOOLS:
        return None
    parts = next((value for f in _LISTS if isinstance(value := tool_input.get(f), list)), None)
    if parts is None:
        return _apply_edit(tool_input, before)
    text: str | None = before
    for part in parts:
        if text is None or not isinstance(part, dict):
            return None
        text = _apply_edit(part, text)
    return text


def _apply_edit(edit: hook_event.Payload, before: str) -> str | None:
    old, new = (next((edit[f] for f in names if f in edit), None) for names in (_OLD, _NEW))
    if isinstance(old, str) and isinstance(new, str):
        whole = any(edit.get(name) is True for name in _ALL)
        return _replace_text(before, old, new, everywhere=whole)
    line = next((edit[f] for f in _LINE if f in edit), None)
    if isinstance(line, int):
        put = next((edit[f] for f in _INSERTED if isinstance(edit.get(f), str)), None)
        lines = before.split("\n")
        if put is None or not 0 <= line <= len(lines):
            return None
        return "\n".join((*lines[:line], put.removesuffix("\n"), *lines[line:]))
    text = next((edit[f] for f in _WHOLE if isinstance(edit.get(f), str)), None)
    return str(text) if text is not None and old is None and new is None else None


def _replace_text(before: str, old: str, new: str, *, everywhere: bool = False) -> str | None:
    """Return the text with ``old`` replaced; None where it is not there, or in several places."""
    old, new = (text.replace("\r\n", "\n") for text in (old, new))
    if not old:
        return None if before else new
    count = before.count(old)
    return before.replace(old, new) if count == 1 or (count and everywhere) else None


def _patch_hunks(patch: str) -> list[tuple[str, str]]:
    """Return (lines before, lines after) of each part of a patch that stands between marks."""
    hunks = []
    old: list[str] = []
    new: list[str] = []
    for line in (*patch.replace("\r\n", "\n").split("\n"), "@@"):
        if line.startswith(("@@", "*** ")):
            if old or new:
                hunks.append(("\n".join(old), "\n".join(new)))
            old, new = [], []
            continue
        if line[:1] != "+":
            old.append(line[1:])
        if line[:1] != "-":
            new.append(line[1:])
    return hunks
