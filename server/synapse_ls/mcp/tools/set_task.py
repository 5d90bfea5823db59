"""``set_task``: what is at work in a session."""

from __future__ import annotations

from synapse_ls.mcp.fields import Field
from synapse_ls.mcp.tools.setting import setter

TOOL = setter(
    Field("task", "the name of the task, or its file", required=True),
    Field("story", "the id of its story, or its file"),
    "Sets the active task of the session, and its story: criteria, pre-conditions and files "
    "of both are told from the next prompt. An empty task ends it.",
)
