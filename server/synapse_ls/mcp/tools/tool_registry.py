"""This module lists the MCP tools: a new one is a module here with a `Tool`, and a line below."""

from __future__ import annotations

from synapse_ls.mcp.tools import (
    activate_agent,
    check,
    compact,
    coverage,
    explain,
    get_context,
    guard,
    handoff,
    list_domains,
    log,
    memory_add,
    memory_forget,
    memory_search,
    set_task,
    set_workflow,
    short_term_update,
    status,
    why,
)
from synapse_ls.mcp.tools.tool_definition import Tool

TOOLS: dict[str, Tool] = {
    module.TOOL.name: module.TOOL
    for module in (
        get_context,
        explain,
        why,
        check,
        guard,
        status,
        list_domains,
        log,
        coverage,
        compact,
        memory_search,
        memory_add,
        memory_forget,
        short_term_update,
        handoff,
        activate_agent,
        set_task,
        set_workflow,
    )
}
