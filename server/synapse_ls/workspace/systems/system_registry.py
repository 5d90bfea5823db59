"""This module collects the places of all rule systems other than ``.synapse/``: CARL,
Chati.dev and Brainiac.

A new system is a module here and a line below.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from synapse_ls.workspace.file_kinds import FileKind, Place
from synapse_ls.workspace.systems import brainiac_places, carl_places, chati_places

if TYPE_CHECKING:
    from synapse_ls.workspace.snapshot import Snapshot

PLACES: tuple[Place, ...] = (*carl_places.PLACES, *chati_places.PLACES, *brainiac_places.PLACES)
"""The places of every such system; one that a root does not have costs a look for its folder."""


def urgent_paths(snapshot: Snapshot) -> Iterator[str]:
    """Yields the files that the next prompt tells most of, as far as what is known so far says so.

    A path that does not exist costs a look.
    """
    yield from chati_places.urgent_paths(snapshot)


def classify_path(path: str) -> FileKind | None:
    """Returns what kind of file of one of these systems a path is, None for every other file."""
    return next((kind for place in PLACES if (kind := place.classify(path))), None)
