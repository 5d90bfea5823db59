"""Copilot Chat in VS Code: its own agent, and the one it shares with Copilot CLI."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synapse_ls.manage.clients import github, switches
from synapse_ls.manage.clients.client import (
    PROJECT,
    RELAXED,
    Client,
    Place,
    Servers,
    Surroundings,
    Trouble,
)
from synapse_ls.manage.clients.shapes import server_in_folder

_PRODUCTS = ("Code", "Code - Insiders", "VSCodium")


def _payload(root: str, prompt: str) -> dict[str, Any]:
    return {
        "timestamp": "2026-01-01T00:00:00.000Z",
        "hook_event_name": "UserPromptSubmit",
        "transcript_path": "",
        "cwd": root,
        "prompt": prompt,
    }


def _announce(root: str, command: str) -> dict[str, Any]:
    return {
        "timestamp": "2026-01-01T00:00:00.000Z",
        "hook_event_name": "PreToolUse",
        "transcript_path": "",
        "cwd": root,
        "tool_name": "run_in_terminal",
        "tool_input": {"command": command},
        "tool_use_id": "1",
    }


def settings_files(around: Surroundings) -> tuple[Path, ...]:
    """The settings of the workspace and of the user, the ones that win first."""
    if sys.platform == "darwin":
        base = around.home / "Library/Application Support"
    elif os.name == "nt":
        base = Path(os.environ.get("APPDATA") or around.home / "AppData/Roaming")
    else:
        base = Path(os.environ.get("XDG_CONFIG_HOME") or around.home / ".config")
    users = (base / product / "User/settings.json" for product in _PRODUCTS)
    return (around.root / ".vscode/settings.json", *users)


def reads_claude_hooks(around: Surroundings) -> bool:
    """Whether VS Code also runs what Claude Code's settings register."""
    found = (switches.value(file, ("chat.useClaudeHooks",)) for file in settings_files(around))
    return next((value for value in found if value is not None), False) is True


def _switches(around: Surroundings) -> Iterator[Trouble]:
    for file in settings_files(around):
        yield from switches.off(CLIENT, file, around, ("chat.useHooks",), when=False)


CLIENT = Client(
    name="vscode",
    title="VS Code Copilot Chat",
    places=github.FILES,
    home=github.HOME,
    events=github.EVENTS,
    prompt=github.PROMPT,
    entry=github.entry,
    payload=_payload,
    before=github.BEFORE,
    announce=_announce,
    syntax=RELAXED,
    signs=(".vscode", ".github/copilot-instructions.md", ".github/instructions"),
    programs=("code", "code-insiders"),
    switches=_switches,
    servers=Servers((Place(PROJECT, ".vscode/mcp.json"),), server_in_folder, ("servers",)),
    without_servers="install its extension, which registers the server by itself",
)
