"""Where Kilo Code finds our plugin, which is that of OpenCode, and MCP servers.

Source: its documentation of plugins and settings, checked against 7.7.9 of the command line.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
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
from synapse_ls.integrations.hook_commands import CMD_SHELL, hook_command
from synapse_ls.integrations.opencode import settings as opencode

_NAMED = {"client": "kilo"}


def _hook_entry(event: str, scope: str) -> dict[str, Any]:
    return {"command": hook_command("kilo", event, scope, windows=CMD_SHELL)}


def _find_troubles(_: Surroundings) -> Iterator[Trouble]:
    return opencode.find_switches("kilo", "Kilo Code", "KILO")


CLIENT = Client(
    name="kilo",
    title="Kilo Code",
    places=(
        SettingsPlace(PROJECT, ".kilo/plugin/synapse.js", _NAMED, plugin=opencode.PLUGIN),
        SettingsPlace(USER, "plugin/synapse.js", _NAMED, plugin=opencode.PLUGIN),
    ),
    user_folder=UserFolder(".config/kilo", "XDG_CONFIG_HOME", "kilo"),
    events=opencode.EVENTS,
    prompt=opencode.PROMPT,
    hook_entry=_hook_entry,
    prompt_payload=partial(opencode.prompt_payload, client="kilo", agent="code"),
    tool_events=opencode.TOOL_EVENTS,
    tool_payload=partial(opencode.tool_payload, client="kilo"),
    syntax=RELAXED,
    signs=(".kilo", ".kilocode", "kilo.json", "kilo.jsonc"),
    programs=("kilo",),
    variables=("KILO",),
    find_troubles=_find_troubles,
    servers=Servers(
        (SettingsPlace(PROJECT, "kilo.json"), SettingsPlace(USER, "kilo.json")),
        opencode.server_entry,
        ("mcp",),
    ),
)
