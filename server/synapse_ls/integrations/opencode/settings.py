"""This module describes where OpenCode finds our plugin, which calls the hook, and MCP servers.

Every ``.js`` file in a folder ``plugin`` of its settings is a plugin. The settings are JSON with
comments and trailing commas. It adds ``$schema`` where that is missing.

Source: its documentation of plugins and settings, checked against 1.18.33.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synapse_ls.integrations.client_definition import (
    PROJECT,
    RELAXED,
    USER,
    Client,
    Servers,
    SettingsPlace,
    Surroundings,
    Trouble,
    UserFolder,
)
from synapse_ls.integrations.hook_commands import CMD_SHELL, hook_command, server_command
from synapse_ls.workspace.regular_files import read_whole

_PLUGIN = read_whole(Path(__file__).with_name("plugin.js")).decode()
_SWITCHES = {
    "OPENCODE_PURE": "loads no plugin",
    "OPENCODE_DISABLE_PROJECT_CONFIG": "loads no plugin of a project",
}


def _hook_entry(event: str, scope: str) -> dict[str, Any]:
    return {"command": hook_command("opencode", event, scope, windows=CMD_SHELL)}


def _prompt_payload(root: str, prompt: str) -> dict[str, Any]:
    return {
        "client": "opencode",
        "hook_event_name": "UserPromptSubmit",
        "cwd": root,
        "prompt": prompt,
        "agent_type": "build",
    }


def _tool_payload(root: str, command: str) -> dict[str, Any]:
    return {
        "client": "opencode",
        "hook_event_name": "PreToolUse",
        "cwd": root,
        "tool_name": "bash",
        "tool_input": {"command": command},
    }


def _find_troubles(around: Surroundings) -> Iterator[Trouble]:
    for name, effect in _SWITCHES.items():
        if os.environ.get(name, "").lower() in ("1", "true"):
            said = f"{name} is set here, so that OpenCode {effect}"
            scope = "" if name == "OPENCODE_PURE" else PROJECT
            yield Trouble("hooks-off", "error", "opencode", said, f"Unset {name}.", scope=scope)


def _server_entry(scope: str) -> dict[str, Any]:
    said = server_command(scope)
    return {"type": "local", "command": [said["command"], *said["args"]], "enabled": True}


CLIENT = Client(
    name="opencode",
    title="OpenCode",
    places=(
        SettingsPlace(PROJECT, ".opencode/plugin/synapse.js", plugin=_PLUGIN),
        SettingsPlace(USER, "plugin/synapse.js", plugin=_PLUGIN),
    ),
    user_folder=UserFolder(".config/opencode", "XDG_CONFIG_HOME", "opencode"),
    events=(
        "SessionStart",
        "UserPromptSubmit",
        "SubagentStart",
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "Stop",
        "SessionEnd",
    ),
    prompt="UserPromptSubmit",
    hook_entry=_hook_entry,
    prompt_payload=_prompt_payload,
    tool_events=("PreToolUse",),
    tool_payload=_tool_payload,
    syntax=RELAXED,
    signs=(".opencode", "opencode.json", "opencode.jsonc"),
    programs=("opencode",),
    variables=("OPENCODE",),
    find_troubles=_find_troubles,
    servers=Servers(
        (SettingsPlace(PROJECT, "opencode.json"), SettingsPlace(USER, "opencode.json")),
        _server_entry,
        ("mcp",),
    ),
)
