"""This module appends ``[[hooks]]`` tables, and tables with a name, to a TOML text and takes them
out again; every other character stays.

A table is written behind everything else, after an empty line, which goes with it. What comes out is
read again: where it says anything else than it should, nothing is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from synapse_ls.formats.toml_document import MAX_TOML_CHARS
from synapse_ls.integrations.settings_entries import is_server_entry
from synapse_ls.integrations.settings_files import line_and_column
from synapse_ls.integrations.toml_settings import TABLE, find_table_start, load_settings
from synapse_ls.setup.install.json_splice import used_newline
from synapse_ls.text.jsonc_tree import JsonElement
from synapse_ls.workspace.edit_plan import EditError

_ANY_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_EMPTY_LINE = re.compile(r"(?<=\n)\r?\n\Z")


def format_table(values: Mapping[str, Any]) -> str:
    """Returns a TOML table with ``values``, which are texts and numbers, on lines that end in LF."""
    lines = [f"{key} = {_format_value(value)}\n" for key, value in values.items()]
    return "".join((f"[[{TABLE}]]\n", *lines))


def append_table(text: str, table: str, name: str) -> str:
    """Returns a TOML text with ``table``, a whole one, behind all else. Raises EditError where it
    can take none.
    """
    newline = used_newline(text)
    lines = table.replace("\r\n", "\n").rstrip("\n").replace("\n", newline) + newline
    gap = "" if not text else newline if text.endswith("\n") else 2 * newline
    after = f"{text}{gap}{lines}"
    if len(after) > MAX_TOML_CHARS:
        raise EditError(
            f"{name} would be longer than {MAX_TOML_CHARS:,} characters, and what is longer is not read.",
            "Shorten the file; nothing was written.",
        )
    wanted = [*_hooks_in(text), *_hooks_in(lines)]
    if not _says(after, text, wanted):
        raise EditError(
            f"{name}{line_and_column(text, find_table_start(text))}: the hooks are not written as "
            f"[[{TABLE}]] tables, so none can be appended.",
            f"Write each of them as a [[{TABLE}]] table; nothing was written."
            if _hooks_in(text)
            else "Take that line out, since there is no hook in it; nothing was written.",
        )
    return after


def remove_table(text: str, hook: JsonElement, name: str, before: str | None) -> str:
    """Returns a TOML text without the table of ``hook``. Raises EditError where it is none that can
    be taken out.

    before: the text before the first table of ours, None where that is not known.
    """
    end = text.find("\n", hook.end) + 1 or len(text)
    head, tail = _EMPTY_LINE.sub("", text[: hook.start]), text[end:]
    if not tail and before and not before.endswith("\n"):
        # The line break behind the last line of old was ours, unless somebody has gone on there.
        bare = head.removesuffix("\n").removesuffix("\r")
        head = bare if bare.rpartition("\n")[2] == before.rpartition("\n")[2] else head
    hooks = _hooks_in(text)
    kept = [one for one in hooks if one is not hook.node.value]
    if len(kept) == len(hooks):
        kept = _without(hooks, hook.node.value)
    if not _says(head + tail, text, kept):
        raise EditError(
            f"{name}{line_and_column(text, hook.start)}: this hook is not a [[{TABLE}]] table of its own, "
            "so it cannot be taken out.",
            "Take it out by hand; nothing was written.",
        )
    return head + tail


def find_table(text: str, path: tuple[str, ...], name: str) -> tuple[dict[str, Any], int] | None:
    """Returns the table of a TOML text at ``path`` and where it begins, None for none. Raises
    EditError where the text is no TOML.
    """
    found: Any = _load(text, name)
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        return None
    header = _header_of(text, path)
    return found, header.start() if header is not None else 0


def set_table(text: str, path: tuple[str, ...], values: Mapping[str, Any], name: str) -> str:
    """Returns a TOML text with the table ``values`` at ``path``, behind all else where there was
    none. Raises EditError where another one is there that starts no server of ours.
    """
    there = find_table(text, path, name)
    if there is not None and there[0] == values:
        return text
    if there is not None:
        if not is_server_entry(there[0]):
            raise EditError(
                f'{name}{line_and_column(text, there[1])} has another server "{path[-1]}", which stays.',
                "Take it out, or give it another name.",
            )
        text = remove_named_table(text, path, name, None)
    newline = used_newline(text)
    rows = [f"[{'.'.join(path)}]", *(f"{k} = {_format_value(v)}" for k, v in values.items())]
    gap = "" if not text else newline if text.endswith("\n") else 2 * newline
    after = f"{text}{gap}{newline.join(rows)}{newline}"
    found = find_table(after, path, name) if len(after) <= MAX_TOML_CHARS else None
    if found is None or found[0] != values or not _is_same_but(after, text, path):
        raise EditError(
            f"{name}: a table [{'.'.join(path)}] cannot be appended.",
            "Write the servers as tables of their own; nothing was written.",
        )
    return after


def remove_named_table(text: str, path: tuple[str, ...], name: str, before: str | None) -> str:
    """Returns a TOML text without the table at ``path``, and without the empty line before it.
    Raises EditError where it is none that can be taken out.

    before: as for `remove_table`.
    """
    header = _header_of(text, path)
    if header is not None:
        following = _ANY_HEADER.search(text, header.end())
        head = _EMPTY_LINE.sub("", text[: header.start()])
        tail = text[following.start() :] if following is not None else ""
        if not tail and before and not before.endswith("\n"):
            bare = head.removesuffix("\n").removesuffix("\r")
            head = bare if bare.rpartition("\n")[2] == before.rpartition("\n")[2] else head
        if _is_same_but(text, head + tail, path):
            return head + tail
    raise EditError(
        f"{name}: {'.'.join(path)} is not a table of its own, so it cannot be taken out.",
        "Take it out by hand; nothing was written.",
    )


def _header_of(text: str, path: tuple[str, ...]) -> re.Match[str] | None:
    """Returns the line that begins the table at ``path``, as we write it."""
    return re.search(rf"^\[{re.escape('.'.join(path))}\][ \t]*\r?$", text, re.MULTILINE)


def _is_same_but(more: str, less: str, path: tuple[str, ...]) -> bool:
    """Tells whether two texts say the same but for the table at ``path``, which only the first has."""
    try:
        one, other = load_settings(more), load_settings(less)
    except ValueError:
        return False
    _drop_path(one, path)
    return repr(one) == repr(other)


def _drop_path(settings: dict[str, Any], path: tuple[str, ...]) -> None:
    """Takes the value at ``path`` out, and the tables around it that are empty then."""
    key, *rest = path
    if rest and isinstance(settings.get(key), dict):
        _drop_path(settings[key], tuple(rest))
        if settings[key]:
            return
    settings.pop(key, None)


def _load(text: str, name: str) -> dict[str, Any]:
    try:
        return load_settings(text)
    except ValueError as error:
        raise EditError(
            f"{name} cannot be read as TOML: {error}.", "Mend the file; nothing was written."
        ) from error


def _without(hooks: list[Any], value: Any) -> list[Any]:
    at = hooks.index(value)
    return hooks[:at] + hooks[at + 1 :]


def _hooks_in(text: str) -> list[Any]:
    found = load_settings(text).get(TABLE, [])
    return list(found) if isinstance(found, list) else [found]


def _says(after: str, before: str, hooks: list[Any]) -> bool:
    """Tells whether a text says what ``before`` does, but for its hooks, which are ``hooks``."""
    try:
        new, old = load_settings(after), load_settings(before)
    except ValueError:
        return False
    found = new.pop(TABLE, [])
    old.pop(TABLE, None)
    # As texts: a value that is no number equals nothing.
    return repr(found) == repr(hooks) and repr(new) == repr(old)


def _format_value(value: Any) -> str:
    """Returns a value as TOML; a text with quotation marks or backslashes as a literal one, which
    people can read.
    """
    if isinstance(value, list):
        return f"[{', '.join(map(_format_value, value))}]"
    if not isinstance(value, str):
        return json.dumps(value)
    if ('"' in value or "\\" in value) and "'" not in value and value.isprintable():
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
