"""The files of rule systems other than ``.synapse/``: a new one is a module here and a line below."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from synapse_ls.workspace.kinds import FileKind, Place
from synapse_ls.workspace.systems import brainiac, carl, chati

if TYPE_CHECKING:
    from synapse_ls.workspace.snapshot import Snapshot

PLACES: tuple[Place, ...] = (*carl.PLACES, *chati.PLACES, *brainiac.PLACES)
"""The places of every such system; one that a root does not have costs a look for its folder."""


def first(snapshot: Snapshot) -> Iterator[str]:
    """The files that the next prompt tells most of, as far as what is known so far says so.

    A path that does not exist costs a look.
    """
    yield from chati.first(snapshot)


def classify(path: str) -> FileKind | None:
    """What a file of one of these systems is, None for every other file."""
    return next((kind for place in PLACES if (kind := place.classify(path))), None)
