"""This module finds hooks of others on the same prompts: the original engine, CARL, and any
else.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from synapse_ls.formats.toml_document import key_positions
from synapse_ls.integrations.client_definition import Client, Surroundings, Trouble, shown_path
from synapse_ls.integrations.hook_commands import (
    is_carl_command,
    is_engine_command,
    is_hook_command,
)
from synapse_ls.integrations.settings_files import find_hooks, readable_settings
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.vscode import settings
from synapse_ls.text.line_index import LineIndex

_PROMPTS = {client.prompt for client in CLIENTS.values()} | {"UserPromptSubmit"}


@dataclass(frozen=True, slots=True)
class RivalHook:
    """A hook of somebody else on the same prompt. ``line`` counts from 1."""

    file: Path
    name: str
    line: int
    event: str
    command: str

    @property
    def is_engine(self) -> bool:
        """Tells whether it tells the rules of the same tree, or of the one that it was made
        from.
        """
        return is_engine_command(self.command) or is_carl_command(self.command)


def find_rivals(client: Client, around: Surroundings) -> Iterator[RivalHook]:
    """Yields the hooks of others that the client runs for a prompt."""
    for file, reader in _hook_files(client, around).items():
        name = shown_path(file, around)
        for event, command, line in (
            _toml_hooks(file) if file.suffix == ".toml" else _json_hooks(reader, file)
        ):
            if event in _PROMPTS and not is_hook_command(command):
                yield RivalHook(file, name, line, event, command)


def _json_hooks(reader: Client, file: Path) -> Iterator[tuple[str, str, int]]:
    """Yields event, command and line of each hook in a file of JSON."""
    found = readable_settings(reader, file)
    if found is None:
        return
    lines = LineIndex(found.text)
    sets = [(one.key,) for one in found.root.elements] if reader.named_sets else [reader.table]
    for table in sets:
        for hook in find_hooks(replace(reader, table=table), found):
            yield hook.event, hook.command, lines.line_of(hook.offset) + 1


def _toml_hooks(file: Path) -> Iterator[tuple[str, str, int]]:
    """Yields event, command and line of each hook in a file of TOML: ``[[hooks.EVENT.hooks]]``."""
    try:
        text = file.read_text("utf-8")
        tomllib.loads(text)
    except (OSError, ValueError):
        return
    lines = LineIndex(text)
    for path, place in key_positions(text).items():
        if path[:1] == ("hooks",) and path[-1] == "command" and isinstance(path[1], str):
            command = tomllib.loads(f"c = {text[place.value.start : place.value.end]}")["c"]
            yield path[1], str(command), lines.line_of(place.key.start) + 1


def rival_troubles(client: Client, found: Iterable[RivalHook]) -> Iterator[Trouble]:
    """Yields a trouble for each rival that tells the same as ours, and for those that may take
    its place.
    """
    for rival in found:
        place = f"{rival.name}:{rival.line}"
        if rival.is_engine:
            what = "CARL's hook" if is_carl_command(rival.command) else "the original engine"
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
        elif not client.hears_all_hooks:
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
