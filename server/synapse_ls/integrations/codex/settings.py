"""This module describes the settings of Codex CLI: its hook files, events, trust and approvals.

Its reader is strict: an unknown key makes a hook fail.

Source: its hooks documentation and the keys of its configuration.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from synapse_ls.integrations.client_definition import (
    HOOK_SERVER_NAME,
    PROJECT,
    TIMEOUT,
    TOML,
    USER,
    Client,
    Servers,
    SettingsPlace,
    Surroundings,
    ToolHooks,
    Trouble,
    UserFolder,
)
from synapse_ls.integrations.codex.hook_shapes import find_malformed_hooks
from synapse_ls.integrations.codex.skipped_hooks import APPROVAL_HINT, find_skipped_hooks
from synapse_ls.integrations.hook_commands import CMD_SHELL, hook_command, hook_server_command
from synapse_ls.integrations.settings_entries import hook_group, tool_hook

_SESSION_END_LIMIT = 3  # seconds; with more, Codex warns at each start that it waits no longer


def _hook_entry(event: str, scope: str) -> dict[str, Any]:
    wait = min(TIMEOUT, _SESSION_END_LIMIT) if event == "SessionEnd" else TIMEOUT
    return hook_group(hook_command("codex", event, scope, windows=CMD_SHELL), wait)


_COMMON = ("session_id", "turn_id", "transcript_path", "cwd", "model")


def _tool_entries(event: str, fields: tuple[str, ...], _: bool) -> tuple[dict[str, Any], ...]:
    return ({"hooks": [tool_hook(event, fields)]},)


def _prompt_payload(root: str, prompt: str) -> dict[str, Any]:
    return {
        "turn_id": "1",
        "transcript_path": None,
        "cwd": root,
        "hook_event_name": "UserPromptSubmit",
        "model": "",
        "permission_mode": "default",
        "prompt": prompt,
    }


def _tool_payload(root: str, command: str) -> dict[str, Any]:
    return {
        **{key: value for key, value in _prompt_payload(root, "").items() if key != "prompt"},
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": "1",
    }


def _find_troubles(around: Surroundings) -> Iterator[Trouble]:
    return find_skipped_hooks(CLIENT, around)


CLIENT = Client(
    name="codex",
    title="Codex",
    places=(SettingsPlace(PROJECT, ".codex/hooks.json"), SettingsPlace(USER, "hooks.json")),
    foreign_places=(
        SettingsPlace(PROJECT, ".codex/config.toml"),
        SettingsPlace(USER, "config.toml"),
    ),
    user_folder=UserFolder(".codex", "CODEX_HOME"),
    events=(
        "SessionStart",
        "UserPromptSubmit",
        "SubagentStart",
        "PostToolUse",
        "PreCompact",
        "SessionEnd",
    ),
    prompt="UserPromptSubmit",
    hook_entry=_hook_entry,
    prompt_payload=_prompt_payload,
    tool_events=("PreToolUse",),
    tool_payload=_tool_payload,
    signs=(".codex",),
    programs=("codex",),
    find_troubles=_find_troubles,
    find_mistakes=find_malformed_hooks,
    takes_byte_order_mark=False,
    tool_hooks=ToolHooks(
        # A field that an event lacks keeps Codex from calling the tool, and only tools that a sub-agent
        # uses have its id: events of tools stay commands.
        {
            "UserPromptSubmit": (*_COMMON, "prompt"),
            "SubagentStart": (*_COMMON, "agent_id", "agent_type"),
            "PreCompact": _COMMON,
        },
        _tool_entries,
        (0, 169, 0),
        "with older ones they were not tried",
        Servers(
            (SettingsPlace(PROJECT, ".codex/config.toml"), SettingsPlace(USER, "config.toml")),
            lambda scope: hook_server_command("codex", scope),
            ("mcp_servers",),
            TOML,
            HOOK_SERVER_NAME,
        ),
    ),
    after_install=APPROVAL_HINT,
    server_hint="run `codex mcp add synapse -- synapse-ls mcp`",
)
