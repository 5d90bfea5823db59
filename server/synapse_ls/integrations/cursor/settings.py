"""This module describes the settings of Cursor: its hook files, events and MCP servers.

It takes comments out of its settings with a pattern that also finds ``//`` inside strings,
and reads no settings through a symbolic link.

Source: its hooks documentation.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.integrations.client_definition import (
    CUT_COMMENTS,
    PROJECT,
    TIMEOUT,
    USER,
    Client,
    Servers,
    SettingsPlace,
    UserFolder,
)
from synapse_ls.integrations.cursor.hook_shapes import find_malformed_hooks
from synapse_ls.integrations.hook_commands import POWERSHELL_SHELL, hook_command, plain_command
from synapse_ls.integrations.settings_entries import folder_server_entry


def _hook_entry(event: str, scope: str) -> dict[str, Any]:
    # On Windows it runs `$input | <command>` in the PowerShell of the system, which knows no ``||``.
    if scope == PROJECT:
        command = plain_command("cursor", event)
    else:
        command = hook_command("cursor", event, scope, windows=POWERSHELL_SHELL)
    return {"command": command, "timeout": TIMEOUT}


def _prompt_payload(root: str, prompt: str) -> dict[str, Any]:
    return {
        "hook_event_name": "beforeSubmitPrompt",
        "workspace_roots": [root],
        "cursor_version": "",
        "transcript_path": None,
        "user_email": None,
        "prompt": prompt,
        "attachments": [],
        "composer_mode": "agent",
    }


def _tool_payload(root: str, command: str) -> dict[str, Any]:
    return {
        "hook_event_name": "beforeShellExecution",
        "workspace_roots": [root],
        "cursor_version": "",
        "transcript_path": None,
        "user_email": None,
        "command": command,
        "cwd": root,
    }


CLIENT = Client(
    name="cursor",
    title="Cursor",
    places=(
        SettingsPlace(PROJECT, ".cursor/hooks.json", {"version": 1}),
        SettingsPlace(USER, "hooks.json", {"version": 1}),
    ),
    user_folder=UserFolder(".cursor"),
    events=(
        "sessionStart",
        "beforeSubmitPrompt",
        "postToolUse",
        "postToolUseFailure",
        "preCompact",
        "stop",
        "sessionEnd",
    ),
    prompt="beforeSubmitPrompt",
    hook_entry=_hook_entry,
    prompt_payload=_prompt_payload,
    tool_events=("beforeShellExecution", "beforeMCPExecution", "preToolUse"),
    tool_payload=_tool_payload,
    syntax=CUT_COMMENTS,
    signs=(".cursor", ".cursorrules", ".cursorignore"),
    programs=("cursor", "cursor-agent"),
    variables=("CURSOR_TRACE_ID", "CURSOR_VERSION"),
    environment={"CURSOR_VERSION": "doctor", "CURSOR_PROJECT_DIR": "{root}"},
    follows_links=False,
    may_refuse_without_hook=True,
    find_mistakes=find_malformed_hooks,
    servers=Servers(
        (SettingsPlace(PROJECT, ".cursor/mcp.json"), SettingsPlace(USER, "mcp.json")),
        folder_server_entry,
    ),
)
