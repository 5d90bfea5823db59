"""The settings of Google Antigravity: its hook files, events and MCP servers.

A mistake in the file, and the whole file is dropped without a word. PreToolUse is never
registered: an empty answer there denies the tool.

Source: the hooks guide that its command line brings along.
"""

from __future__ import annotations

from functools import partial

from synapse_ls.integrations.client_definition import (
    PROJECT,
    TIMEOUT,
    USER,
    Client,
    Servers,
    SettingsPlace,
    UserFolder,
)
from synapse_ls.integrations.hook_commands import (
    POWERSHELL_SHELL,
    command_hook,
    hook_command,
    server_command,
)
from synapse_ls.integrations.settings_files import find_off_switches

CLIENT = Client(
    name="antigravity",
    title="Antigravity",
    places=(SettingsPlace(PROJECT, ".agents/hooks.json"), SettingsPlace(USER, "config/hooks.json")),
    user_folder=UserFolder(".gemini"),
    events=("PreInvocation",),
    hook_entry=lambda event, scope: command_hook(
        hook_command("antigravity", event, scope, windows=POWERSHELL_SHELL), TIMEOUT
    ),
    prompt_payload={
        "workspacePaths": ["{root}"],
        "transcriptPath": "",
        "invocationNum": 1,
        "prompt": "{text}",
    },
    table=("synapse",),
    named_sets=True,
    foreign_places=tuple(
        SettingsPlace(PROJECT, f"{folder}/hooks.json") for folder in (".agent", "_agents", "_agent")
    ),
    constants={"enabled": True},
    find_troubles=partial(find_off_switches, path=("synapse", "enabled"), when=False),
    signs=(".agents", ".agent", "_agents", "_agent"),
    programs=("agy",),
    servers=Servers((SettingsPlace(PROJECT, ".agents/mcp_config.json"),), server_command),
    server_hint="add the server in its settings",
)
