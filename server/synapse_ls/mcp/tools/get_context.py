"""This module is the MCP tool ``get_context``: it returns the block, byte for byte as ``synapse
context`` prints it.
"""

from __future__ import annotations

from synapse_ls.mcp.situation_arguments import SITUATION, query_answer
from synapse_ls.mcp.tool_result import ToolResult
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool


def _run(root: str, arguments: Arguments) -> ToolResult:
    return ToolResult(query_answer(root, arguments).assembly.text)


TOOL = Tool(
    name="get_context",
    title="Rules for a prompt",
    description="The rules of this project that apply to a prompt in a situation, as one block. Asking "
    "changes nothing. Without arguments it is what the next prompt of the current session meets.",
    arguments=SITUATION,
    run=_run,
)
