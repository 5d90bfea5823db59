"""This module lists the families of MCP prompts: a new one is a module here with a
`PromptFamily`, and a line below.

Where two have a prompt of one name, the first is meant.
"""

from __future__ import annotations

from synapse_ls.mcp.prompts import context, resume, star_commands
from synapse_ls.mcp.prompts.prompt_family import PromptFamily

FAMILIES: tuple[PromptFamily, ...] = (context.FAMILY, resume.FAMILY, star_commands.FAMILY)
