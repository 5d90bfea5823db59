"""The settings of Google Antigravity: its hook files, events and MCP servers.

A mistake in the file, and the whole file is dropped without a word. PreToolUse is never
registered: an empty answer there denies the tool.

Source: the hooks guide that its command line brings along.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from synapse_ls.integrations import settings_files
from synapse_ls.integrations.client_definition import (
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
from synapse_ls.integrations.hook_commands import (
    POWERSHELL_SHELL,
    command_hook,
    hook_command,
    server_command,
)


def _hook_entry(event: str, scope: str) -> dict[str, Any]:
    return command_hook(
        hook_command("antigravity", event, scope, windows=POWERSHELL_SHELL), TIMEOUT
    )


def _prompt_payload(root: str, prompt: str) -> dict[str, Any]:
    return {"workspacePaths": [root], "transcriptPath": "", "invocationNum": 1, "prompt": prompt}


def _find_troubles(around: Surroundings) -> Iterator[Trouble]:
    for place in CLIENT.places:
        file = CLIENT.path_of(place, around)
        path = (*CLIENT.table, "enabled")
        yield from settings_files.find_off_switch(CLIENT, file, around, path, when=False)


CLIENT = Client(
    name="antigravity",
    title="Antigravity",
    places=(SettingsPlace(PROJECT, ".agents/hooks.json"), SettingsPlace(USER, "config/hooks.json")),
    user_folder=UserFolder(".gemini"),
    events=("PreInvocation",),
    prompt="PreInvocation",
    hook_entry=_hook_entry,
    prompt_payload=_prompt_payload,
    table=("synapse",),
    named_sets=True,
    foreign_places=tuple(
        SettingsPlace(PROJECT, f"{folder}/hooks.json") for folder in (".agent", "_agents", "_agent")
    ),
    constants={"enabled": True},
    find_troubles=_find_troubles,
    signs=(".agents", ".agent", "_agents", "_agent"),
    programs=("agy",),
    servers=Servers((SettingsPlace(PROJECT, ".agents/mcp_config.json"),), server_command),
    server_hint="add the server in its settings",
)
