"""Backups of settings files from before the installation, in the user's configuration folder.

The record is both the backup and what the settings cannot show: whether a file, a folder or an
empty list existed before.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from synapse_ls.integrations.client_settings import (
    USER,
    Client,
    SettingsPlace,
    Surroundings,
    shown_path,
)
from synapse_ls.integrations.hook_registrations import find_registrations
from synapse_ls.integrations.settings_syntax import SettingsText, parse_settings
from synapse_ls.setup.install import settings_merge
from synapse_ls.storage import atomic_files
from synapse_ls.text.fast_json import dumps, loads
from synapse_ls.workspace import user_folders

_MAX_BYTES = 64_000_000  # bytes


@dataclass(frozen=True, slots=True)
class SettingsRecord:
    """The backup's record of a settings file before the installation.

    before: the file's bytes, None where it did not exist. after: the hash of what was written.
    replaced: the command lines of another engine that ours stand for; replaced_for: the scope of
    that installation.
    """

    before: bytes | None
    after: str
    replaced: tuple[str, ...] = ()
    replaced_for: str = ""

    def is_of(self, data: bytes) -> bool:
        """Return whether ``data`` is what was written then, untouched since."""
        return self.after == content_digest(data)


def content_digest(data: bytes | None) -> str:
    """Return the hash of a file's content, by which its backup knows it; "" where there is no
    file.
    """
    return "" if data is None else sha256(data).hexdigest()


def backup_path(file: Path) -> Path:
    """Return where the backup of a settings file before the installation is kept."""
    name = sha256(os.path.realpath(file).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Path(user_folders.config_folder(), "settings", name, file.name)


def load_record(file: Path) -> SettingsRecord | None:
    """Load the backup's record of a settings file, None where there is none that can be read."""
    backup = backup_path(file)
    try:
        data = _read_private(_notes_path(backup))
        notes = loads(data.decode()) if data is not None else None
        if not isinstance(notes, dict) or not isinstance(notes.get("after"), str):
            return None
        before = _read_private(backup) if notes.get("existed") else None
        if notes.get("existed") and before is None:
            return None
    except (atomic_files.StorageError, ValueError):
        return None
    digest = notes.get("before")
    if before is not None and isinstance(digest, str) and digest != content_digest(before):
        return None  # damaged
    scope, replaced = notes.get("replaced_for"), notes.get("replaced")
    return SettingsRecord(
        before,
        notes["after"],
        tuple(map(str, replaced)) if isinstance(replaced, list) else (),
        scope if isinstance(scope, str) else "",
    )


def load_own_record(
    client: Client, place: SettingsPlace, around: Surroundings, current: SettingsText | None
) -> SettingsRecord | None:
    """Load the record of a settings file, None where nothing shows that it is about this file: a
    former clone at the same place had files of the same names. Raises UserError.

    What an installation wrote has entries of ours, unless it only took another engine out; then the
    settings of its scope have them. An engine comes back only where the file is untouched since, or
    has most of what else it had: entries of ours are the same in every project.
    """
    file = client.path_of(place, around)
    record = load_record(file)
    if record is None or current is None or client.is_of_user(place, around):
        return record
    if (is_untouched := record.is_of(current.data)) and not record.replaced:
        return record
    name = shown_path(file, around)
    if record.replaced and not is_untouched:
        # It has to have most of what it had beside the hooks of an engine, and to have had any.
        old = settings_merge.remove_engines(client, decode_settings(record.before), name)[0]
        rest = _setting_values(client, old, name)
        if 2 * len(rest & _setting_values(client, current.text, name)) <= len(rest):
            return None
    if settings_merge.remove_entries(client, place, current.text, name) != current.text:
        return record
    scopes = {registration.scope for registration in find_registrations(around, client)}
    is_shown = record.replaced_for in scopes and (is_untouched or record.replaced_for != USER)
    return record if is_shown else None


def _setting_values(client: Client, text: str, name: str) -> set[tuple[str, ...]]:
    """Return the values in a client's settings, each with the keys that lead to it; without those
    that every hook has.
    """
    values: set[tuple[str, ...]] = set()
    settings = parse_settings(client, text, name).root.value if text.strip() else None
    rest: list[tuple[tuple[str, ...], Any]] = [((), settings)]
    while rest:
        keys, value = rest.pop()
        if isinstance(value, dict):
            rest += (((*keys, key), inner) for key, inner in value.items())
        elif isinstance(value, list):
            rest += ((keys, inner) for inner in value)
        elif keys and keys[-1] not in ("type", "timeout"):
            values.add((*keys, repr(value)))
    return values


def original_bytes(
    client: Client,
    place: SettingsPlace,
    current: SettingsText,
    settings_record: SettingsRecord | None,
    name: str,
) -> bytes | None:
    """Return what is left of a settings file without us, to the byte; None for no file."""
    if settings_record is not None and settings_record.is_of(current.data):
        return settings_record.before
    text = settings_merge.remove_entries(client, place, current.text, name)
    if settings_record is not None:
        before, replaced = decode_settings(settings_record.before), settings_record.replaced
        text = settings_merge.restore_engines(client, text, name, before, replaced)
    return current.with_text(text).data if text or not current.text else None


def decode_settings(data: bytes | None) -> str:
    """Return the text of a settings file; "" where there is no file."""
    return (data or b"").decode("utf-8-sig")


def damaged_records(root: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the files of a project whose backup cannot be read, each with that backup."""
    folder = os.path.realpath(root)
    for notes in sorted(Path(user_folders.config_folder(), "settings").glob("*/record.json")):
        try:
            record = loads((_read_private(notes) or b"").decode())
        except (atomic_files.StorageError, ValueError):
            continue
        name = record.get("file") if isinstance(record, dict) else None
        if not isinstance(name, str):
            continue
        if (file := Path(name)).is_relative_to(folder) and load_record(file) is None:
            yield file, backup_path(file)


def save_record(file: Path, record: SettingsRecord) -> None:
    """Save the backup's record of a settings file. Raises StorageError."""
    backup = backup_path(file)
    for folder in (Path(user_folders.config_folder()), backup.parent.parent, backup.parent):
        atomic_files.make_folders(
            str(folder), within=atomic_files.ANYWHERE, mode=atomic_files.PRIVATE_FOLDER
        )
    if record.before is not None:
        _write_private(backup, record.before)
    notes = {
        "file": str(file),
        "existed": record.before is not None,
        "before": None if record.before is None else content_digest(record.before),
        "after": record.after,
        "replaced": list(record.replaced),
        "replaced_for": record.replaced_for,
    }
    _write_private(_notes_path(backup), f"{dumps(notes)}\n".encode())


def delete_record(file: Path) -> None:
    """Delete the backup's record of a settings file, with what was made to keep it."""
    backup = backup_path(file)
    atomic_files.remove_quietly(str(backup), within=atomic_files.ANYWHERE)
    atomic_files.remove_quietly(str(_notes_path(backup)), within=atomic_files.ANYWHERE)
    for folder in (backup.parent, backup.parent.parent, Path(user_folders.config_folder())):
        if not atomic_files.remove_folder(str(folder), within=atomic_files.ANYWHERE):
            return


def _read_private(path: Path) -> bytes | None:
    return atomic_files.read_bytes(str(path), _MAX_BYTES, within=atomic_files.ANYWHERE)


def _write_private(path: Path, data: bytes) -> None:
    within, mode = atomic_files.ANYWHERE, atomic_files.PRIVATE_FILE
    atomic_files.atomic_write(str(path), data, within=within, durable=True, mode=mode)


def _notes_path(backup: Path) -> Path:
    return backup.parent / "record.json"
