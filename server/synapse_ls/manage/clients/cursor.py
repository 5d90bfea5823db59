"""Cursor. Source: its hooks documentation.

It takes comments out of its settings with a pattern that also finds ``//`` inside strings, and
reads no settings through a symbolic link.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.manage.clients.client import (
    COMMENTS,
    PROJECT,
    TIMEOUT,
    USER,
    Client,
    Home,
    Place,
    Servers,
)
from synapse_ls.manage.clients.commands import POWERSHELL, hook_command
from synapse_ls.manage.clients.shapes import server_in_folder


def _entry(event: str, scope: str) -> dict[str, Any]:
    command = hook_command(
        "cursor", event, scope, project="$CURSOR_PROJECT_DIR", windows=POWERSHELL
    )
    return {"command": command, "timeout": TIMEOUT}


def _payload(root: str, prompt: str) -> dict[str, Any]:
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


def _announce(root: str, command: str) -> dict[str, Any]:
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
        Place(PROJECT, ".cursor/hooks.json", {"version": 1}),
        Place(USER, "hooks.json", {"version": 1}),
    ),
    home=Home(".cursor"),
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
    entry=_entry,
    payload=_payload,
    before=("beforeShellExecution", "beforeMCPExecution", "preToolUse"),
    announce=_announce,
    syntax=COMMENTS,
    signs=(".cursor", ".cursorrules", ".cursorignore"),
    programs=("cursor", "cursor-agent"),
    variables=("CURSOR_TRACE_ID", "CURSOR_VERSION"),
    environment={"CURSOR_VERSION": "doctor", "CURSOR_PROJECT_DIR": "{root}"},
    links=False,
    servers=Servers(
        (Place(PROJECT, ".cursor/mcp.json"), Place(USER, "mcp.json")), server_in_folder
    ),
)
