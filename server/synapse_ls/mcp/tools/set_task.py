"""This module is the MCP tool ``set_task``: it sets the active task and story of a session."""

from __future__ import annotations

from synapse_ls.mcp.tool_arguments import ToolArgument
from synapse_ls.mcp.tools.session_setting import create_setter

TOOL = create_setter(
    ToolArgument("task", "the name of the task, or its file", required=True),
    ToolArgument("story", "the id of its story, or its file"),
    "Sets the active task of the session, and its story: criteria, pre-conditions and files "
    "of both are told from the next prompt. An empty task ends it.",
)
