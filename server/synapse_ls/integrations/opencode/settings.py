"""Where OpenCode finds our plugin, which calls the hook, and MCP servers.

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
from synapse_ls.integrations.settings_files import read_plugin

PLUGIN = read_plugin(Path(__file__).parent)
EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "SubagentStart",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "Stop",
    "SessionEnd",
)
PROMPT, TOOL_EVENTS = "UserPromptSubmit", ("PreToolUse",)
_NAMED = {"client": "opencode"}


def _hook_entry(event: str, scope: str) -> dict[str, Any]:
    return {"command": hook_command("opencode", event, scope, windows=CMD_SHELL)}


def prompt_payload(
    root: str, prompt: str, client: str = "opencode", agent: str = "build"
) -> dict[str, Any]:
    """Return what the plugin of OpenCode or of another ``client`` sends for a prompt to
    ``agent``.
    """
    return {
        "client": client,
        "hook_event_name": "UserPromptSubmit",
        "cwd": root,
        "prompt": prompt,
        "agent_type": agent,
    }


def tool_payload(root: str, command: str, client: str = "opencode") -> dict[str, Any]:
    """Return what the plugin of OpenCode or of another ``client`` sends before a command is run."""
    return {
        "client": client,
        "hook_event_name": "PreToolUse",
        "cwd": root,
        "tool_name": "bash",
        "tool_input": {"command": command},
    }


def find_switches(client: str, title: str, prefix: str) -> Iterator[Trouble]:
    """Yield a trouble for each variable of this process by which OpenCode, or a client made of it,
    loads no plugin; their names begin with ``prefix``.
    """
    for end, scope, which in (
        ("_PURE", "", "no plugin"),
        ("_DISABLE_PROJECT_CONFIG", PROJECT, "no plugin of a project"),
    ):
        name = prefix + end
        if os.environ.get(name, "").lower() in ("1", "true"):
            sentence = f"{name} is set here, so that {title} loads {which}"
            yield Trouble("hooks-off", "error", client, sentence, f"Unset {name}.", scope=scope)


def _find_troubles(_: Surroundings) -> Iterator[Trouble]:
    return find_switches("opencode", "OpenCode", "OPENCODE")


def server_entry(scope: str) -> dict[str, Any]:
    """Return the entry of the MCP server in the settings of OpenCode."""
    command = server_command(scope)
    return {"type": "local", "command": [command["command"], *command["args"]], "enabled": True}


CLIENT = Client(
    name="opencode",
    title="OpenCode",
    places=(
        SettingsPlace(PROJECT, ".opencode/plugin/synapse.js", _NAMED, plugin=PLUGIN),
        SettingsPlace(USER, "plugin/synapse.js", _NAMED, plugin=PLUGIN),
    ),
    user_folder=UserFolder(".config/opencode", "XDG_CONFIG_HOME", "opencode"),
    events=EVENTS,
    prompt=PROMPT,
    hook_entry=_hook_entry,
    prompt_payload=prompt_payload,
    tool_events=TOOL_EVENTS,
    tool_payload=tool_payload,
    syntax=RELAXED,
    signs=(".opencode", "opencode.json", "opencode.jsonc"),
    programs=("opencode",),
    variables=("OPENCODE",),
    find_troubles=_find_troubles,
    servers=Servers(
        (SettingsPlace(PROJECT, "opencode.json"), SettingsPlace(USER, "opencode.json")),
        server_entry,
        ("mcp",),
    ),
)
