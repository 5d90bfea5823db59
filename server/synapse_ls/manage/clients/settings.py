"""Settings files of clients: what hooks they register, and which of these are ours."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.manage.clients.client import RELAXED, STRICT, Client, Surroundings, shown
from synapse_ls.manage.clients.commands import is_hook
from synapse_ls.manage.clients.registry import CLIENTS
from synapse_ls.manage.plan import ManageError
from synapse_ls.text.json import JsonError
from synapse_ls.text.jsonc import Document, Element, Node, parse
from synapse_ls.text.lines import LineIndex

_BOM = b"\xef\xbb\xbf"
_TIMEOUT_KEYS = ("timeout", "timeoutSec")
# The keys that hold a command line: one for all, or one for each shell or system.
_COMMAND_KEYS = ("command", "bash", "powershell", "windows", "linux", "osx", "commandWindows")


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook in a settings file.

    event: the client's name for it. path: the containers that it stands in, the event's list
    first, each with the element of it that leads to the hook. commands: its command lines by key.
    """

    event: str
    path: tuple[tuple[Node, Element], ...]
    commands: tuple[tuple[str, str], ...]

    @property
    def ours(self) -> bool:
        """Whether it calls the hook of Synapse LS."""
        return any(is_hook(command) for _, command in self.commands)

    @property
    def command(self) -> str:
        """The command line for this system."""
        wanted = (
            ("windows", "powershell", "commandWindows") if os.name == "nt" else ("bash", "linux")
        )
        lines = dict(self.commands)
        return next((lines[key] for key in (*wanted, *_COMMAND_KEYS) if key in lines), "")

    @property
    def timeout(self) -> float | None:
        """How long the client waits for it, in the client's unit; None where that is not said."""
        settings = self.path[-1][1].node.value
        said = (settings.get(key) for key in _TIMEOUT_KEYS)
        return next((n for n in said if isinstance(n, int | float) and n > 0), None)

    @property
    def offset(self) -> int:
        """Where its first command line stands."""
        member = self.path[-1][1].node.get(self.commands[0][0])
        return member.start if member is not None else self.path[-1][1].start


@dataclass(frozen=True, slots=True)
class Registration:
    """A hook of ours in a settings file: which client calls it where. ``line`` counts from 1.
    timeout: the seconds that the client waits for it, None where the settings do not say."""

    client: str
    scope: str
    file: Path
    name: str
    line: int
    event: str
    command: str
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class File:
    """The content of a settings file. bom: whether a byte order mark stands before ``text``."""

    path: Path
    text: str
    bom: bool

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        return _BOM * self.bom + self.text.encode()

    def with_text(self, text: str) -> File:
        """The file with another content."""
        return File(self.path, text, self.bom)


