"""``memory_search``: what is remembered about something."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.mcp.fields import INTEGER, LIST, Field
from synapse_ls.mcp.said import Said, paragraphs
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.memory.places import reader_of
from synapse_ls.service.memories import Filter, Seen, listed, memory_report, searched

_MOST = 20


def _run(root: str, given: Given) -> Said:
    reader = reader_of(given["agent"])  # an agent sees what is shared and its own, never all
    wanted = Filter(tags=given["tags"], sector=given["sector"], tier=given["tier"])
    query = given["query"].strip()
    found = searched(root, query, reader, wanted) if query else listed(root, reader, wanted)
    most = given["limit"] or _MOST
    text = paragraphs(["\n".join(_lines(seen)) for seen in found[:most]])
    return Said(
        text or "Nothing is remembered about it.",
        {"memories": [memory_report(seen, root) for seen in found[:most]], "found": len(found)},
    )


def _lines(seen: Seen) -> Iterator[str]:
    record, score = seen.record, seen.score
    tags = "".join(f" #{tag}" for tag in record.tags)
    yield f"{record.id} [{record.sector}, {record.confidence:.0%}, {score.tier}] {record.title}{tags}"
    if record.text and record.text != record.title:
        yield record.text
    if seen.match.found:
        yield f"matches {seen.match.told}"


TOOL = Tool(
    name="memory_search",
    title="Search what is remembered",
    about="What earlier sessions have learned: decisions, corrections by the user, pitfalls and their "
    "resolutions. Without a query, all of it, the most important first.",
    fields=(
        Field("query", "what it is about, in words"),
        Field("agent", "the agent that asks: it sees what is shared, and its own"),
        Field("tags", "only memories with all of these tags", kind=LIST),
        Field("sector", "episodic, semantic, procedural or reflective"),
        Field("tier", "hot, warm or cold"),
        Field("limit", f"how many at most; {_MOST} unless given", kind=INTEGER),
    ),
    run=_run,
)
