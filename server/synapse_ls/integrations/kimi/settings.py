"""This module describes the settings of Kimi Code: ``[[hooks]]`` tables in the user's ``config.toml``.

It has no hooks of a project. Its reader takes ``event``, ``matcher``, ``command`` and ``timeout`` and refuses
any other key.

Source: Kimi Code's documentation of hooks and its code, checked against 2.1.0.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.integrations.client_definition import (
    TIMEOUT,
    TOML,
    USER,
    Client,
    SettingsPlace,
    UserFolder,
)
from synapse_ls.integrations.hook_commands import CMD_SHELL, hook_command
from synapse_ls.integrations.kimi.hook_shapes import find_malformed_hooks


def _hook_entry(event: str, scope: str) -> dict[str, Any]:
    command = hook_command("kimi", event, scope, windows=CMD_SHELL)
    return {"event": event, "command": command, "timeout": TIMEOUT}


def _payload(root: str, event: str) -> dict[str, Any]:
    return {
        "hook_event_name": event,
        "session_id": "",
        "cwd": root,
        "client_type": "kimi_code_cli",
    }


def _prompt_payload(root: str, prompt: str) -> dict[str, Any]:
    parts = [{"type": "text", "text": prompt}]
    return {**_payload(root, "UserPromptSubmit"), "prompt": parts, "is_steer": False}


def _tool_payload(root: str, command: str) -> dict[str, Any]:
    return {
        **_payload(root, "PreToolUse"),
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_call_id": "1",
    }


CLIENT = Client(
    name="kimi",
    title="Kimi Code",
    places=(SettingsPlace(USER, "config.toml"),),
    user_folder=UserFolder(".kimi-code", "KIMI_CODE_HOME"),
    events=(
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "PostCompact",
        "Stop",
        "SessionEnd",
    ),
    prompt="UserPromptSubmit",
    hook_entry=_hook_entry,
    prompt_payload=_prompt_payload,
    tool_events=("PreToolUse",),
    tool_payload=_tool_payload,
    syntax=TOML,
    signs=(".kimi-code",),
    programs=("kimi",),
    find_mistakes=find_malformed_hooks,
    server_hint="add it to `~/.kimi-code/mcp.json`, or to `.mcp.json` in a project",
)
