"""The families of resources: a new one is a module here with a `Family`, and a line below."""

from __future__ import annotations

from synapse_ls.mcp.resources import block, domains, layers, memory, status
from synapse_ls.mcp.resources.family import Family

FAMILIES: tuple[Family, ...] = (
    block.FAMILY,
    status.FAMILY,
    layers.FAMILY,
    domains.FAMILY,
    memory.FAMILY,
)


def text_of(root: str, uri: str) -> str | None:
    """The text of the resource ``uri``, None where there is none."""
    for family in FAMILIES:
        key = family.key_of(uri)
        if key is not None:
            return family.read(root, key)
    return None


def mime_of(uri: str) -> str:
    """The type of its text."""
    return next((family.mime for family in FAMILIES if family.key_of(uri) is not None), "")
