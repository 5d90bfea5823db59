"""This module is the MCP tool ``memory_forget``: it puts away a memory that is wrong or over."""

from __future__ import annotations

from synapse_ls.mcp.tool_arguments import ToolArgument
from synapse_ls.mcp.tool_result import ToolResult
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.memory.memory_paths import reader_name
from synapse_ls.queries.guard_report import is_guard_enforced
from synapse_ls.queries.memory_listing import find_memory, memory_report, open_store
from synapse_ls.queries.report_model import to_json


def _run(root: str, arguments: Arguments) -> ToolResult:
    record = open_store(root).forget(arguments["id"], reader=reader_name(arguments["agent"]))
    seen, archived = find_memory(root, record.id)
    text = f"{record.id} is forgotten: {record.title} (`synapse memory restore` brings it back)"
    return ToolResult(text, {"memory": to_json(memory_report(seen, root, archived=archived))})


def _consent_question(root: str, arguments: Arguments) -> str:
    if not is_guard_enforced(root):
        return ""
    seen, _ = find_memory(root, arguments["id"], reader_name(arguments["agent"]))
    return f'Forget {seen.record.id}, "{seen.record.title}"? It can be restored.'


TOOL = Tool(
    name="memory_forget",
    title="Forget something",
    description="Puts a memory away that is wrong or no longer true, so that no agent is told it any more. "
    "It can be restored.",
    arguments=(
        ToolArgument("id", "the id of the memory, as memory_search tells it", required=True),
        ToolArgument("agent", "the agent that asks, for one of its own"),
    ),
    run=_run,
    is_changing=True,
    consent_question=_consent_question,
    command_words=lambda given: ["synapse", "memory", "forget", given["id"]],
)
