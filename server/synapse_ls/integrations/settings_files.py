"""This module reads and parses settings files of agent clients, and finds the hooks in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from synapse_ls.formats.toml_document import load_toml
from synapse_ls.integrations.client_definition import (
    CUT_COMMENTS,
    RELAXED,
    STRICT,
    TOML,
    Client,
)
from synapse_ls.integrations.hook_commands import is_hook_command
from synapse_ls.integrations.other_engines import engine_title
from synapse_ls.integrations.plugin_settings import blank_code, holds_settings
from synapse_ls.integrations.settings_entries import is_tool_hook
from synapse_ls.integrations.toml_settings import build_hook_tree
from synapse_ls.text.fast_json import JsonError, loads
from synapse_ls.text.jsonc_tree import (
    BLOCK_COMMENT,
    LINE_COMMENT,
    JsoncDocument,
    JsonElement,
    JsonNode,
    parse_jsonc,
)
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.regular_files import read_whole

_BOM = b"\xef\xbb\xbf"
_LINE_MARK, _COMMENT_MARK = re.compile("//"), re.compile(r"//|/\*")
COMMAND_KEYS = ("command", "bash", "powershell", "windows", "linux", "osx", "commandWindows")
"""The keys that hold a command line: one for all, or one for each shell or system."""
_TIMEOUT_KEYS = ("timeout", "timeoutSec")


@dataclass(frozen=True, slots=True)
class SettingsHook:
    """A SettingsHook is a hook in a client's settings file that runs a command or calls our tool.

    event: the client's name for it. path: the containers that it stands in, the event's list
    first, each with the element of it that leads to the hook. commands: its command lines by
    key, none where it calls the tool.
    """

    event: str
    path: tuple[tuple[JsonNode, JsonElement], ...]
    commands: tuple[tuple[str, str], ...]

    @property
    def calls_tool(self) -> bool:
        """Tells whether it calls the tool of our hook server."""
        return is_tool_hook(self.path[-1][1].node.value)

    @property
    def is_ours(self) -> bool:
        """Tells whether it calls the hook of Synapse LS."""
        return self.calls_tool or any(is_hook_command(command) for _, command in self.commands)

    @property
    def engine(self) -> str:
        """Returns which other engine it belongs to, as sentences name it; "" for none."""
        name = self.path[-1][1].node.value.get("name")
        titles = (engine_title(line, name if isinstance(name, str) else "") for line in self.lines)
        return next((title for title in titles if title), "")

    @property
    def lines(self) -> tuple[str, ...]:
        """Returns its command lines, whatever shell they are for."""
        return tuple(command for _, command in self.commands)

    @property
    def command(self) -> str:
        """Returns the command line for this system, "" for none."""
        wanted = (
            ("windows", "powershell", "commandWindows") if os.name == "nt" else ("bash", "linux")
        )
        lines = dict(self.commands)
        return next((lines[key] for key in (*wanted, *COMMAND_KEYS) if key in lines), "")

    @property
    def timeout(self) -> float | None:
        """Returns how long the client waits for it, in the client's unit; None where that is not
        said.
        """
        settings = self.path[-1][1].node.value
        said = (settings.get(key) for key in _TIMEOUT_KEYS)
        return next((n for n in said if isinstance(n, int | float) and n > 0), None)

    @property
    def offset(self) -> int:
        """Returns where its first command line stands, or the name of the server that it calls."""
        key = self.commands[0][0] if self.commands else "server"
        member = self.path[-1][1].node.get(key)
        return member.start if member is not None else self.path[-1][1].start


@dataclass(frozen=True, slots=True)
class SettingsText:
    """A SettingsText is the content of a client's settings file. bom: whether a byte order mark
    stands before ``text``.
    """

    path: Path
    text: str
    bom: bool

    @property
    def data(self) -> bytes:
        """Returns the bytes of the file."""
        return _BOM * self.bom + self.text.encode()

    def with_text(self, text: str) -> SettingsText:
        """Returns the file with another content."""
        return SettingsText(self.path, text, self.bom)


def read_settings(path: Path, name: str) -> SettingsText | None:
    """Returns the settings file at ``path``, None where there is none. Raises EditError where
    it is not text.
    """
    try:
        data = read_whole(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise EditError(f"Cannot read {name}: {reason}.", "Look at the file.") from error
    bom = data.startswith(_BOM)
    try:
        return SettingsText(path, data[len(_BOM) * bom :].decode(), bom)
    except UnicodeDecodeError as error:
        raise EditError(
            f"{name} is not UTF-8 (byte {error.start}), so nothing was written.",
            "Save it as UTF-8 first.",
        ) from error


def parse_settings(client: Client, text: str, name: str) -> JsoncDocument:
    """Returns the settings in the ``text`` of a settings file or a plugin; raises EditError, with
    the place, where the client could not read them.
    """
    if client.syntax == TOML:
        return _parse_tables(text, name)
    has_plugin = any(place.plugin for place in client.places)
    try:
        found = replace(parse_jsonc(blank_code(text) if has_plugin else text), text=text)
    except JsonError as error:
        if has_plugin:
            check_plugin(text, name)
        raise _syntax_error(client, name, text, error.offset, error.what) from error
    if client.syntax == STRICT and found.comments:
        raise _syntax_error(client, name, text, found.comments[0].start, "it takes no comments")
    if client.syntax != RELAXED and found.trailing_commas:
        said = "it takes no comma behind the last element"
        raise _syntax_error(client, name, text, found.trailing_commas[0], said)
    if client.syntax == CUT_COMMENTS:
        _check_cut_comments(client, name, found)
    return found


def check_plugin(text: str, name: str) -> None:
    """Raises EditError where a plugin is not one of ours."""
    if text.strip() and not holds_settings(text):
        raise EditError(
            f"{name} is a plugin of somebody else's, so nothing was written.",
            "Give that file another name.",
        )


def _check_cut_comments(client: Client, name: str, found: JsoncDocument) -> None:
    """Raises EditError where something else is left once everything that looks like a comment is cut
    out, other than in texts.
    """
    text = found.text
    # One line is cut after the other, and blocks last; so that is the order in which they do harm.
    order = {"//": 0, "/*": 1}
    false = min(_find_false_comments(found), key=lambda mark: order[mark[0]], default=None)
    if false is None:
        return
    try:
        left = loads(BLOCK_COMMENT.sub("", LINE_COMMENT.sub("", text)))
    except JsonError:
        left = None
    if _without_texts(left) != _without_texts(found.root.value):
        said = f"it takes this {false[0]} for a comment"
        if not any(comment.contains(false.start()) for comment in found.comments):
            said += f" (in a text, \\{false[0][0]}\\{false[0][1]} is none)"
        raise _syntax_error(client, name, text, false.start(), said)


def _without_texts(value: Any) -> Any:
    """Returns a value of JSON with every text in it empty, but for the keys."""
    if isinstance(value, dict):
        return {key: _without_texts(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_without_texts(item) for item in value]
    return "" if isinstance(value, str) else value


def _find_false_comments(found: JsoncDocument) -> Iterator[re.Match[str]]:
    """Yields what looks like the beginning of a comment in a text, or of a line inside a block."""
    at = 0
    for comment in (*found.comments, Span(len(found.text), len(found.text))):
        yield from _COMMENT_MARK.finditer(found.text, at, comment.start)
        if found.text.startswith("/*", comment.start):
            yield from _LINE_MARK.finditer(found.text, comment.start + 2, comment.end)
        at = comment.end


def _parse_tables(text: str, name: str) -> JsoncDocument:
    settings, problem = load_toml(text, "The file", "nothing is read")
    if problem is None:
        return build_hook_tree(text, settings)
    said = problem.message.removesuffix(", so nothing is read.")
    raise EditError(
        f"{name}{line_and_column(text, problem.span.start)} cannot be read as TOML: "
        f"{said[:1].lower()}{said[1:]}.",
        "Mend the file; nothing was written.",
    )


def line_and_column(text: str, offset: int) -> str:
    """Returns ``:line:column``, from 1, of an offset in a settings file."""
    line, column = LineIndex(text).position(offset)
    return f":{line + 1}:{column + 1}"


def _syntax_error(client: Client, name: str, text: str, offset: int, said: str) -> EditError:
    return EditError(
        f"{name}{line_and_column(text, offset)} is no JSON that {client.title} reads: {said}.",
        "Mend the file; nothing was written.",
    )


def find_hooks(
    client: Client, found: JsoncDocument, *, with_replaced: bool = False
) -> Iterator[SettingsHook]:
    """Yields every hook that a settings file registers and that runs a command or calls our tool.

    with_replaced: also those of an event that stands there again; readers take the last one.
    """
    table: JsonNode | None = found.root
    for key in client.table:
        member = table.get(key) if table is not None else None
        table = member.node if member is not None else None
    if table is None or not isinstance(table.value, dict):
        return
    for event in table.elements if with_replaced else table.members:
        if isinstance(event.node.value, list):
            yield from _hooks_in_list(event.key, event.node)


def _hooks_in_list(event: str, entries: JsonNode) -> Iterator[SettingsHook]:
    for entry in entries.elements:
        if not isinstance(entry.node.value, dict):
            continue
        inner = entry.node.get("hooks")
        if inner is None:
            yield from _command_hook(event, ((entries, entry),))
        elif isinstance(inner.node.value, list):
            for element in inner.node.elements:
                yield from _command_hook(event, ((entries, entry), (inner.node, element)))


def _command_hook(
    event: str, path: tuple[tuple[JsonNode, JsonElement], ...]
) -> Iterator[SettingsHook]:
    settings = path[-1][1].node.value
    if not isinstance(settings, dict):
        return
    commands = tuple(
        (key, settings[key]) for key in COMMAND_KEYS if isinstance(settings.get(key), str)
    )
    if commands or is_tool_hook(settings):
        yield SettingsHook(event, path, commands)


def readable_settings(client: Client, file: Path) -> JsoncDocument | None:
    """Returns a settings file, None where it is not there or not readable for the client."""
    try:
        found = read_settings(file, str(file))
        return None if found is None else parse_settings(client, found.text, str(file))
    except EditError:
        return None
