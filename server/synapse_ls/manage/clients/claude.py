"""Claude Code. Source: its hooks and settings references."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from synapse_ls.manage.clients import switches
from synapse_ls.manage.clients.client import (
    LOCAL,
    PROJECT,
    TIMEOUT,
    USER,
    Client,
    Home,
    Place,
    Servers,
    Surroundings,
    Trouble,
)
from synapse_ls.manage.clients.commands import CLAUDE_PROJECT, hook_command, status_line_command
from synapse_ls.manage.clients.shapes import group, server_entry


def _entry(event: str, scope: str) -> dict[str, Any]:
    return group(hook_command("claude", event, scope, project=CLAUDE_PROJECT), TIMEOUT)


def _status_line(scope: str) -> dict[str, Any]:
    return {"type": "command", "command": status_line_command(scope)}


def _payload(root: str, prompt: str) -> dict[str, Any]:
    return {
        "cwd": root,
        "permission_mode": "default",
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
        "source": "user",
    }


def _announce(root: str, command: str) -> dict[str, Any]:
    return {
        "cwd": root,
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }


def _switches(around: Surroundings) -> Iterator[Trouble]:
    for place in CLIENT.places:
        file = CLIENT.file(place.scope, around)
        assert file is not None
        yield from switches.off(CLIENT, file, around, ("disableAllHooks",), when=True)


CLIENT = Client(
    name="claude",
    title="Claude Code",
    places=(
        Place(PROJECT, ".claude/settings.json"),
        Place(LOCAL, ".claude/settings.local.json"),
        Place(USER, "settings.json"),
    ),
    home=Home(".claude", "CLAUDE_CONFIG_DIR"),
    events=(
        "SessionStart",
        "UserPromptSubmit",
        "SubagentStart",
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "SessionEnd",
    ),
    prompt="UserPromptSubmit",
    entry=_entry,
    payload=_payload,
    before=("PreToolUse",),
    announce=_announce,
    signs=(".claude", "CLAUDE.md", "CLAUDE.local.md"),
    programs=("claude",),
    variables=("CLAUDECODE",),
    environment={"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": "{root}"},
    status_line=_status_line,
    servers=Servers((Place(PROJECT, ".mcp.json"),), server_entry),
    without_servers="run `claude mcp add --scope user synapse -- synapse mcp`",
    switches=_switches,
)
