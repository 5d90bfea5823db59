"""What a settings file was before the hook came into it, kept in the user's configuration folder.

The settings alone tell which entries are ours. The record tells what they cannot: whether a file, a
folder or an empty list was there before. It is the backup as well.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from synapse_ls.service import trust
from synapse_ls.sessions.files import PRIVATE_FILE, SessionError, atomic_write, read_bytes, remove
from synapse_ls.text.json import dumps, loads

_LIMIT = 64_000_000  # bytes


@dataclass(frozen=True, slots=True)
class Record:
    """before: the file's bytes, None where it did not exist. after: the hash of what was written.
    folders: those that were made for it, the outermost first."""

    before: bytes | None
    after: str
    folders: tuple[str, ...]

    def is_of(self, data: bytes) -> bool:
        """Whether ``data`` is what was written then, untouched since."""
        return self.after == digest(data)


def digest(data: bytes) -> str:
    """The hash of a file's content."""
    return sha256(data).hexdigest()


def backup_of(file: Path) -> Path:
    """Where the content of a settings file before the installation is kept."""
    name = sha256(os.path.realpath(file).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Path(trust.folder(), "settings", name, file.name)


def load(file: Path) -> Record | None:
    """The record of a settings file, None where there is none that can be read."""
    backup = backup_of(file)
    try:
        data = read_bytes(str(_notes(backup)), _LIMIT)
        found = loads(data.decode()) if data is not None else None
        if not isinstance(found, dict) or not isinstance(found.get("after"), str):
            return None
        before = read_bytes(str(backup), _LIMIT) if found.get("existed") else None
    except (SessionError, ValueError):
        return None
    if found.get("existed") and before is None:
        return None
    folders = found.get("folders")
    listed = [f for f in folders if isinstance(f, str)] if isinstance(folders, list) else []
    return Record(before, found["after"], tuple(listed))


def keep(file: Path, record: Record) -> None:
    """Keep the record of a settings file. Raises SessionError."""
    backup = backup_of(file)
    for folder in (Path(trust.folder()), backup.parent.parent, backup.parent):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if record.before is not None:
        atomic_write(str(backup), record.before, durable=True, mode=PRIVATE_FILE)
    notes = {
        "file": str(file),
        "existed": record.before is not None,
        "after": record.after,
        "folders": list(record.folders),
    }
    atomic_write(str(_notes(backup)), f"{dumps(notes)}\n".encode(), durable=True, mode=PRIVATE_FILE)


def forget(file: Path) -> None:
    """Drop the record of a settings file, with what was made to keep it."""
    backup = backup_of(file)
    remove(str(backup))
    remove(str(_notes(backup)))
    for folder in (backup.parent, backup.parent.parent, Path(trust.folder())):
        try:
            folder.rmdir()
        except OSError:
            return


def _notes(backup: Path) -> Path:
    return backup.parent / "record.json"
