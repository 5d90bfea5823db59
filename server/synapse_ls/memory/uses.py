"""Who was told which memory, how often and when last.

A record's own file changes only when somebody changes the memory: what is counted with every use
stands in a ledger beside it, which git does not see. A file may bring a count of its own, from
other tools; both add up.
"""

from __future__ import annotations

import os

from synapse_ls.memory.places import USES
from synapse_ls.sessions.changes import timestamp
from synapse_ls.sessions.files import PRIVATE_FILE, Lock, SessionError, atomic_write, read_bytes
from synapse_ls.sessions.store import create_folder
from synapse_ls.text.json import JsonError, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from synapse_ls.memory.record import Record

    Uses = dict[str, list[int | str]]  # id -> [count, time of the last]

PATIENCE: Final = 2.0  # seconds that a count waits for others to be done
_LIMIT: Final = 16_000_000  # bytes


def read(root: str) -> Uses:
    """The ledger; what cannot be read counts as empty, since it only weighs."""
    try:
        data = read_bytes(os.path.join(root, USES), _LIMIT)
        value = loads(data.decode()) if data else {}
    except (SessionError, JsonError, UnicodeDecodeError):
        return {}
    return (
        {key: kept for key, kept in value.items() if _is_sound(kept)}
        if isinstance(value, dict)
        else {}
    )


def _is_sound(kept: object) -> bool:
    return (
        isinstance(kept, list)
        and len(kept) == 2
        and isinstance(kept[0], int)
        and isinstance(kept[1], str)
    )


def count(root: str, ids: Iterable[str], *, now: float) -> None:
    """Note that these memories were used; raises SessionError where that cannot be written."""
    used = sorted(set(ids))
    if not used:
        return
    path = os.path.join(root, USES)
    create_folder(os.path.dirname(path))
    at = timestamp(now)
    with Lock(path, PATIENCE):
        uses = read(root)
        for one in used:
            before = uses.get(one, [0, ""])
            uses[one] = [int(before[0]) + 1, max(at, str(before[1]))]
        atomic_write(path, dumps(uses, None).encode("utf-8", "surrogatepass"), mode=PRIVATE_FILE)


def with_uses(record: Record, uses: Uses) -> Record:
    """The record with what the ledger knows of it."""
    kept = uses.get(record.id)
    if not kept:
        return record
    times, last = int(kept[0]), str(kept[1])
    return record.replaced(
        access_count=record.access_count + times, accessed=max(record.accessed, last)
    )
