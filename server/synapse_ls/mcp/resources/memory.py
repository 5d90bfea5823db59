"""This module serves the MCP resources ``synapse://memory/ID``: one memory that is shared."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.mcp.resources.resource_family import ResourceEntry, ResourceFamily
from synapse_ls.mcp.tool_result import join_groups
from synapse_ls.queries.memory_listing import find_memory, list_memories
from synapse_ls.storage.user_error import UserError

_SHARED_READER = ""  # a resource is for whoever reads it: what an agent keeps for itself is none


def _list_resources(plan: Plan | None) -> Iterator[ResourceEntry]:
    for seen in list_memories(plan.root, _SHARED_READER) if plan else ():
        record = seen.record
        about = f"{record.sector}, {record.confidence:.0%}, {seen.score.tier}"
        yield ResourceEntry(record.id, record.title, about)


def _read_resource(root: str, key: str) -> str | None:
    try:
        seen, archived = find_memory(root, key, _SHARED_READER)
    except UserError:
        return None
    record = seen.record
    if archived:
        return None
    return join_groups(
        [
            f"{record.id}: {record.title}",
            f"{record.type}, {record.sector}, {record.storage}, {seen.score.tier} "
            f"({seen.score.value:.2f})",
            *([f"tags: {', '.join(record.tags)}"] if record.tags else ()),
            f"file: {record.path}",
        ],
        [record.text] if record.text else [],
    )


FAMILY = ResourceFamily(
    "memory",
    "Memory",
    "Something that earlier sessions have learned, as far as it is shared",
    _list_resources,
    _read_resource,
    argument="id",
)
