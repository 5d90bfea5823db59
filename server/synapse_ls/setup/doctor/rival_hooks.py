"""This module finds hooks of others on the same prompts: the original engine, CARL, and any
else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from synapse_ls.formats.toml_document import key_positions
from synapse_ls.integrations.client_definition import (
    TOML,
    USER,
    Client,
    Surroundings,
    Trouble,
    shown_path,
)
from synapse_ls.integrations.hook_commands import is_hook_command
from synapse_ls.integrations.other_engines import engine_title
from synapse_ls.integrations.settings_files import find_hooks, readable_settings
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.toml_settings import load_settings
from synapse_ls.integrations.vscode import settings
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.regular_files import read_whole

_PROMPTS = {client.prompt for client in CLIENTS.values()} | {"UserPromptSubmit"}


@dataclass(frozen=True, slots=True)
class RivalHook:
    """A RivalHook is a hook of somebody else on the same prompt, or any of another engine. ``line``
    counts from 1.

    engine: which one, as sentences name it; "" for none. client: whose settings they are; scope:
    theirs, "" where no installation writes there or ours has nothing to do at that event.
    """

    file: Path
    name: str
    line: int
    event: str
    command: str
    engine: str
    client: str
    scope: str

    @property
    def takeover(self) -> str:
        """Returns the command that puts ours in its place, and has it serve the tree here; "" where
        no command does.
        """
        if not self.scope:
            return ""
        if self.scope == USER:
            return f"synapse install --client {self.client} --scope {USER} --replace --trust"
        return f"synapse install --client {self.client} --replace"


def find_rivals(client: Client, around: Surroundings) -> Iterator[RivalHook]:
    """Yields the hooks of others that the client runs for a prompt, and all of other engines."""
    for file, reader in _hook_files(client, around).items():
        name = shown_path(file, around)
        # Tables of another shape than those of a client whose own settings are TOML.
        in_toml = file.suffix == ".toml" and reader.syntax != TOML
        scope = "" if in_toml else _scope_of(reader, file, around)
        found = _toml_hooks(file) if in_toml else _settings_hooks(reader, file)
        for event, command, line, engine in found:
            if engine or (event in _PROMPTS and not is_hook_command(command)):
                where = scope if event in reader.events else ""
                yield RivalHook(file, name, line, event, command, engine, reader.name, where)


def _scope_of(reader: Client, file: Path, around: Surroundings) -> str:
    """Returns the scope of a settings file that installations write, "" for every other file."""
    for place in reader.places:
        if reader.path_of(place, around) == file:
            return USER if reader.is_of_user(place, around) else place.scope
    return ""


def _settings_hooks(reader: Client, file: Path) -> Iterator[tuple[str, str, int, str]]:
    """Yields event, command, line and engine of each hook in the settings of ``reader``."""
    found = readable_settings(reader, file)
    if found is None:
        return
    lines = LineIndex(found.text)
    sets = [(one.key,) for one in found.root.elements] if reader.named_sets else [reader.table]
    for table in sets:
        for hook in find_hooks(replace(reader, table=table), found):
            if not hook.calls_tool:  # which is ours
                yield hook.event, hook.command, lines.line_of(hook.offset) + 1, hook.engine


def _toml_hooks(file: Path) -> Iterator[tuple[str, str, int, str]]:
    """Yields event, command, line and engine of each hook in a file of TOML:
    ``[[hooks.EVENT.hooks]]``.
    """
    try:
        text = read_whole(file).decode()
        load_settings(text)
    except (OSError, ValueError):
        return
    lines = LineIndex(text)
    for path, place in key_positions(text).items():
        if path[:1] == ("hooks",) and path[-1] == "command" and isinstance(path[1], str):
            said = load_settings(f"c = {text[place.value.start : place.value.end]}")["c"]
            command = str(said)
            line = lines.line_of(place.key.start) + 1
            yield path[1], command, line, engine_title(command)


@dataclass(frozen=True, slots=True)
class EngineSite:
    """An EngineSite is another engine whose rival hooks are in one settings file. first: the first
    of its hooks there; lines: where they stand; events: when they are called.
    """

    first: RivalHook
    lines: tuple[int, ...]
    events: tuple[str, ...]

    @property
    def place(self) -> str:
        """Returns the file with the lines."""
        return f"{self.first.name}:{', '.join(map(str, self.lines))}"

    def describe(self, *, beside_ours: bool = True) -> str:
        """Returns what runs there, and what comes of it beside ours, or would."""
        if any(event in _PROMPTS for event in self.events):
            now = "two engines answer the same prompts, and the agent is told rules twice"
            then = "with ours beside it, the agent would be told rules twice"
        else:
            now = "two engines keep notes of the same sessions"
            then = "with ours beside it, two engines would keep notes of the same sessions"
        effect = now if beside_ours else then
        return f"{self.place} runs {self.first.engine} ({', '.join(self.events)}): {effect}"


def find_engine_sites(found: Iterable[RivalHook]) -> list[EngineSite]:
    """Returns the settings files that run rival hooks, those of other engines."""
    files: dict[tuple[str, str], list[RivalHook]] = {}
    for rival in found:
        if rival.engine:
            files.setdefault((rival.name, rival.engine), []).append(rival)
    return [
        EngineSite(
            hooks[0],
            tuple(sorted({rival.line for rival in hooks})),
            tuple(dict.fromkeys(rival.event for rival in hooks)),
        )
        for hooks in files.values()
    ]


def engine_troubles(
    client: Client, found: Iterable[RivalHook], *, beside_ours: bool
) -> Iterator[Trouble]:
    """Yields a trouble for each file with the hook of a rival, another engine."""
    for site in find_engine_sites(found):
        first = site.first
        remedy = (
            f"Run `{first.takeover}`: ours takes their place, and `synapse uninstall` brings them back."
            if first.takeover
            else f"Take that out of {first.name}."
        )
        severity = "error" if beside_ours else "warning"
        said = site.describe(beside_ours=beside_ours)
        yield Trouble("rival-engine", severity, client.name, said, remedy, first.name, first.line)


def rival_troubles(client: Client, found: Iterable[RivalHook]) -> Iterator[Trouble]:
    """Yields a trouble for each file with another engine in it beside ours, and for hooks that may
    take the place of ours.
    """
    rivals = tuple(found)
    yield from engine_troubles(client, rivals, beside_ours=True)
    for rival in rivals:
        if not rival.engine and not client.hears_all_hooks:
            yield Trouble(
                "rival-hook",
                "warning",
                client.name,
                f"{rival.name}:{rival.line} has another hook for prompts; {client.title} hears only the "
                "last one that says something",
                "Take it out if the block does not arrive.",
                rival.name,
                rival.line,
            )


def _hook_files(client: Client, around: Surroundings) -> dict[Path, Client]:
    """Returns the files that the client takes hooks from, with the client that they are written
    for.
    """
    found: dict[Path, Client] = {}
    for place in client.places:
        file = client.file(place.scope, around)
        assert file is not None
        for path in sorted(file.parent.glob("*.json")) if place.is_ours else (file,):
            found[path] = client
    found |= {client.path_of(place, around): client for place in client.foreign_places}
    if client.name == "copilot" or (
        client.name == "vscode" and settings.reads_claude_hooks(around)
    ):
        claude = CLIENTS["claude"]
        for place in claude.places:
            file = claude.file(place.scope, around)
            assert file is not None
            found[file] = claude
    return found
