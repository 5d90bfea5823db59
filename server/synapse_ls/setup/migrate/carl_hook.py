"""This module replaces CARL's hook in the settings of Claude Code by ours."""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.guard.agent_action import OFF
from synapse_ls.integrations.client_definition import USER, Client, SettingsPlace, Surroundings
from synapse_ls.integrations.client_definition import shown_path as name_of
from synapse_ls.integrations.other_engines import is_carl_command
from synapse_ls.integrations.settings_files import (
    SettingsHook,
    find_hooks,
    parse_settings,
    read_settings,
)
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.install import settings_backup, settings_merge
from synapse_ls.setup.install.guard_registration import tree_guard_mode
from synapse_ls.setup.install.settings_backup import SettingsRecord
from synapse_ls.setup.migrate.migration_change import HOOK, MigrationChange
from synapse_ls.setup.migrate.migration_journal import Chapter
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.edit_plan import EditError

_CARL_HOOK_FILE = "carl-hook.py"  # settings without it are none of our business, readable or not


@dataclass(frozen=True, slots=True)
class CarlRegistration:
    """A CarlRegistration is CARL's hook in a settings file; ``line`` counts from 1.
    ``is_replaced``: by a planned change.
    """

    path: str
    line: int
    scope: str
    command: str
    is_replaced: bool


def hook_changes(
    around: Surroundings, *, user: bool
) -> tuple[list[MigrationChange], list[CarlRegistration]]:
    """Returns the settings with our hook in the place of CARL's, and where CARL's is.

    ``user``: in the settings that hold for all projects of this user, too. Raises EditError for
    settings that Claude Code could not read.
    """
    client = CLIENTS["claude"].with_guard(tree_guard_mode(around) != OFF)
    changes: list[MigrationChange] = []
    found: list[CarlRegistration] = []
    for place in client.places:
        whose = USER if client.is_of_user(place, around) else place.scope
        file = client.path_of(place, around)
        if place.scope != USER and whose == USER:
            continue  # the home folder's project settings are the user's, which come last
        name = name_of(file, around)
        current = read_settings(file, name)
        if current is None or _CARL_HOOK_FILE not in current.text:
            continue
        carl = _carl_hooks(client, current.text, name)
        replaced = user or place.scope != USER
        lines = LineIndex(current.text)
        for hook in carl:
            line = lines.line_of(hook.offset) + 1
            found.append(CarlRegistration(name, line, place.scope, hook.command, replaced))
        if carl and replaced:
            text = settings_merge.add_hooks(client, place, current.text, name, None)
            after = current.with_text(remove_carl_hooks(client, text, name)).data
            why = f"our hook in the place of CARL's ({place.scope})"
            changes.append(MigrationChange(HOOK, name, file, current.data, after, why))
    return changes, found


def remove_carl_hooks(client: Client, text: str, name: str) -> str:
    """Returns settings without CARL's hook; everything else stays as it is."""
    while hook := next(iter(_carl_hooks(client, text, name)), None):
        text = settings_merge.remove_hook(client, parse_settings(client, text, name), hook)
    return text


def record_backup(around: Surroundings, chapter: Chapter) -> None:
    """Has ``synapse uninstall`` know, after CARL's hook was replaced, what the settings are without
    us: they have no CARL either.
    """
    client = CLIENTS["claude"]
    places = {client.path_of(place, around): place for place in client.places}
    for number, entry in enumerate(chapter.entries):
        place = places.get(entry.file)
        if entry.part != HOOK or place is None:
            continue
        data = chapter.content_after(number)
        try:
            settings_backup.save_record(
                entry.file,
                SettingsRecord(_settings_without_us(client, place, data), entry.after, ()),
            )
        except (StorageError, OSError, EditError):
            # Without it the entries are still found and taken out; only empty places are not known.
            return


def _settings_without_us(client: Client, place: SettingsPlace, data: bytes) -> bytes:
    text = data.decode("utf-8-sig")
    left = (
        settings_merge.remove_entries(client, place, text, place.path, None)
        or settings_merge.EMPTY_SETTINGS
    )
    return data[: len(data) - len(text.encode())] + left.encode()


def _carl_hooks(client: Client, text: str, name: str) -> list[SettingsHook]:
    if not text.strip():
        return []
    found = find_hooks(client, parse_settings(client, text, name))
    return [hook for hook in found if any(is_carl_command(command) for _, command in hook.commands)]
