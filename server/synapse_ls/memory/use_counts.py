"""This module counts the uses of memories: which was given to an agent, how often and when last.

A record's own file changes only when somebody changes the memory: what is counted with every use
stands in a ledger beside it, which git does not see. A file may bring a count of its own, from
other tools; both add up.
"""

from __future__ import annotations

import os

from synapse_ls.memory.memory_paths import USES_PATH
from synapse_ls.storage.atomic_files import (
    PRIVATE_FILE,
    FileLock,
    StorageError,
    atomic_write,
    read_bytes,
)
from synapse_ls.storage.session_changes import format_timestamp
from synapse_ls.storage.session_store import create_private_folder
from synapse_ls.text.fast_json import JsonError, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from synapse_ls.memory.record import Record

    Uses = dict[str, list[int | str]]  # id -> [count, time of the last]

LOCK_PATIENCE: Final = 2.0  # seconds that a count waits for others to be done
_LIMIT: Final = 16_000_000  # bytes


def read_uses(root: str) -> Uses:
    """Reads the ledger that counts the uses of memories; one that cannot be read counts as empty,
    since it only weighs.
    """
    try:
        data = read_bytes(os.path.join(root, USES_PATH), _LIMIT, within=root)
        value = loads(data.decode()) if data else {}
    except (StorageError, JsonError, UnicodeDecodeError):
        return {}
    return (
        {key: kept for key, kept in value.items() if _is_valid_entry(kept)}
        if isinstance(value, dict)
        else {}
    )


def _is_valid_entry(entry: object) -> bool:
    return (
        isinstance(entry, list)
        and len(entry) == 2
        and isinstance(entry[0], int)
        and isinstance(entry[1], str)
    )


def count_uses(root: str, ids: Iterable[str], *, now: float) -> None:
    """Counts that these memories were used; raises StorageError where that cannot be written."""
    used = sorted(set(ids))
    if not used:
        return
    path = os.path.join(root, USES_PATH)
    create_private_folder(os.path.dirname(path), root)
    at = format_timestamp(now)
    with FileLock(path, LOCK_PATIENCE, within=root):
        uses = read_uses(root)
        for one in used:
            before = uses.get(one, [0, ""])
            uses[one] = [int(before[0]) + 1, max(at, str(before[1]))]
        data = dumps(uses, None).encode("utf-8", "surrogatepass")
        atomic_write(path, data, within=root, mode=PRIVATE_FILE)


def add_uses(record: Record, uses: Uses) -> Record:
    """Returns the record of a memory with the uses that are counted for it."""
    kept = uses.get(record.id)
    if not kept:
        return record
    times, last = int(kept[0]), str(kept[1])
    return record.with_fields(
        access_count=record.access_count + times, accessed=max(record.accessed, last)
    )
