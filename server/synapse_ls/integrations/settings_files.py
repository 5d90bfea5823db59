"""This module reads settings files of agent clients: what hooks they register, and which are
ours.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from synapse_ls.formats.toml_document import load_toml
from synapse_ls.integrations.client_definition import (
    HOOK_SERVER_NAME,
    RELAXED,
    STRICT,
    TOML,
    Client,
    Surroundings,
    shown_path,
)
from synapse_ls.integrations.hook_commands import (
    engine_title,
    is_hook_command,
    is_tool_hook,
)
from synapse_ls.integrations.plugin_settings import blank_code
from synapse_ls.integrations.registered_lines import COMMAND_KEYS, hook_state, tool_hook_state
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.toml_settings import build_hook_tree
from synapse_ls.integrations.tool_hooks import TOOL_NAME
from synapse_ls.text.fast_json import JsonError
from synapse_ls.text.jsonc_tree import JsoncDocument, JsonElement, JsonNode, parse_jsonc
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.regular_files import read_whole

_BOM = b"\xef\xbb\xbf"
_TIMEOUT_KEYS = ("timeout", "timeoutSec")


@dataclass(frozen=True, slots=True)
class SettingsHook:
    """A hook in a settings file that runs a command or calls our tool.

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
class Registration:
    """A registration is a hook of ours in a settings file: which client calls it where. ``line``
    counts from 1. state: current, outdated or unknown, as `registered_lines` says. timeout: the
    seconds that the client waits for it, None where the settings do not say. calls_tool: whether it
    calls the tool of our hook server, which ``command`` names then.
    """

    client: str
    scope: str
    file: Path
    name: str
    line: int
    event: str
    command: str
    state: str
    timeout: float | None = None
    calls_tool: bool = False


@dataclass(frozen=True, slots=True)
class SettingsText:
    """The content of a settings file. bom: whether a byte order mark stands before ``text``."""

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
    except FileNotFoundError:
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
    """Returns the settings in ``text``, a file of settings or a plugin; raises EditError, with the
    place, where the client could not read them.
    """
    if client.syntax == TOML:
        return _parse_tables(text, name)
    has_plugin = any(place.plugin for place in client.places)
    try:
        found = replace(parse_jsonc(blank_code(text) if has_plugin else text), text=text)
    except JsonError as error:
        said = str(error).partition(" at character ")[0].lower()
        raise _syntax_error(client, name, text, error.offset, said) from error
    if client.syntax == STRICT and found.comments:
        raise _syntax_error(client, name, text, found.comments[0].start, "it takes no comments")
    if client.syntax != RELAXED and found.trailing_commas:
        said = "it takes no comma behind the last element"
        raise _syntax_error(client, name, text, found.trailing_commas[0], said)
    return found


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
    """Returns ``:line:column`` of an offset, from 1."""
    line, column = LineIndex(text).position(offset)
    return f":{line + 1}:{column + 1}"


def _syntax_error(client: Client, name: str, text: str, offset: int, said: str) -> EditError:
    return EditError(
        f"{name}{line_and_column(text, offset)} is no JSON that {client.title} reads: {said}.",
        "Mend the file; nothing was written.",
    )


def find_hooks(client: Client, found: JsoncDocument) -> Iterator[SettingsHook]:
    """Yields every hook that the settings register and that runs a command or calls our tool."""
    table: JsonNode | None = found.root
    for key in client.table:
        member = table.get(key) if table is not None else None
        table = member.node if member is not None else None
    for event in table.elements if table is not None and isinstance(table.value, dict) else ():
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


def find_registrations(around: Surroundings, client: Client) -> Iterator[Registration]:
    """Yields the hooks of ours in a client's settings; a file that it could not read registers
    nothing.
    """
    for place in client.places:
        file = client.file(place.scope, around)
        assert file is not None
        found = None if client.is_of_user(place, around) else readable_settings(client, file)
        if found is None:
            continue
        lines = LineIndex(found.text)
        for hook in find_hooks(client, found):
            if hook.is_ours:
                line = lines.line_of(hook.offset) + 1
                name = shown_path(file, around)
                wait = None if hook.timeout is None else hook.timeout / client.timeout_unit
                if hook.calls_tool:
                    command = f"{HOOK_SERVER_NAME}/{TOOL_NAME}"
                    state = tool_hook_state(client, hook.event, hook.path[0][1].node.value)
                else:
                    command = hook.command
                    state = hook_state(client, hook.event, place.scope, dict(hook.commands))
                said = (hook.event, command, state, wait, hook.calls_tool)
                yield Registration(client.name, place.scope, file, name, line, *said)


def readable_settings(client: Client, file: Path) -> JsoncDocument | None:
    """Returns a settings file, None where it is not there or not readable for the client."""
    try:
        found = read_settings(file, str(file))
        return None if found is None else parse_settings(client, found.text, str(file))
    except EditError:
        return None


def registered_files(root: str, *, home: str = "") -> tuple[str, ...]:
    """Returns the settings files that register the hook with any client, the project's before
    the user's.
    """
    around = Surroundings(Path(root), Path(home or Path.home()))
    return tuple(
        shown_path(file, around)
        for file, client in _existing_files(around).items()
        if (found := readable_settings(client, file))
        and any(hook.is_ours for hook in find_hooks(client, found))
    )


def hook_troubles(root: str, *, home: str = "") -> tuple[str, ...]:
    """Returns why a client could not call the hook, a sentence each: settings that it could not
    read, and commands whose interpreter or script is not there.
    """
    around = Surroundings(Path(root), Path(home or Path.home()))
    told: dict[str, None] = {}
    for file, client in _existing_files(around).items():
        name = shown_path(file, around)
        try:
            found = read_settings(file, name)
            settings = (
                parse_settings(client, found.text, name) if found and found.text.strip() else None
            )
        except EditError as error:
            told[error.sentence.removesuffix(".").replace(", so nothing was written", "")] = None
            continue
        for hook in find_hooks(client, settings) if settings else ():
            called = "" if hook.calls_tool or not hook.is_ours else hook.command
            for word in missing_programs(called, root):
                told[f"the hook in {name} calls {word}, which does not exist"] = None
    return tuple(told)


def _existing_files(around: Surroundings) -> dict[Path, Client]:
    """Returns the settings files that exist, with a client that reads them; those of projects
    first.
    """
    found: dict[Path, Client] = {}
    pairs = [(place, client) for client in CLIENTS.values() for place in client.places]
    for place, client in sorted(pairs, key=lambda pair: pair[0].scope == "user"):
        file = client.file(place.scope, around)
        if file is not None and file.is_file():
            found.setdefault(file, client)
    return found


def missing_programs(command: str, root: str) -> Iterator[str]:
    """Yields the interpreter and the script of a hook's command line, where they do not exist.

    A shared line does without its program.
    """
    if "||" in command or "Get-Command" in command or command.startswith("try {"):
        return
    try:
        words = shlex.split(command.replace("$CLAUDE_PROJECT_DIR", root), posix=os.name != "nt")
    except ValueError:
        return
    for place, quoted_word in enumerate(word for word in words if word != "&"):
        word = quoted_word.strip('"')
        if "$" in word or (place and not word.replace("\\", "/").endswith("synapse_ls/hook.py")):
            continue
        if not (shutil.which(word) if place == 0 else Path(root, word).exists()):
            yield word
