"""Where OpenCode and Kilo Code find our plugin, which calls the hook, and MCP servers.

Every ``.js`` file in a folder ``plugin`` of the settings is a plugin. Settings are JSON with
comments and trailing commas, to which the client adds a missing ``$schema``.

Source: its documentation of plugins and settings, checked against 1.18.33.
"""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from synapse_ls.integrations import hook_commands
from synapse_ls.integrations.client_settings import (
    PROJECT,
    RELAXED,
    USER,
    Client,
    Payload,
    Servers,
    SettingsPlace,
    Surroundings,
    Trouble,
    UserFolder,
)
from synapse_ls.integrations.settings_syntax import read_plugin

PLUGIN = read_plugin(Path(__file__).parent)
EVENTS = (
    "SessionStart", "UserPromptSubmit", "SubagentStart", "PostToolUse", "PostToolUseFailure",
    "PreCompact", "Stop", "SessionEnd",
)  # fmt: skip
TOOL_EVENTS = ("PreToolUse",)


def plugin_entry(client: str, event: str, scope: str) -> dict[str, Any]:
    """Return what the plugin of a client has of an event in its settings."""
    return {
        "command": hook_commands.hook_command(client, event, scope, windows=hook_commands.CMD_SHELL)
    }


def prompt_payload(client: str, agent: str) -> Payload:
    """Return what the plugin of a client sends for a prompt to ``agent``."""
    named = {"client": client, "hook_event_name": "UserPromptSubmit", "cwd": "{root}"}
    return {**named, "prompt": "{text}", "agent_type": agent}


def tool_payload(client: str, tool: str) -> Payload:
    """Return what the plugin of a client sends before a command is run by ``tool``."""
    named = {"client": client, "hook_event_name": "PreToolUse", "cwd": "{root}"}
    return {**named, "tool_name": tool, "tool_input": {"command": "{text}"}}


def make_client(name: str, title: str, agent: str, *other_signs: str) -> Client:
    """Return the definition of OpenCode, or of a client made of it, by its own ``name``.

    agent: the one that it has at work where nobody chooses another.
    """
    variable = name.upper()
    settings = f"{name}.json"

    def find_troubles(_: Client, __: Surroundings) -> Iterator[Trouble]:
        for end, scope, which in (
            ("_PURE", "", "no plugin"),
            ("_DISABLE_PROJECT_CONFIG", PROJECT, "no plugin of a project"),
        ):
            switch = variable + end
            if os.environ.get(switch, "").lower() in ("1", "true"):
                sentence = f"{switch} is set here, so that {title} loads {which}"
                yield Trouble("hooks-off", "error", name, sentence, f"Unset {switch}.", scope=scope)

    return Client(
        name=name,
        title=title,
        places=(
            SettingsPlace(PROJECT, f".{name}/plugin/synapse.js", {"client": name}, plugin=PLUGIN),
            SettingsPlace(USER, "plugin/synapse.js", {"client": name}, plugin=PLUGIN),
        ),
        user_folder=UserFolder(f".config/{name}", "XDG_CONFIG_HOME", name),
        events=EVENTS,
        hook_entry=partial(plugin_entry, name),
        prompt_payload=prompt_payload(name, agent),
        tool_events=TOOL_EVENTS,
        tool_payload=tool_payload(name, "bash"),
        syntax=RELAXED,
        signs=(f".{name}", *other_signs, settings, f"{settings}c"),
        programs=(name,),
        variables=(variable,),
        find_troubles=find_troubles,
        servers=Servers(
            (SettingsPlace(PROJECT, settings), SettingsPlace(USER, settings)),
            lambda scope: {
                "type": "local",
                "command": hook_commands.server_words(hook_commands.server_command(scope)),
                "enabled": True,
            },
            ("mcp",),
        ),
    )


CLIENT = make_client("opencode", "OpenCode", "build")
# Kilo Code, whose agent grew out of OpenCode. Checked against 7.7.9 of the command line.
KILO = make_client("kilo", "Kilo Code", "code", ".kilocode")
