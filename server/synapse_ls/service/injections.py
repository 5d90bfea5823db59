"""What agents were told, in the user's cache folder: a line for each reply of the hook.

A line has the moment, the session, what was known of the window, and the names and hashes of the
rules that were sent. It never has a prompt, nor any text that was told.
"""

from __future__ import annotations

import os

from synapse_ls.engine.hashing import text_hash
from synapse_ls.service import cache, log
from synapse_ls.text.json import JsonError, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from synapse_ls.engine.run import Assembly
    from synapse_ls.hosts.event import Event

    Record = dict[str, Any]

LIMIT = 1_000_000  # bytes, after which the log starts anew beside its predecessor
VERSION = 1


def note(root: str, client: str, event: Event, assembly: Assembly, now: float) -> None:
    """Add the reply to ``event``; a log that cannot be written is no failure."""
    situation = assembly.situation
    usage = situation.usage
    record = {
        "v": VERSION,
        "time": now,
        "session": event.session_id,
        "client": client,
        "event": event.name,
        "window": event.window,
        "bracket": situation.bracket.name,
        "remaining": usage.remaining,
        "source": usage.source,
        "used": usage.used,
        "tokens": assembly.tokens,
        "budget": assembly.budget,
        # One text for each section: quick to write. What no file says goes without a name, because
        # it may repeat a prompt.
        "sections": [
            [
                section.id,
                "\n".join([f"{e.hash} {e.name if e.file else ''}" for e in section.entries]),
            ]
            for section in assembly.sent
        ],
        "cuts": len(assembly.cut) + len(assembly.limited),
        "hash": text_hash(assembly.text),
    }
    line = f"{dumps(record, indent=None)}\n".encode("utf-8", "replace")
    try:
        folder = cache.prepared()
        if folder:
            log.append(os.path.join(folder, _name(root)), line, LIMIT)
    except OSError:
        return


def read(root: str) -> Iterator[Record]:
    """The replies to agents in the tree ``root``, the latest first, as `note` has written them."""
    path = os.path.join(cache.folder(), _name(root))
    for name in (path, f"{path}.1"):
        try:
            with open(name, "rb") as file:
                lines = file.read().splitlines()
        except OSError:
            continue
        for line in reversed(lines):
            record = _record(line)
            if record is not None:
                yield record


def entries_of(written: str) -> list[tuple[str, str]]:
    """(hash, name) of the entries of a section; the name is "" for what no file says."""
    found = (line.partition(" ") for line in written.split("\n"))
    return [(identity, name) for identity, _, name in found]


def _name(root: str) -> str:
    return cache.file_name(root, "", "injections")


def _record(line: bytes) -> Record | None:
    """A line; None for one of another version, and for what a full disk has left of one."""
    try:
        record = loads(line.decode("utf-8", "replace"))
    except JsonError:
        return None
    return record if isinstance(record, dict) and record.get("v") == VERSION else None
