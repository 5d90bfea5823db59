"""The families of prompts: a new one is a module here with a `Family`, and a line below.

Where two have a prompt of one name, the first is meant.
"""

from __future__ import annotations

from synapse_ls.mcp.prompts import commands, context, resume
from synapse_ls.mcp.prompts.family import Family

FAMILIES: tuple[Family, ...] = (context.FAMILY, resume.FAMILY, commands.FAMILY)
