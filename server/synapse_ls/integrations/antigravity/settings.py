"""The settings of Google Antigravity: its hook files, events and MCP servers.

A file with a mistake is ignored silently. PreToolUse is never registered: an empty answer there
denies the tool.

Source: the hooks guide that comes with its command line.
"""

from functools import partial

from synapse_ls.integrations import client_settings, hook_commands
from synapse_ls.integrations.settings_syntax import find_off_switches

CLIENT = client_settings.Client(
    name="antigravity",
    title="Antigravity",
    places=(
        client_settings.SettingsPlace(client_settings.PROJECT, ".agents/hooks.json"),
        client_settings.SettingsPlace(client_settings.USER, "config/hooks.json"),
    ),
    user_folder=client_settings.UserFolder(".gemini"),
    events=("PreInvocation",),
    hook_entry=lambda event, scope: hook_commands.command_hook(
        hook_commands.hook_command(
            "antigravity", event, scope, windows=hook_commands.POWERSHELL_SHELL
        ),
        client_settings.TIMEOUT,
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
        client_settings.SettingsPlace(client_settings.PROJECT, f"{folder}/hooks.json")
        for folder in (".agent", "_agents", "_agent")
    ),
    constants={"enabled": True},
    find_troubles=partial(find_off_switches, path=("synapse", "enabled"), when=False),
    signs=(".agents", ".agent", "_agents", "_agent"),
    programs=("agy",),
    servers=client_settings.Servers(
        (client_settings.SettingsPlace(client_settings.PROJECT, ".agents/mcp_config.json"),),
        hook_commands.server_command,
    ),
    server_hint="add the server in its settings",
)
