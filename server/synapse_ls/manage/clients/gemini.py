"""Gemini CLI. Source: its hooks documentation. Its timeouts are milliseconds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from synapse_ls.manage.clients import switches
from synapse_ls.manage.clients.client import (
    COMMENTS,
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
from synapse_ls.manage.clients.commands import POWERSHELL, hook_command, server_command
from synapse_ls.manage.clients.shapes import group

_NAME = "synapse"
_SECOND = 1000  # milliseconds


def _entry(event: str, scope: str) -> dict[str, Any]:
    command = hook_command(
        "gemini", event, scope, project="$GEMINI_PROJECT_DIR", windows=POWERSHELL
    )
    return group(command, _SECOND * TIMEOUT, name=_NAME)


def _payload(root: str, prompt: str) -> dict[str, Any]:
    return {
        "transcript_path": "",
        "cwd": root,
        "hook_event_name": "BeforeAgent",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "prompt": prompt,
    }


def _announce(root: str, command: str) -> dict[str, Any]:
    return {
        "transcript_path": "",
        "cwd": root,
        "hook_event_name": "BeforeTool",
        "timestamp": "2026-01-01T00:00:00.000Z",
        "tool_name": "run_shell_command",
        "tool_input": {"command": command},
    }


def _switches(around: Surroundings) -> Iterator[Trouble]:
    for place in CLIENT.places:
        file = CLIENT.file(place.scope, around)
        assert file is not None
        for path in (("hooksConfig", "enabled"), ("tools", "enableHooks")):
            yield from switches.off(CLIENT, file, around, path, when=False)
        yield from switches.named(CLIENT, file, around, ("hooksConfig", "disabled"), _NAME)
    yield from _trust(around)


def _trust(around: Surroundings) -> Iterator[Trouble]:
    """Gemini CLI passes over the settings of a folder that its user does not trust."""
    project, user = CLIENT.file(PROJECT, around), CLIENT.file(USER, around)
    assert project is not None and user is not None
    if not project.exists():
        return
    if switches.value(user, ("security", "folderTrust", "enabled")) is False:
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
    """Whether the environment says so, as in containers, else the person's list of folders."""
    said = os.environ.get("GEMINI_CLI_TRUST_WORKSPACE")
    if said == "false" or os.environ.get("GEMINI_RESTRICTED_MODE") == "true":
        return False
    if said == "true":
        return True
    folders = switches.value(file, ())
    levels = folders if isinstance(folders, dict) else {}
    trusted = {Path(folder) for folder, level in levels.items() if level == "TRUST_FOLDER"}
    trusted |= {Path(folder).parent for folder, level in levels.items() if level == "TRUST_PARENT"}
    denied = levels.get(str(root)) == "DO_NOT_TRUST"
    return not denied and bool(trusted.intersection((root, *root.parents)))


CLIENT = Client(
    name="gemini",
    title="Gemini CLI",
    places=(Place(PROJECT, ".gemini/settings.json"), Place(USER, "settings.json")),
    home=Home(".gemini"),
    events=("SessionStart", "BeforeAgent", "AfterTool", "PreCompress", "SessionEnd"),
    prompt="BeforeAgent",
    entry=_entry,
    payload=_payload,
    before=("BeforeTool",),
    announce=_announce,
    syntax=COMMENTS,
    signs=(".gemini", "GEMINI.md"),
    programs=("gemini",),
    environment={"GEMINI_PROJECT_DIR": "{root}", "GEMINI_CLI": "1"},
    second=_SECOND,
    switches=_switches,
    servers=Servers(
        (Place(PROJECT, ".gemini/settings.json"), Place(USER, "settings.json")), server_command
    ),
)
