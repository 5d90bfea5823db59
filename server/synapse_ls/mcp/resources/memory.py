"""``synapse://memory/ID``: one memory that is shared."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.plan import Plan
from synapse_ls.mcp.resources.family import Family, Listed
from synapse_ls.mcp.said import paragraphs
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.memories import listed, shown

_SHARED = ""  # a resource is for whoever reads it: what an agent keeps for itself is none


def _listed(plan: Plan | None) -> Iterator[Listed]:
    for seen in listed(plan.root, _SHARED) if plan else ():
        record = seen.record
        about = f"{record.sector}, {record.confidence:.0%}, {seen.score.tier}"
        yield Listed(record.id, record.title, about)


def _read(root: str, key: str) -> str | None:
    try:
        seen, archived = shown(root, key, _SHARED)
    except ServiceError:
        return None
    record = seen.record
    if archived:
        return None
    return paragraphs(
        [
            f"{record.id}: {record.title}",
            f"{record.type}, {record.sector}, {record.storage}, {seen.score.tier} "
            f"({seen.score.value:.2f})",
            *([f"tags: {', '.join(record.tags)}"] if record.tags else ()),
            f"file: {record.path}",
        ],
        [record.text] if record.text else [],
    )


FAMILY = Family(
    "memory",
    "Memory",
    "Something that earlier sessions have learned, as far as it is shared",
    _listed,
    _read,
    argument="id",
)
