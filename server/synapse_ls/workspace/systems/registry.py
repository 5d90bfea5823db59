"""The files of rule systems other than ``.synapse/``: a new one is a module here and a line below."""

from __future__ import annotations

from synapse_ls.workspace.kinds import Place

PLACES: tuple[Place, ...] = ()
"""The places of every such system; one that a root does not have costs a look for its folder."""
