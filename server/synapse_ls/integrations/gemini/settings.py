"""This module describes the settings of Gemini CLI: its hook files, events, trusted folders and
MCP servers.

Its timeouts are milliseconds.

Source: its hooks documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
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
from synapse_ls.integrations.hook_commands import POWERSHELL_SHELL, hook_command, server_command
from synapse_ls.integrations.settings_entries import hook_group
from synapse_ls.workspace.light_os import os

_TRUST_LEVELS = ("TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST")
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
    yield from _trust_troubles(around)


def _trust_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yields a trouble where Gemini CLI passes over the project's settings, as its user does not
    trust the folder.
    """
    project, user = CLIENT.file(PROJECT, around), CLIENT.file(USER, around)
    assert project is not None and user is not None
    if not project.exists():
        return
    if hook_switches.setting_value(user, ("security", "folderTrust", "enabled")) is False:
        return
    if not _is_trusted(around.root, user.parent / "trustedFolders.json"):
        yield Trouble(
            "untrusted-folder",
            # Where nobody has ever started it, nothing is kept from anybody.
            "error" if user.parent.is_dir() else "warning",
            "gemini",
            f"Gemini CLI does not trust {around.root}, so it leaves the hooks there out",
            "Start Gemini CLI there and trust the folder (/permissions).",
            scope=PROJECT,
        )


def _is_trusted(root: Path, file: Path) -> bool:
    """Tells whether the folder is trusted: as the environment says, as in containers, else the
    person's list of folders.
    """
    said = os.environ.get("GEMINI_CLI_TRUST_WORKSPACE")
    if said == "false" or os.environ.get("GEMINI_RESTRICTED_MODE") == "true":
        return False
    if said == "true":
        return True
    folders = hook_switches.setting_value(file, ())
    here = Path(os.path.realpath(root))
    levels = [
        (len(folder), level)
        for folder, level in (folders.items() if isinstance(folders, dict) else ())
        if level in _TRUST_LEVELS and here.is_relative_to(_folder_meant(folder, level))
    ]
    # The longest name counts, of several the first one.
    _, level = max(levels, key=itemgetter(0), default=(0, "DO_NOT_TRUST"))
    return level != "DO_NOT_TRUST"


def _folder_meant(folder: str, level: str) -> str:
    """Returns the folder that an entry of the list of trusted folders is about, behind links."""
    return os.path.realpath(os.path.dirname(folder) if level == "TRUST_PARENT" else folder)


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
