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
_INSERTED = ("insert_text", "insertText", *_NEW)
_PATCHES = ("patch", "input", "patchText", "diff", "command")
_KINDS = (_PATCHES, _LISTS, _LINE, _OLD, _WHOLE)
_WHOLE_TOOLS = ("write", "writefile", "writetofile", "create", "createfile", "createtextfile")
_FILE_MARK = "*** Update File: "


def edited_text(name: str, tool_input: object, before: str) -> str | None:
    """Return the text of the one file that the tool ``name`` changes, after ``tool_input`` is
    done; None where that cannot be told. before: its text now.
    """
    tool = tool_uses.normalise_tool_name(name)
    if not isinstance(tool_input, dict) or tool not in tool_uses.EDITING_TOOLS:
        return None
    before = before.replace("\r\n", "\n")
    fields = {key: value for key, value in tool_input.items() if value is not None}
    if "*** " not in hook_event.text_field(fields, "command"):
        fields.pop("command", None)  # an act, not a patch
    kind, value = _only_field(fields)
    if fields.get("EmptyFile") or (tool in _WHOLE_TOOLS and kind is not _WHOLE):
        return None
    if kind is _PATCHES and isinstance(value, str):
        return _apply_patch(value, before)
    if kind is not _LISTS:
        return _apply_edit(fields, before)
    text: str | None = before
    for part in value if isinstance(value, list) else (None,):
        if text is None or not isinstance(part, dict):
            return None
        text = _apply_edit(part, text)
    return text


def _only_field(edit: hook_event.Payload) -> tuple[tuple[str, ...], object]:
    """Return the kind and value of the field that says how an edit is written; no kind where fields
    of several kinds are there, or several of one, as clients differ in which they read.
    """
    fields = [(kind, edit[name]) for kind in _KINDS for name in kind if name in edit]
    return fields[0] if len(fields) == 1 else ((), None)


def _apply_edit(edit: hook_event.Payload, before: str) -> str | None:
    kind, value = _only_field(edit)
    texts = [edit[name] for name in dict.fromkeys(_INSERTED) if name in edit]
    if kind is _WHOLE and not texts:
        return value if isinstance(value, str) else None
    new = texts[0] if len(texts) == 1 else None
    if not isinstance(new, str):
        return None
    if kind is _OLD and isinstance(value, str):
        whole = any(edit.get(name) is True for name in _ALL)
        return _replace_text(before, value, new, everywhere=whole)
    lines = before.split("\n")
    if kind is not _LINE or not isinstance(value, int) or not 0 <= value <= len(lines):
        return None
    return "\n".join((*lines[:value], new.removesuffix("\n"), *lines[value:]))


def _apply_patch(patch: str, before: str) -> str | None:
    """Return a text after a patch of one file in the notation of Codex."""
    if patch.count("\n*** ") != 2 or _FILE_MARK not in patch:
        return None
    text: str | None = f"\n{before}\n"
    for old, new in _patch_hunks(patch):
        if text is not None and old != new:
            text = _replace_text(text, f"\n{old}\n", f"\n{new}\n")
    return None if text is None else text[1:-1]


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
