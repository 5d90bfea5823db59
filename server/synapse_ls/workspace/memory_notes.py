"""What is to be noted of memories that have a date, when the whole tree is read."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.memory import MemoryDocument
from synapse_ls.formats.memory_fields import day_of
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.scan import LoadNote
from synapse_ls.workspace.snapshot import Snapshot

_DAY = 86400


def memory_notes(snapshot: Snapshot, now: float) -> Iterator[LoadNote]:
    """A note of the kind "expired-memory" for each; ``now`` is in seconds since 1970."""
    for path in sorted(snapshot.paths(FileKind.MEMORY)):
        facts = snapshot.facts(path)
        memory = facts.document if facts else None
        if isinstance(memory, MemoryDocument):
            day = day_of(memory.said("expires"))
            if day is not None and day <= now // _DAY:
                message = f"It expired on {memory.said('expires')[:10]}, so no agent is told it."
                yield LoadNote(path, "expired-memory", message)
