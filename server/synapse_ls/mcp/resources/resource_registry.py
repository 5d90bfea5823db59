"""This module lists the families of MCP resources, and reads a resource by its URI: a new family
is a module here with a `ResourceFamily`, and a line below.
"""

from __future__ import annotations

from synapse_ls.mcp.resources import block, domains, layers, memory, status
from synapse_ls.mcp.resources.resource_family import ResourceFamily

FAMILIES: tuple[ResourceFamily, ...] = (
    block.FAMILY,
    status.FAMILY,
    layers.FAMILY,
    domains.FAMILY,
    memory.FAMILY,
)


def read_resource(root: str, uri: str) -> str | None:
    """Returns the text of the resource ``uri``, None where there is none."""
    for family in FAMILIES:
        key = family.parse_key(uri)
        if key is not None:
            return family.read_resource(root, key)
    return None


def resource_mime(uri: str) -> str:
    """Returns the MIME type of the text of the resource ``uri``, "" where there is none."""
    return next((family.mime for family in FAMILIES if family.parse_key(uri) is not None), "")
