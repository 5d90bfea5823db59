"""GitHub Copilot CLI, and Copilot's agent in the cloud, which reads the project's file only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from synapse_ls.manage.clients import github, switches
from synapse_ls.manage.clients.client import (
    LOCAL,
    PROJECT,
    USER,
    Client,
    Place,
    Servers,
    Surroundings,
    Trouble,
)
from synapse_ls.manage.clients.commands import language_server_command
from synapse_ls.manage.clients.shapes import server_entry


def _payload(root: str, prompt: str) -> dict[str, Any]:
    return {"timestamp": 1767225600000, "cwd": root, "prompt": prompt}


def _announce(root: str, command: str) -> dict[str, Any]:
    used = {"toolName": "bash", "toolArgs": {"command": command}}
    return {"timestamp": 1767225600000, "cwd": root, **used}


def _switches(around: Surroundings) -> Iterator[Trouble]:
    project, user = github.FILES
    home = github.HOME.folder(around.home)
    for file in (
        around.root / project.path,
        around.root / ".github/copilot/settings.json",
        around.root / ".github/copilot/settings.local.json",
        home / user.path,
        home / "settings.json",
        home / "config.json",
    ):
        yield from switches.off(CLIENT, file, around, ("disableAllHooks",), when=True)


def _server(scope: str) -> dict[str, Any]:
    # The file of a project is Claude Code's as well; in that of the user tools have to be allowed.
    return server_entry(scope) | ({"tools": ["*"]} if scope == USER else {})


def _language_server(scope: str) -> dict[str, Any]:
    # The empty extension stands for files without one; the server passes over those of no tree.
    return {**language_server_command(scope), "fileExtensions": {"": "synapse"}}


CLIENT = Client(
    name="copilot",
    title="GitHub Copilot CLI",
    places=(
        github.FILES[0],
        Place(LOCAL, ".github/copilot/settings.local.json"),
        github.FILES[1],
    ),
    also=(Place(PROJECT, ".github/copilot/settings.json"), Place(USER, "settings.json")),
    home=github.HOME,
    events=github.EVENTS,
    prompt=github.PROMPT,
    entry=github.entry,
    payload=_payload,
    before=github.BEFORE,
    announce=_announce,
    signs=(".github/copilot", ".github/hooks", ".github/agents", ".github/lsp.json"),
    programs=("copilot",),
    variables=("COPILOT_CLI",),
    environment={"COPILOT_CLI": "1", "COPILOT_PROJECT_DIR": "{root}"},
    joins=False,
    switches=_switches,
    servers=Servers((Place(PROJECT, ".mcp.json"), Place(USER, "mcp-config.json")), _server),
    languages=Servers((Place(PROJECT, ".github/lsp.json"),), _language_server, ("lspServers",)),
)
