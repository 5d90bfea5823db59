"""The settings of Copilot Chat in VS Code: its own agent, and the one shared with Copilot CLI."""

import os
import sys
from pathlib import Path

from synapse_ls.integrations import client_settings, hook_commands, settings_syntax
from synapse_ls.integrations.copilot import settings

_PRODUCTS = ("Code", "Code - Insiders", "VSCodium")


_COMMON_PAYLOAD = {
    "timestamp": "2026-01-01T00:00:00.000Z",
    "hook_event_name": "UserPromptSubmit",
    "transcript_path": "",
    "cwd": "{root}",
}


def settings_files(around: client_settings.Surroundings) -> tuple[Path, ...]:
    """Return VS Code's settings of the workspace and of the user, the ones that win first."""
    if sys.platform == "darwin":
        base = around.home / "Library/Application Support"
    elif os.name == "nt":
        base = Path(os.environ.get("APPDATA") or around.home / "AppData/Roaming")
    else:
        base = Path(os.environ.get("XDG_CONFIG_HOME") or around.home / ".config")
    users = (base / product / "User/settings.json" for product in _PRODUCTS)
    return (around.root / ".vscode/settings.json", *users)


def reads_claude_hooks(around: client_settings.Surroundings) -> bool:
    """Return whether VS Code also runs what Claude Code's settings register."""
    values = (
        settings_syntax.setting_value(file, ("chat.useClaudeHooks",), around)
        for file in settings_files(around)
    )
    return next((value for value in values if value is not None), False) is True


CLIENT = client_settings.Client(
    name="vscode",
    title="VS Code Copilot Chat",
    places=settings.COPILOT_FILES,
    user_folder=settings.COPILOT_FOLDER,
    events=settings.COPILOT_EVENTS,
    hook_entry=settings.copilot_hook_entry,
    prompt_payload={**_COMMON_PAYLOAD, "prompt": "{text}"},
    tool_events=settings.COPILOT_TOOL_EVENTS,
    tool_payload=client_settings.command_payload(
        _COMMON_PAYLOAD, "run_in_terminal", tool_use_id="1"
    ),
    syntax=client_settings.RELAXED,
    signs=(".vscode", ".github/copilot-instructions.md", ".github/instructions"),
    programs=("code", "code-insiders"),
    find_troubles=lambda client, around: settings_syntax.find_off_switches(
        client, around, ("chat.useHooks",), when=False, files=settings_files(around)
    ),
    servers=client_settings.Servers(
        (client_settings.SettingsPlace(client_settings.PROJECT, ".vscode/mcp.json"),),
        hook_commands.folder_server_entry,
        ("servers",),
    ),
    server_hint="install its extension, which registers the server by itself",
)
