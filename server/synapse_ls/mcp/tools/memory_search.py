"""This module is the MCP tool ``memory_search``: it finds what is remembered about something."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.mcp.tool_arguments import INTEGER, LIST, ToolArgument
from synapse_ls.mcp.tool_result import ToolResult, join_groups
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.memory.memory_paths import reader_name
from synapse_ls.queries.memory_listing import (
    MemoryFilter,
    ScoredMemory,
    list_memories,
    memory_report,
    search_memories,
)
from synapse_ls.queries.report_model import to_json

_MAX_MEMORIES = 20


def _run(root: str, arguments: Arguments) -> ToolResult:
    reader = reader_name(arguments["agent"])  # an agent sees what is shared and its own, never all
    wanted = MemoryFilter(
        tags=arguments["tags"], sector=arguments["sector"], tier=arguments["tier"]
    )
    query = arguments["query"].strip()
    found = (
        search_memories(root, query, reader, wanted)
        if query
        else list_memories(root, reader, wanted)
    )
    most = arguments["limit"] or _MAX_MEMORIES
    text = join_groups(["\n".join(_memory_lines(seen)) for seen in found[:most]])
    return ToolResult(
        text or "Nothing is remembered about it.",
        {"memories": to_json([memory_report(s, root) for s in found[:most]]), "found": len(found)},
    )


def _memory_lines(memory: ScoredMemory) -> Iterator[str]:
    record, score = memory.record, memory.score
    tags = "".join(f" #{tag}" for tag in record.tags)
    yield f"{record.id} [{record.sector}, {record.confidence:.0%}, {score.tier}] {record.title}{tags}"
    if record.text and record.text != record.title:
        yield record.text
    if memory.match.matches:
        yield f"matches {memory.match.description}"


TOOL = Tool(
    name="memory_search",
    title="Search what is remembered",
    description="What earlier sessions have learned: decisions, corrections by the user, pitfalls and their "
    "resolutions. Without a query, all of it, the most important first.",
    arguments=(
        ToolArgument("query", "what it is about, in words"),
        ToolArgument("agent", "the agent that asks: it sees what is shared, and its own"),
        ToolArgument("tags", "only memories with all of these tags", kind=LIST),
        ToolArgument("sector", "episodic, semantic, procedural or reflective"),
        ToolArgument("tier", "hot, warm or cold"),
        ToolArgument("limit", f"how many at most; {_MAX_MEMORIES} unless given", kind=INTEGER),
    ),
    run=_run,
)
