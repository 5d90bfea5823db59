"""Hooks of others on the same prompts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.manage.clients import vscode
from synapse_ls.manage.clients.client import Client, Surroundings, Trouble, shown
from synapse_ls.manage.clients.commands import is_carl, is_engine
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
        found = readable(reader, file)
        if found is None:
            continue
        lines = LineIndex(found.text)
        for hook in hooks(reader, found):
            if not hook.ours and hook.event in _PROMPTS:
                line = lines.line_of(hook.offset) + 1
                yield Rival(file, shown(file, around), line, hook.event, hook.command)


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
    if client.name == "copilot" or (client.name == "vscode" and vscode.reads_claude_hooks(around)):
        claude = CLIENTS["claude"]
        for place in claude.places:
            file = claude.file(place.scope, around)
            assert file is not None
            found[file] = claude
    return found
