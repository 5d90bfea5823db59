"""This module describes the settings of Claude Code: its hook files, events, status line and MCP
servers.

Source: its hooks and settings references.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from synapse_ls.integrations import hook_switches
from synapse_ls.integrations.client_definition import (
    LOCAL,
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
    hook_command,
    hook_group,
    server_entry,
    status_line_command,
)


def _hook_entry(event: str, scope: str) -> dict[str, Any]:
    return hook_group(hook_command("claude", event, scope), TIMEOUT)


def _status_line(scope: str) -> dict[str, Any]:
    return {"type": "command", "command": status_line_command(scope)}


def _prompt_payload(root: str, prompt: str) -> dict[str, Any]:
    return {
        "cwd": root,
        "permission_mode": "default",
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
        "source": "user",
    }


def _tool_payload(root: str, command: str) -> dict[str, Any]:
    return {
        "cwd": root,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }


def _find_troubles(around: Surroundings) -> Iterator[Trouble]:
    for place in CLIENT.places:
        file = CLIENT.file(place.scope, around)
        assert file is not None
        yield from hook_switches.find_off_switch(
            CLIENT, file, around, ("disableAllHooks",), when=True
        )


CLIENT = Client(
    name="claude",
    title="Claude Code",
    places=(
        SettingsPlace(PROJECT, ".claude/settings.json"),
        SettingsPlace(LOCAL, ".claude/settings.local.json"),
        SettingsPlace(USER, "settings.json"),
    ),
    user_folder=UserFolder(".claude", "CLAUDE_CONFIG_DIR"),
    events=(
        "SessionStart",
        "UserPromptSubmit",
        "SubagentStart",
        "PostToolUse",
        "PostToolUseFailure",
        # No PreCompact: the start of the session that follows says the same, and the terminal would show
        # at each /compact that a hook has run.
        "SessionEnd",
    ),
    prompt="UserPromptSubmit",
    hook_entry=_hook_entry,
    prompt_payload=_prompt_payload,
    tool_events=("PreToolUse",),
    tool_payload=_tool_payload,
    signs=(".claude", "CLAUDE.md", "CLAUDE.local.md"),
    programs=("claude",),
    variables=("CLAUDECODE",),
    environment={"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": "{root}"},
    status_line=_status_line,
    servers=Servers((SettingsPlace(PROJECT, ".mcp.json"),), server_entry),
    server_hint="run `claude mcp add --scope user synapse -- synapse-ls mcp`",
    find_troubles=_find_troubles,
)
