"""This module serves the MCP resource ``synapse://block``: the block that the next prompt of the
current session would get.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.mcp.resources.resource_family import ResourceEntry, ResourceFamily
from synapse_ls.mcp.situation_arguments import query_answer

_TITLE = "Block of rules"
_DESCRIPTION = "The rules that the next prompt of the current session would be told"


def _list_resources(_: Plan | None) -> Iterator[ResourceEntry]:
    yield ResourceEntry("", _TITLE, _DESCRIPTION)


def _read_resource(root: str, _: str) -> str:
    return query_answer(root, {}).assembly.text


FAMILY = ResourceFamily("block", _TITLE, _DESCRIPTION, _list_resources, _read_resource)
