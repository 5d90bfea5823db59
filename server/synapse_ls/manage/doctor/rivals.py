"""Hooks of others on the same prompts."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from synapse_ls.formats.toml_places import places
from synapse_ls.manage.clients import vscode
from synapse_ls.manage.clients.client import Client, Surroundings, Trouble, shown
from synapse_ls.manage.clients.commands import is_carl, is_engine, is_hook
from synapse_ls.manage.clients.registry import CLIENTS
from synapse_ls.manage.clients.settings import hooks, readable
from synapse_ls.text.lines import LineIndex

_PROMPTS = {client.prompt for client in CLIENTS.values()} | {"UserPromptSubmit"}


@dataclass(frozen=True, slots=True)
class Rival:
    """Another hook on the same prompt. ``line`` counts from 1."""

    file: Path
    name: str
    line: int
    event: str
    command: str

    @property
    def is_engine(self) -> bool:
        """Whether it tells the rules of the same tree, or of the one that it was made from."""
        return is_engine(self.command) or is_carl(self.command)


def rivals(client: Client, around: Surroundings) -> Iterator[Rival]:
    """Hooks of others that the client runs for a prompt."""
    for file, reader in _hook_files(client, around).items():
        name = shown(file, around)
        for event, command, line in (
            _tables(file) if file.suffix == ".toml" else _lists(reader, file)
        ):
            if event in _PROMPTS and not is_hook(command):
                yield Rival(file, name, line, event, command)


def _lists(reader: Client, file: Path) -> Iterator[tuple[str, str, int]]:
    """Event, command and line of each hook in a file of JSON."""
    found = readable(reader, file)
    if found is None:
        return
    lines = LineIndex(found.text)
    sets = [(one.key,) for one in found.root.elements] if reader.named_sets else [reader.table]
    for table in sets:
        for hook in hooks(replace(reader, table=table), found):
            yield hook.event, hook.command, lines.line_of(hook.offset) + 1


def _tables(file: Path) -> Iterator[tuple[str, str, int]]:
    """The same of a file of TOML: ``[[hooks.EVENT.hooks]]``."""
    try:
        text = file.read_text("utf-8")
        tomllib.loads(text)
    except (OSError, ValueError):
        return
    lines = LineIndex(text)
    for path, place in places(text).items():
        if path[:1] == ("hooks",) and path[-1] == "command" and isinstance(path[1], str):
            command = tomllib.loads(f"c = {text[place.value.start : place.value.end]}")["c"]
            yield path[1], str(command), lines.line_of(place.key.start) + 1


def troubles(client: Client, found: Iterable[Rival]) -> Iterator[Trouble]:
    """Rivals that tell the same as ours, and those that may take its place."""
    for rival in found:
        place = f"{rival.name}:{rival.line}"
        if rival.is_engine:
            what = "CARL's hook" if is_carl(rival.command) else "the original engine"
            yield Trouble(
                "rival-engine",
                "warning",
                client.name,
                f"{place} runs {what} on the same prompts, so the agent is told the same "
                "rules twice",
                f"Take that entry out of {rival.name}.",
                rival.name,
                rival.line,
            )
        elif not client.joins:
            yield Trouble(
                "rival-hook",
                "warning",
                client.name,
                f"{place} has another hook for prompts; {client.title} hears only the last one that "
                "says something",
                "Take it out if the block does not arrive.",
                rival.name,
                rival.line,
            )


def _hook_files(client: Client, around: Surroundings) -> dict[Path, Client]:
    """The files that the client takes hooks from, with the client that they are written for."""
    found: dict[Path, Client] = {}
    for place in client.places:
        file = client.file(place.scope, around)
        assert file is not None
        for path in sorted(file.parent.glob("*.json")) if place.whole else (file,):
            found[path] = client
    found |= {client.at(place, around): client for place in client.also}
    if client.name == "copilot" or (client.name == "vscode" and vscode.reads_claude_hooks(around)):
        claude = CLIENTS["claude"]
        for place in claude.places:
            file = claude.file(place.scope, around)
            assert file is not None
            found[file] = claude
    return found
