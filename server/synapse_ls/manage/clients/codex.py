"""Codex CLI. Source: its hooks documentation and the keys of its configuration.

Its reader is strict: an unknown key makes a hook fail.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from synapse_ls.manage.clients.client import (
    PROJECT,
    TIMEOUT,
    USER,
    Client,
    Home,
    Place,
    Surroundings,
    Trouble,
    shown,
)
from synapse_ls.manage.clients.commands import CMD, hook_command
from synapse_ls.manage.clients.shapes import group

_APPROVE = "Start Codex and approve the hooks with /hooks; each change of them asks again."


def _entry(event: str, scope: str) -> dict[str, Any]:
    return group(hook_command("codex", event, scope, windows=CMD), TIMEOUT)


def _payload(root: str, prompt: str) -> dict[str, Any]:
    return {
        "turn_id": "1",
        "transcript_path": None,
        "cwd": root,
        "hook_event_name": "UserPromptSubmit",
        "model": "",
        "permission_mode": "default",
        "prompt": prompt,
    }


def _announce(root: str, command: str) -> dict[str, Any]:
    return {
        **{key: value for key, value in _payload(root, "").items() if key != "prompt"},
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": "1",
    }


def _switches(around: Surroundings) -> Iterator[Trouble]:
    """Hooks switched off, a project that is not trusted, hooks that nobody has approved."""
    folder = CLIENT.home.folder(around.home)
    config = folder / "config.toml"
    name = shown(config, around)
    try:
        settings = tomllib.loads(config.read_text("utf-8"))
    except FileNotFoundError:
        settings = {}
    except (OSError, ValueError):
        yield Trouble("unreadable-settings", "warning", "codex", f"{name} cannot be read", "", name)
        return
    if _table(settings, "features").get("hooks") is False:
        said = f"{name} switches hooks off (features.hooks = false)"
        yield Trouble("hooks-off", "error", "codex", said, "Remove that line.", name)
    # Where nobody has ever started it, nothing is kept from anybody.
    severity = "error" if folder.is_dir() else "warning"
    in_project = CLIENT.file(PROJECT, around)
    in_home = CLIENT.file(USER, around)
    assert in_project is not None and in_home is not None
    if in_project.exists():
        level = _table(_table(settings, "projects"), str(around.root)).get("trust_level")
        if level != "trusted":
            said = (
                f"Codex does not trust {around.root}, so it leaves {shown(in_project, around)} out"
            )
            remedy = "Trust the folder in Codex."
            yield Trouble("untrusted-folder", severity, "codex", said, remedy, name, scope=PROJECT)
    approved = " ".join(_table(_table(settings, "hooks"), "state"))
    for scope, file in ((PROJECT, in_project), (USER, in_home)):
        if file.exists() and str(file) not in approved:
            place = shown(file, around)
            said = (
                f"nobody has approved the hooks of {place} in Codex yet, so it skips them silently"
            )
            yield Trouble("unapproved-hooks", severity, "codex", said, _APPROVE, place, scope=scope)


def _table(settings: dict[str, Any], key: str) -> dict[str, Any]:
    found = settings.get(key)
    return found if isinstance(found, dict) else {}


CLIENT = Client(
    name="codex",
    title="Codex",
    places=(Place(PROJECT, ".codex/hooks.json"), Place(USER, "hooks.json")),
    also=(Place(PROJECT, ".codex/config.toml"), Place(USER, "config.toml")),
    home=Home(".codex", "CODEX_HOME"),
    events=(
        "SessionStart",
        "UserPromptSubmit",
        "SubagentStart",
        "PostToolUse",
        "PreCompact",
        "SessionEnd",
    ),
    prompt="UserPromptSubmit",
    entry=_entry,
    payload=_payload,
    before=("PreToolUse",),
    announce=_announce,
    signs=(".codex",),
    programs=("codex",),
    switches=_switches,
    after_install=_APPROVE,
    without_servers="run `codex mcp add synapse -- synapse mcp`",
)
