"""The settings of Gemini CLI: hook files, events, MCP servers, and whether it trusts a folder.

Timeouts are in milliseconds. Of the trusted-folder entries that contain the folder, by real paths,
the longest as written counts. An editor that Gemini CLI runs in can override it, which is not
visible here.

Sources: its documentation of hooks and of trusted folders; its code and the answers of ``gemini mcp
list``, 0.61.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from synapse_ls.integrations import client_settings, hook_commands, settings_syntax
from synapse_ls.text.user_error import UserError

_PARENT: Final = "TRUST_PARENT"
# Level of trust -> whether the folder is trusted.
_LEVELS: Final = {"TRUST_FOLDER": True, _PARENT: True, "DO_NOT_TRUST": False}


def find_trust_troubles(
    client: client_settings.Client, around: client_settings.Surroundings
) -> Iterator[client_settings.Trouble]:
    """Yield a trouble where Gemini CLI passes over the project's settings, as its user does not
    trust the folder, and where it does not start, as it cannot read which folders that are.
    """
    project = client.file(client_settings.PROJECT, around)
    user = client.file(client_settings.USER, around)
    assert project is not None and user is not None
    # The environment has every folder trusted, as in containers, or none, or does not say.
    setting = os.environ.get("GEMINI_CLI_TRUST_WORKSPACE")
    is_trusted = True if setting == "true" else None
    if setting == "false" or os.environ.get("GEMINI_RESTRICTED_MODE") == "true":
        is_trusted = False
    if (
        is_trusted is None
        and settings_syntax.setting_value(user, ("security", "folderTrust", "enabled"), around)
        is False
    ):
        return
    if is_trusted is None:
        named = os.environ.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
        file = Path(around.root, named) if named else user.parent / "trustedFolders.json"
        name = client_settings.shown_path(file, around)
        try:
            is_trusted = _is_trusted(around.root, _read_levels(client, file, name))
        except UserError as error:
            sentence = f"{error.sentence.removesuffix('.')}, so {client.title} does not start"
            remedy = "Mend the file, or delete it: the client asks again."
            yield client_settings.Trouble(
                "broken-settings", "error", client.name, sentence, remedy, name
            )
            return
    if not is_trusted and project.exists():
        yield client_settings.Trouble(
            "untrusted-folder",
            # Where nobody has ever started it, nothing is kept from anybody.
            "error" if user.parent.is_dir() else "warning",
            client.name,
            f"{client.title} does not trust {around.root}, so it leaves the hooks there out",
            "Start Gemini CLI there and trust the folder (/permissions).",
            scope=client_settings.PROJECT,
        )


def _read_levels(client: client_settings.Client, file: Path, name: str) -> dict[str, Any]:
    """Return the person's list: path of a folder -> level of trust. Raises UserError where Gemini
    CLI does not take it.
    """
    if (settings := settings_syntax.read_settings(file, name)) is None:
        return {}
    if settings.bom:
        raise UserError(f"{name} begins with a byte order mark, which {client.title} does not take")
    root = settings_syntax.parse_settings(client, settings.text, name).root
    if not isinstance(root.value, dict):
        raise UserError(f"{name} is no object")
    for entry in root.members:
        level = entry.node.value
        if not isinstance(level, str) or level not in _LEVELS:
            word = level if isinstance(level, str) else json.dumps(level)
            place = f"{name}{settings_syntax.line_and_column(settings.text, entry.start)}"
            raise UserError(f"{place}: `{word}` is no level of trust that {client.title} knows")
    return root.value


def _is_trusted(root: Path, levels: Mapping[str, str]) -> bool:
    """Return whether the list has the folder trusted; of entries of one length the first counts."""
    location = Path(_as_compared(os.path.realpath(root)))
    entries = {_as_compared(Path(root, path)): level for path, level in levels.items()}
    longest = ""
    for path, level in entries.items():
        # The folder that an entry is about, by its real path.
        folder = os.path.realpath(os.path.dirname(path) if level == _PARENT else path)
        is_around = Path(_as_compared(folder)) in (location, *location.parents)
        if is_around and len(path) > len(longest):
            longest = path
    return bool(longest) and _LEVELS[entries[longest]]


def _as_compared(path: Path | str) -> str:
    """Return a path as it is compared: absolute, and in small letters where names have no case."""
    absolute = os.path.abspath(path)
    return absolute.lower() if sys.platform in ("darwin", "win32") else absolute


_HOOK_NAME = "synapse"
_MILLISECONDS = 1000  # milliseconds


_COMMON_PAYLOAD: Final = {
    "transcript_path": "",
    "cwd": "{root}",
    "hook_event_name": "BeforeAgent",
    "timestamp": "2026-01-01T00:00:00.000Z",
}


def _find_troubles(
    client: client_settings.Client, around: client_settings.Surroundings
) -> Iterator[client_settings.Trouble]:
    for place in client.places:
        file = client.path_of(place, around)
        for path in (("hooksConfig", "enabled"), ("tools", "enableHooks")):
            yield from settings_syntax.find_off_switches(
                client, around, path, when=False, files=[file]
            )
        disabled = ("hooksConfig", "disabled")
        yield from settings_syntax.find_disabled_name(client, file, around, disabled, _HOOK_NAME)
    yield from find_trust_troubles(client, around)


_PLACES: Final = (
    client_settings.SettingsPlace(client_settings.PROJECT, ".gemini/settings.json"),
    client_settings.SettingsPlace(client_settings.USER, "settings.json"),
)

CLIENT = client_settings.Client(
    name="gemini",
    title="Gemini CLI",
    places=_PLACES,
    user_folder=client_settings.UserFolder(".gemini"),
    events=("SessionStart", "BeforeAgent", "AfterTool", "PreCompress", "SessionEnd"),
    closed_entry=hook_commands.close_entry,
    hook_entry=lambda event, scope: hook_commands.hook_group(
        hook_commands.hook_command("gemini", event, scope, windows=hook_commands.POWERSHELL_SHELL),
        _MILLISECONDS * client_settings.TIMEOUT,
        name=_HOOK_NAME,
    ),
    prompt_payload={**_COMMON_PAYLOAD, "prompt": "{text}"},
    tool_events=("BeforeTool",),
    tool_payload=client_settings.command_payload(
        _COMMON_PAYLOAD, "run_shell_command", "BeforeTool"
    ),
    syntax=client_settings.COMMENTS,
    signs=(".gemini", "GEMINI.md"),
    programs=("gemini",),
    environment={"GEMINI_PROJECT_DIR": "{root}", "GEMINI_CLI": "1"},
    timeout_unit=_MILLISECONDS,
    find_troubles=_find_troubles,
    takes_byte_order_mark=False,
    servers=client_settings.Servers(_PLACES, hook_commands.server_command),
)
