"""This module describes the settings of Gemini CLI: its hook files, events and MCP servers.

Its timeouts are milliseconds.

Source: its hooks documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from synapse_ls.integrations import hook_switches
from synapse_ls.integrations.client_definition import (
    COMMENTS,
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
from synapse_ls.integrations.gemini.folder_trust import find_trust_troubles
from synapse_ls.integrations.hook_commands import POWERSHELL_SHELL, hook_command, server_command
from synapse_ls.integrations.settings_entries import hook_group

_HOOK_NAME = "synapse"
_MILLISECONDS = 1000  # milliseconds


def _hook_entry(event: str, scope: str) -> dict[str, Any]:
    command = hook_command("gemini", event, scope, windows=POWERSHELL_SHELL)
    return hook_group(command, _MILLISECONDS * TIMEOUT, name=_HOOK_NAME)


def _prompt_payload(root: str, prompt: str) -> dict[str, Any]:
    return {
        "transcript_path": "",
        "cwd": root,
        "hook_event_name": "BeforeAgent",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "prompt": prompt,
    }


def _tool_payload(root: str, command: str) -> dict[str, Any]:
    return {
        "transcript_path": "",
        "cwd": root,
        "hook_event_name": "BeforeTool",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "tool_name": "run_shell_command",
        "tool_input": {"command": command},
    }


def _find_troubles(around: Surroundings) -> Iterator[Trouble]:
    for place in CLIENT.places:
        file = CLIENT.file(place.scope, around)
        assert file is not None
        for path in (("hooksConfig", "enabled"), ("tools", "enableHooks")):
            yield from hook_switches.find_off_switch(CLIENT, file, around, path, when=False)
        yield from hook_switches.find_disabled_name(
            CLIENT, file, around, ("hooksConfig", "disabled"), _HOOK_NAME
        )
    yield from find_trust_troubles(CLIENT, around)


CLIENT = Client(
    name="gemini",
    title="Gemini CLI",
    places=(SettingsPlace(PROJECT, ".gemini/settings.json"), SettingsPlace(USER, "settings.json")),
    user_folder=UserFolder(".gemini"),
    events=("SessionStart", "BeforeAgent", "AfterTool", "PreCompress", "SessionEnd"),
    prompt="BeforeAgent",
    hook_entry=_hook_entry,
    prompt_payload=_prompt_payload,
    tool_events=("BeforeTool",),
    tool_payload=_tool_payload,
    syntax=COMMENTS,
    signs=(".gemini", "GEMINI.md"),
    programs=("gemini",),
    environment={"GEMINI_PROJECT_DIR": "{root}", "GEMINI_CLI": "1"},
    timeout_unit=_MILLISECONDS,
    find_troubles=_find_troubles,
    takes_byte_order_mark=False,
    servers=Servers(
        (SettingsPlace(PROJECT, ".gemini/settings.json"), SettingsPlace(USER, "settings.json")),
        server_command,
    ),
)
