"""This module is the MCP tool ``set_workflow``: it sets the workflow that a session is in, and its
phase.
"""

from __future__ import annotations

from synapse_ls.mcp.tool_arguments import ToolArgument
from synapse_ls.mcp.tools.session_setting import create_setter

TOOL = create_setter(
    ToolArgument("workflow", "the id of the workflow", required=True),
    ToolArgument("phase", "the phase that it is in"),
    "Sets the active workflow of the session and its phase: their rules are told from the "
    "next prompt. An empty workflow ends it.",
)
