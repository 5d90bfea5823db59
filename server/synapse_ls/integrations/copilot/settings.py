"""The settings of GitHub Copilot CLI and of the cloud agent, which reads the project's file only.

With a ``version`` and Copilot's names of events, one file serves Copilot CLI, the cloud agent and
both agents of VS Code; each shell has a key.

Source: the GitHub Copilot hooks reference, the VS Code hooks reference.
"""

import os
from collections.abc import Iterator
from typing import Any

from synapse_ls.integrations import hook_commands
from synapse_ls.integrations.client_settings import (
    LOCAL,
    PROJECT,
    TIMEOUT,
    USER,
    Client,
    Servers,
    SettingsPlace,
    Surroundings,
    Trouble,
    UserFolder,
)
from synapse_ls.integrations.settings_syntax import find_off_switches

COPILOT_FOLDER = UserFolder(".copilot", "COPILOT_HOME")
COPILOT_FILES = (
    SettingsPlace(PROJECT, ".github/hooks/synapse.json", {"version": 1}, is_ours=True),
    SettingsPlace(USER, "hooks/synapse.json", {"version": 1}, is_ours=True),
)
# VS Code reads the names of Copilot, but of two events only its own, which both know.
COPILOT_EVENTS = (
    "sessionStart", "userPromptSubmitted", "SubagentStart", "postToolUse", "PreCompact",
    "sessionEnd",
)  # fmt: skip
COPILOT_TOOL_EVENTS = ("preToolUse",)


def copilot_hook_entry(event: str, scope: str) -> dict[str, Any]:
    """Return an element of an event's list in Copilot's settings, with a key for each shell."""
    lines = {}
    if scope == PROJECT or os.name != "nt":
        lines["bash"] = hook_commands.hook_command("copilot", event, scope)
    if scope == PROJECT:
        lines["powershell"] = hook_commands.powershell_command("copilot", event)
    elif os.name == "nt":
        lines["powershell"] = hook_commands.hook_command(
            "copilot", event, scope, windows=hook_commands.POWERSHELL_SHELL
        )
    return {"type": "command", **lines, "timeoutSec": TIMEOUT}


def _find_troubles(client: Client, around: Surroundings) -> Iterator[Trouble]:
    project, user = COPILOT_FILES
    home = COPILOT_FOLDER.resolve(around.home)
    files = (
        around.root / project.path,
        around.root / ".github/copilot/settings.json",
        around.root / ".github/copilot/settings.local.json",
        home / user.path,
        home / "settings.json",
        home / "config.json",
    )
    return find_off_switches(client, around, ("disableAllHooks",), when=True, files=files)


CLIENT = Client(
    name="copilot",
    title="GitHub Copilot CLI",
    places=(
        COPILOT_FILES[0],
        SettingsPlace(LOCAL, ".github/copilot/settings.local.json"),
        COPILOT_FILES[1],
    ),
    foreign_places=(
        SettingsPlace(PROJECT, ".github/copilot/settings.json"),
        SettingsPlace(USER, "settings.json"),
    ),
    user_folder=COPILOT_FOLDER,
    events=COPILOT_EVENTS,
    hook_entry=copilot_hook_entry,
    closed_entry=hook_commands.close_entry,
    prompt_payload={"timestamp": 1767225600000, "cwd": "{root}", "prompt": "{text}"},
    tool_events=COPILOT_TOOL_EVENTS,
    tool_payload={
        "timestamp": 1767225600000,
        "cwd": "{root}",
        "toolName": "bash",
        "toolArgs": {"command": "{text}"},
    },
    signs=(".github/copilot", ".github/hooks", ".github/agents", ".github/lsp.json"),
    programs=("copilot",),
    variables=("COPILOT_CLI",),
    environment={"COPILOT_CLI": "1", "COPILOT_PROJECT_DIR": "{root}"},
    hears_all_hooks=False,
    find_troubles=_find_troubles,
    servers=Servers(
        (SettingsPlace(PROJECT, ".mcp.json"), SettingsPlace(USER, "mcp-config.json")),
        # The file of a project is Claude Code's as well; in the user's tools have to be allowed.
        lambda scope: (
            hook_commands.server_entry(scope) | ({"tools": ["*"]} if scope == USER else {})
        ),
    ),
    language_servers=Servers(
        (SettingsPlace(PROJECT, ".github/lsp.json"),),
        # The empty extension stands for files without one; the server passes over those of no tree.
        lambda scope: {
            **hook_commands.server_command(scope, "serve", "--stdio"),
            "fileExtensions": {"": "synapse"},
        },
        ("lspServers",),
    ),
)