def read(path: Path, name: str) -> File | None:
    """The settings file at ``path``, None where there is none. ManageError where it is not text."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ManageError(f"Cannot read {name}: {reason}.", "Look at the file.") from error
    bom = data.startswith(_BOM)
    try:
        return File(path, data[len(_BOM) * bom :].decode(), bom)
    except UnicodeDecodeError as error:
        raise ManageError(
            f"{name} is not UTF-8 (byte {error.start}), so nothing was written.",
            "Save it as UTF-8 first.",
        ) from error


def document(client: Client, text: str, name: str) -> Document:
    """The settings in ``text``; ManageError with the place where the client could not read them."""
    try:
        found = parse(text)
    except JsonError as error:
        said = str(error).partition(" at character ")[0].lower()
        raise _broken(client, name, text, error.offset, said) from error
    if client.syntax == STRICT and found.comments:
        raise _broken(client, name, text, found.comments[0].start, "it takes no comments")
    if client.syntax != RELAXED and found.trailing:
        said = "it takes no comma behind the last element"
        raise _broken(client, name, text, found.trailing[0], said)
    return found


def place_of(text: str, offset: int) -> str:
    """``:line:column`` of an offset, from 1."""
    line, column = LineIndex(text).position(offset)
    return f":{line + 1}:{column + 1}"


def _broken(client: Client, name: str, text: str, offset: int, said: str) -> ManageError:
    return ManageError(
        f"{name}{place_of(text, offset)} is no JSON that {client.title} reads: {said}.",
        "Mend the file; nothing was written.",
    )


def hooks(client: Client, found: Document) -> Iterator[Hook]:
    """Every command hook that the settings register."""
    table: Node | None = found.root
    for key in client.table:
        member = table.get(key) if table is not None else None
        table = member.node if member is not None else None
    for event in table.elements if table is not None and isinstance(table.value, dict) else ():
        if isinstance(event.node.value, list):
            yield from _hooks_of(event.key, event.node)


def _hooks_of(event: str, entries: Node) -> Iterator[Hook]:
    for entry in entries.elements:
        if not isinstance(entry.node.value, dict):
            continue
        inner = entry.node.get("hooks")
        if inner is None:
            yield from _hook(event, ((entries, entry),))
        elif isinstance(inner.node.value, list):
            for element in inner.node.elements:
                yield from _hook(event, ((entries, entry), (inner.node, element)))


def _hook(event: str, path: tuple[tuple[Node, Element], ...]) -> Iterator[Hook]:
    settings = path[-1][1].node.value
    if not isinstance(settings, dict):
        return
    commands = tuple(
        (key, settings[key]) for key in _COMMAND_KEYS if isinstance(settings.get(key), str)
    )
    if commands:
        yield Hook(event, path, commands)


def registrations(around: Surroundings, client: Client) -> Iterator[Registration]:
    """The hooks of ours in a client's settings; a file that it could not read registers nothing."""
    for place in client.places:
        file = client.file(place.scope, around)
        assert file is not None
        found = None if client.is_of_user(place, around) else readable(client, file)
        if found is None:
            continue
        lines = LineIndex(found.text)
        for hook in hooks(client, found):
            if hook.ours:
                line = lines.line_of(hook.offset) + 1
                name = shown(file, around)
                wait = None if hook.timeout is None else hook.timeout / client.second
                yield Registration(
                    client.name, place.scope, file, name, line, hook.event, hook.command, wait
                )


def readable(client: Client, file: Path) -> Document | None:
    """A settings file, None where it is not there or not readable for the client."""
    try:
        found = read(file, str(file))
        return None if found is None else document(client, found.text, str(file))
    except ManageError:
        return None


def registered(root: str, *, home: str = "") -> tuple[str, ...]:
    """The settings files that register the hook with any client, the project's before the user's."""
    around = Surroundings(Path(root), Path(home or Path.home()))
    return tuple(
        shown(file, around)
        for file, client in _files(around).items()
        if (found := readable(client, file)) and any(hook.ours for hook in hooks(client, found))
    )


def hook_troubles(root: str, *, home: str = "") -> tuple[str, ...]:
    """Why a client could not call the hook, a sentence each: settings that it could not read, and
    commands whose interpreter or script is not there."""
    around = Surroundings(Path(root), Path(home or Path.home()))
    told: dict[str, None] = {}
    for file, client in _files(around).items():
        name = shown(file, around)
        try:
            found = read(file, name)
            settings = document(client, found.text, name) if found and found.text.strip() else None
        except ManageError as error:
            told[error.sentence.removesuffix(".").replace(", so nothing was written", "")] = None
            continue
        for hook in hooks(client, settings) if settings else ():
            for word in absent(hook.command, root) if hook.ours else ():
                told[f"the hook in {name} calls {word}, which does not exist"] = None
    return tuple(told)


def _files(around: Surroundings) -> dict[Path, Client]:
    """The settings files that exist, with a client that reads them; those of projects first."""
    found: dict[Path, Client] = {}
    pairs = [(place, client) for client in CLIENTS.values() for place in client.places]
    for place, client in sorted(pairs, key=lambda pair: pair[0].scope == "user"):
        file = client.file(place.scope, around)
        if file is not None and file.is_file():
            found.setdefault(file, client)
    return found


def absent(command: str, root: str) -> Iterator[str]:
    """The interpreter and the script of a hook's command line, where they do not exist.

    A shared line looks for ``synapse`` by itself and does without.
    """
    if "||" in command or "Get-Command" in command:
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
