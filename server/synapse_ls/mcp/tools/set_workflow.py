"""``set_workflow``: which workflow a session is in, and in which phase."""

from __future__ import annotations

from synapse_ls.mcp.fields import Field
from synapse_ls.mcp.tools.setting import setter

TOOL = setter(
    Field("workflow", "the id of the workflow", required=True),
    Field("phase", "the phase that it is in"),
    "Sets the active workflow of the session and its phase: their rules are told from the "
    "next prompt. An empty workflow ends it.",
)
